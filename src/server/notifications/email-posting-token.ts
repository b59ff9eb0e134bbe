import { databaseNowMs } from '#server/core/database-clock.ts';
import { signToken, verifyToken } from '#server/core/signed-tokens.ts';

/** How long a command may take to post an email. */
const validMs = 10 * 60_000;

/** Before a token, which distinguishes it from an API token. */
const prefix = 'parley-email-';
const purpose = 'post an email';

/** The endpoints that accept these tokens. */
export const emailPostingEndpoints: ReadonlySet<string> = new Set([
  'POST /uploads',
  'POST /questions/{id}/answers',
  'POST /questions/{id}/replies',
  'POST /answers/{id}/replies',
]);

/**
 * A bearer token with which `parley email reply` posts in the name of the member who sent the email. Only a process that
 * has SECRET can create one.
 */
export function createEmailPostingToken(secret: string, memberId: number): string {
  const expiresAt = Math.trunc(databaseNowMs()) + validMs;
  return prefix + signToken({ secret, purpose }, `${memberId}-${expiresAt}`);
}

/** Returns the member of a token; null if it is not valid, and undefined for any other text. */
export function readEmailPostingToken(secret: string, token: string): number | null | undefined {
  if (!token.startsWith(prefix)) return undefined;
  const claim = verifyToken({ secret, purpose }, token.slice(prefix.length));
  const [, memberId, expiresAt] = /^(\d+)-(\d+)$/u.exec(claim ?? '') ?? [];
  return memberId === undefined || Number(expiresAt) < databaseNowMs() ? null : Number(memberId);
}
