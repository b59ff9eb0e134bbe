import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature is for; one for another purpose does not pass. */
export type SigningContext = { secret: string; purpose: string };

/**
 * A token that names `claim` and proves that this community made it, with nothing stored. Whoever holds it can use it:
 * it must give no more than its purpose says, and signs nobody in.
 * @param claim of letters, digits and any of `._-`
 */
export function signToken({ secret, purpose }: SigningContext, claim: string): string {
  return `${claim}.${computeSignature({ secret, purpose }, claim).toString('base64url')}`;
}

/** The claim of a token that was signed for this purpose; null for every other text. */
export function verifyToken(signing: SigningContext, token: string): string | null {
  const end = token.lastIndexOf('.');
  const claim = token.slice(0, Math.max(0, end));
  const given = Buffer.from(token.slice(end + 1), 'base64url');
  const right = computeSignature(signing, claim);
  return given.length === right.length && timingSafeEqual(given, right) ? claim : null;
}

/** JSON keeps the two parts of the message apart, whatever they hold. */
function computeSignature({ secret, purpose }: SigningContext, claim: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['parley link', purpose, claim]))
    .digest();
}
