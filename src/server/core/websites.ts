import { limits } from '#shared/core/limits.ts';

/**
 * Returns the address of a website as it is stored and linked: http or https, with a host name that browsers show as it
 * is (`xn--…`), in ASCII. Without a scheme, https is assumed.
 * @returns null for anything else, such as an address with a password in it
 */
export function parseWebsite(text: string): string | null {
  const trimmed = text.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:/iu.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (url === null || !/^https?:$/u.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || !/^[^.]+(?:\.[^.]+)+$/u.test(url.hostname)) return null;
  return url.href.length <= limits.website ? url.href : null;
}
