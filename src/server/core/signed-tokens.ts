import { createHmac, timingSafeEqual } from 'node:crypto';

/** Binds a signature to a purpose. It is not valid for another purpose. */
export type SigningContext = { secret: string; purpose: string };

/**
 * Creates a token that contains `claim` and proves that this installation issued it, without storing anything. Anyone
 * who has the token can use it, so it must grant no more than its purpose and must not sign anyone in.
 * @param claim letters, digits and `._-`
 */
export function signToken({ secret, purpose }: SigningContext, claim: string): string {
  return `${claim}.${computeSignature({ secret, purpose }, claim).toString('base64url')}`;
}

/** Returns the claim of a token that was signed for this purpose. Null for any other text. */
export function verifyToken(signing: SigningContext, token: string): string | null {
  const end = token.lastIndexOf('.');
  const claim = token.slice(0, Math.max(0, end));
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const right = computeSignature(signing, claim);
  return signature.length === right.length && timingSafeEqual(signature, right) ? claim : null;
}

/** JSON separates the two parts of the message unambiguously. */
function computeSignature({ secret, purpose }: SigningContext, claim: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['parley link', purpose, claim]))
    .digest();
}
