/**
 * Choices that the server needs to render a page. They are not secret, so scripts may read and write them.
 */

const yearSeconds = 365 * 24 * 60 * 60;

/** Null if there is no such cookie, or on the server. */
export function readCookie(name: string): string | null {
  if (import.meta.env.SSR) return null;
  const entry = document.cookie.split('; ').find((each) => each.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) ?? null;
}

/** @param value without characters that a cookie must escape; null deletes the cookie. */
export function writeCookie(name: string, value: string | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const age = value === null ? 0 : yearSeconds;
  document.cookie = `${name}=${value ?? ''}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}
