/** Failures of votes, follows, notifications and searches are only logged (SPEC section 8). */
export function logFailure(what: string, error: unknown): void {
  console.error(`${what} failed:`, error);
}
