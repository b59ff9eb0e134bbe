import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';

/** Why an archive cannot be imported, as a sentence for the operator. Nothing was imported when it is thrown. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveProblem';
}

/** The database went away. Whether it had come to the end of the import is not known, if it was near. */
export class ConnectionLostError extends Error {
  override readonly name = 'BrokenConnection';
  override readonly message =
    'The connection to the database broke. Import again: all of the archive is added, or it is here already.';
}

/** A file or folder that the system does not let us read, as a sentence. */
export function unreadableError(path: string, error: unknown): ArchiveError {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    ENOENT: 'it is not there, or a link that leads nowhere',
  };
  const code = getErrorCode(error) ?? '';
  return new ArchiveError(`${path} cannot be read: ${reasons[code] ?? getErrorMessage(error)}.`, {
    cause: error,
  });
}
