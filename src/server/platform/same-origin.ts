import { createMiddleware } from 'hono/factory';
import { ProblemError } from './errors.ts';
import type { Settings } from './settings.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes asked for by pages of other sites, beside what SameSite cookies already prevent. Browsers always send
 * `Origin` with them; programs that send none carry no other site's page.
 */
export function sameOrigin(settings: Settings) {
  return createMiddleware(async (c, next) => {
    const origin = c.req.header('origin');
    if (reading.has(c.req.method) || isOwnOrigin(settings, origin, c.req.header('host'))) return next();
    throw new ProblemError('foreign-origin', 'This request came from another site.');
  });
}

/** Whether a request's `Origin` is this site, or absent (no browser's page of another site). */
export function isOwnOrigin(
  settings: Settings,
  origin: string | undefined,
  host: string | undefined,
): boolean {
  if (origin === undefined) return true;
  if (settings.publicUrl !== null && URL.parse(settings.publicUrl)?.origin === origin) return true;
  return URL.parse(origin)?.host === host;
}
