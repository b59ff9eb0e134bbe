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
