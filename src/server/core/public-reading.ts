import { etag } from 'hono/etag';
import { createMiddleware } from 'hono/factory';
import { isMember, type PublicEnv } from './http.ts';
import { getCookiePrefix, type OperatorSettings } from './operator-settings.ts';

/**
 * Seconds for which a shared cache may serve a public response. With the lag of a replica, a hidden post disappears
 * within a minute.
 */
const sharedCacheSeconds = 50;

/**
 * The caching of responses to visitors without a session cookie (docs/decisions/053). Browsers revalidate each time,
 * because a visitor may sign in at any moment.
 */
export const publicCacheControl = `public, max-age=0, s-maxage=${sharedCacheSeconds}`;

/** The headers on which public responses depend. Parley sets no cookie for visitors, so that they share one response. */
export const publicVary = 'accept-encoding, authorization, cookie';

/**
 * The cookie of a session, as better-auth derives its name from identity/auth.ts. A cache that does not obey `Vary`
 * must pass requests with it on.
 */
export const getSessionCookieName = (settings: Pick<OperatorSettings, 'publicUrl'>) =>
  `${getCookiePrefix(settings)}.session_token`;

/** Whether a request has a session cookie, valid or not. */
export function hasSessionCookie(
  cookie: string | null | undefined,
  settings: Pick<OperatorSettings, 'publicUrl'>,
): boolean {
  return cookie?.includes(`${getSessionCookieName(settings)}=`) ?? false;
}

/** Lets shared caches store the responses to visitors without a session cookie. All others stay as their route says. */
export function allowSharedCaching(settings: OperatorSettings) {
  const addEtag = etag();
  return createMiddleware<PublicEnv>(async (c, next) => {
    if (isMember(c.get('viewer')) || hasSessionCookie(c.req.header('cookie'), settings)) return next();
    const response = (await addEtag(c, next)) ?? c.res;
    const { status, headers } = response;
    if ((status !== 200 && status !== 304) || headers.has('set-cookie')) {
      headers.set('cache-control', 'no-store');
      return;
    }
    headers.set('cache-control', publicCacheControl);
    headers.set('vary', publicVary);
  });
}
