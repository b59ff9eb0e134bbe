/** Why Parley cannot start: a message for the operator, printed without a stack trace. The exit code is 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The `code` of a system error, such as 'EACCES'. Undefined for other errors. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message for a directory or file that cannot be created or written. */
export function describeDirectoryError(directory: string, error: unknown): string {
  const reasons: Record<string, string> = {
    EACCES: 'no permission',
    EPERM: 'no permission',
    ENOENT: 'its file system refuses new directories',
    EROFS: 'it is on a read-only file system',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  };
  const reason = reasons[getErrorCode(error) ?? ''] ?? getErrorMessage(error);
  return describeUnwritableDirectory(directory, reason);
}

export function describeUnwritableDirectory(directory: string, reason: string): string {
  return `The data directory ${directory} cannot be written: ${reason}. Choose another with PARLEY_DATA.`;
}
