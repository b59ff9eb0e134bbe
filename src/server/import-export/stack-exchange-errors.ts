import { stat } from 'node:fs/promises';
import { getErrorCode, getErrorMessage } from '#server/core/startup-error.ts';

/**
 * The reason why files cannot be imported, converted or exported, as a sentence for the operator. Nothing was changed or
 * written.
 */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * The connection to the database broke. If it broke at the end of the import, it is unknown whether the import was
 * committed.
 */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
  override readonly message = 'The connection to the database broke.';
}

/** Returns the error for a file or directory that cannot be read. */
export function unreadableError(path: string, error: unknown): ArchiveError {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    ENOENT: 'it does not exist, or is a broken link',
  };
  const code = getErrorCode(error) ?? '';
  return new ArchiveError(`${path} cannot be read: ${reasons[code] ?? getErrorMessage(error)}.`, {
    cause: error,
  });
}

/** @throws ArchiveError for what is not a file that can be read */
export async function getFileSize(path: string): Promise<number> {
  const status = await stat(path).catch((error: unknown) => {
    throw unreadableError(path, error);
  });
  if (!status.isFile()) throw new ArchiveError(`${path} is not a file.`);
  return status.size;
}
