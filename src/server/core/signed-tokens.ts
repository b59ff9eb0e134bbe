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

/** A token of lower-case letters and digits with 96 bits of its signature, for a part of an email address. */
export function signShortToken(signing: SigningContext, claim: string): string {
  return `${claim}.${computeSignature(signing, claim).toString('hex').slice(0, 24)}`;
}

/** Returns the claim of a short token that was signed for this purpose. Null for any other text. */
export function verifyShortToken(signing: SigningContext, token: string): string | null {
  const claim = token.slice(0, Math.max(0, token.lastIndexOf('.')));
  const [given, right] = [Buffer.from(token), Buffer.from(signShortToken(signing, claim))];
  return given.length === right.length && timingSafeEqual(given, right) ? claim : null;
}
