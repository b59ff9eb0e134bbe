import { loadRouteData } from '#web/core/inlined-responses.ts';
import { parseVisitorSearch } from '#web/core/page-search.ts';
import { isPublicPath, paths, stringifySearch } from '#web/core/paths.ts';
import type { Layout, RouteRequest } from '#web/core/router.ts';
import { sessionQuery } from '#web/core/session.ts';
import { MemberLayout } from './MemberLayout.tsx';

/**
 * Pages for signed-in members. A visitor reads some of them (1.8), or signs in first and then returns (docs/product.md
 * 1.2).
 */
export const memberLayout: Layout = {
  guard: async ({ client, location }) => {
    const { member, publicReading } = await currentSession(client);
    if (member !== null || (publicReading === true && isPublicPath(location.pathname))) return undefined;
    const next = location.href === paths.home ? undefined : location.href;
    return paths.login + stringifySearch({ next });
  },
  load: () => Promise.resolve(MemberLayout),
};

/**
 * Pages for visitors only. A signed-in member goes to the page that was requested first, also by Forward after the
 * sign-in, or to the home page; from the link in security emails to the settings, which also send a link for a new password.
 */
export const visitorLayout: Layout = {
  guard: async ({ client, location, search }) => {
    const { member, account } = await currentSession(client);
    if (member !== null)
      return location.pathname === paths.forgotPassword
        ? `${paths.accountSettings}#security`
        : (parseVisitorSearch(search).next ?? paths.home);
    return account === undefined ? undefined : paths.application;
  },
  load: async () => (await import('#web/ui/VisitorFrame.tsx')).VisitorLayout,
  data: ({ client, location, isPreload }) =>
    loadRouteData(isPreload, async () =>
      (await import('#web/identity/sign-in.ts')).prefetchSignInPage(client, location.pathname),
    ),
};

/** Everyone may read these pages. Their code decides the layout. */
export const sitePageLayout: Layout = {
  guard: async ({ client }) => {
    await currentSession(client);
    return undefined;
  },
  load: async () => (await import('./SitePage.tsx')).SitePageLayout,
  data: ({ client, location, isPreload }) =>
    loadRouteData(isPreload, async () =>
      (await import('./site-pages.ts')).prefetchSitePage(client, location.pathname),
    ),
};

function currentSession(client: RouteRequest['client']) {
  // Without a response the error page is shown. It recovers after an outage (app/RootLayout.tsx).
  return client.ensureQueryData({ ...sessionQuery, revalidateIfStale: true, retry: false });
}
