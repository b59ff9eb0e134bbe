/** Why Parley cannot start: a sentence for the operator, shown without a stack trace; leads to exit code 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The `code` of a system error, such as 'EACCES'; undefined for other errors. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The sentence for a folder or file that cannot be made or written. */
export function describeDirectoryError(folder: string, error: unknown): string {
  const reasons: Record<string, string> = {
    EACCES: 'no permission',
    EPERM: 'no permission',
    EROFS: 'it is on a read-only file system',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  };
  const reason = reasons[getErrorCode(error) ?? ''] ?? getErrorMessage(error);
  return describeUnwritableDirectory(folder, reason);
}

export function describeUnwritableDirectory(folder: string, reason: string): string {
  return `The data folder ${folder} cannot be written: ${reason}. Choose another with PARLEY_DATA.`;
}
