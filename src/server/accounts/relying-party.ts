import type { SiteSettings } from '#server/platform/settings.ts';

/** Whom a passkey is for: the site's host name, and the one address it may be used at (WebAuthn Level 3, section 4). */
export type RelyingParty = { id: string; origin: string };

/**
 * PUBLIC_URL where it is set; otherwise the address that the request came to, whose Origin has been compared with its Host
 * (same-origin.ts). A passkey made at another site's address is none of ours, whatever a request claims.
 */
export function getRelyingParty(
  { publicUrl }: Pick<SiteSettings, 'publicUrl'>,
  headers: Headers,
): RelyingParty {
  const claimed = headers.get('origin') ?? `http://${headers.get('host') ?? 'localhost'}`;
  const url = URL.parse(publicUrl ?? claimed) ?? new URL('http://localhost');
  return { id: url.hostname, origin: url.origin };
}
