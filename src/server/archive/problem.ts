import { errorCode, messageOf } from '#server/platform/startup-error.ts';

/** Why an archive cannot be imported, as a sentence for the operator. Nothing was imported when it is thrown. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

/** The database went away. Whether it had come to the end of the import is not known, if it was near. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
  override readonly message =
    'The connection to the database broke. Import again: all of the archive is added, or it is here already.';
}

/** A file or folder that the system does not let us read, as a sentence. */
export function unreadable(path: string, error: unknown): ArchiveProblem {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    ENOENT: 'it is not there, or a link that leads nowhere',
  };
  const code = errorCode(error) ?? '';
  return new ArchiveProblem(`${path} cannot be read: ${reasons[code] ?? messageOf(error)}.`, {
    cause: error,
  });
}
