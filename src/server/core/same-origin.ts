import { createMiddleware } from 'hono/factory';
import { ProblemError } from './errors.ts';
import type { OperatorSettings } from './operator-settings.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes requested by pages of other sites, in addition to SameSite cookies. Browsers send `Origin` or
 * `Sec-Fetch-Site` with them. Requests without either do not come from a page.
 */
export function requireSameOrigin(settings: OperatorSettings) {
  return createMiddleware(async (c, next) => {
    if (safeMethods.has(c.req.method) || isSameOrigin(settings, c.req.header())) return next();
    throw new ProblemError('foreign-origin');
  });
}

type NamedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether a request comes from a page of this site or from no page. PUBLIC_URL determines the scheme of its host. For
 * other hosts it is http, or what a proxy reports: a page cannot make a browser send that header to another site.
 */
export function isSameOrigin(settings: OperatorSettings, headers: NamedHeaders): boolean {
  const { origin, host, 'sec-fetch-site': site, 'x-forwarded-proto': forwarded } = headers;
  if (origin === undefined) return site === undefined || site === 'same-origin' || site === 'none';
  const own = settings.publicUrl === null ? null : URL.parse(settings.publicUrl);
  if (own !== null && (own.origin === origin || own.host === host)) return own.origin === origin;
  const scheme = typeof forwarded === 'string' ? forwarded.split(',', 1)[0]?.trim() : 'http';
  return typeof host === 'string' && URL.parse(`${scheme}://${host}`)?.origin === origin;
}
