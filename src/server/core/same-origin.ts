import { createMiddleware } from 'hono/factory';
import { ProblemError } from './errors.ts';
import type { SiteSettings } from './site-settings.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes asked for by pages of other sites, beside what SameSite cookies already prevent. Browsers send `Origin`
 * or `Sec-Fetch-Site` with them; programs that send neither carry no other site's page.
 */
export function requireSameOrigin(settings: SiteSettings) {
  return createMiddleware(async (c, next) => {
    if (safeMethods.has(c.req.method) || isSameOrigin(settings, c.req.header())) return next();
    throw new ProblemError('foreign-origin', 'This request came from another site.');
  });
}

type NamedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a request comes from a page of this site, or from no page at all. PUBLIC_URL says which scheme its host has; at
 * other hosts it is http, or what a proxy says: a page cannot make a browser send that header to another site.
 */
export function isSameOrigin(settings: SiteSettings, headers: NamedHeaders): boolean {
  const { origin, host, 'sec-fetch-site': site, 'x-forwarded-proto': forwarded } = headers;
  if (origin === undefined) return site === undefined || site === 'same-origin' || site === 'none';
  const own = settings.publicUrl === null ? null : URL.parse(settings.publicUrl);
  if (own !== null && (own.origin === origin || own.host === host)) return own.origin === origin;
  const scheme = typeof forwarded === 'string' ? forwarded.split(',', 1)[0]?.trim() : 'http';
  return typeof host === 'string' && URL.parse(`${scheme}://${host}`)?.origin === origin;
}
