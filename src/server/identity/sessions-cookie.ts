import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { getSessionCookieName } from '#server/core/public-reading.ts';
import { getCookieValue } from './sessions-cache.ts';

/**
 * Returns the token of the session cookie, as better-auth signs it: the token, a dot and the HMAC in base64. Null for
 * every other cookie. better-auth checks the signature in another thread, which takes longer than to query the session.
 */
export function readSessionToken(
  cookie: string,
  settings: Pick<OperatorSettings, 'publicUrl' | 'secret'>,
): string | null {
  const value = decode(getCookieValue(cookie, getSessionCookieName(settings)) ?? '');
  const end = value.lastIndexOf('.');
  if (end < 1) return null;
  const token = value.slice(0, end);
  const signature = Buffer.from(value.slice(end + 1));
  const right = Buffer.from(createHmac('sha256', settings.secret).update(token).digest('base64'));
  return signature.length === right.length && timingSafeEqual(signature, right) ? token : null;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
