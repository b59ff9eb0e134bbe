import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { loadRouteData } from '#web/core/inlined-responses.ts';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import { isPublicPath, parseInternalPath } from '#web/core/paths.ts';
import { sessionQuery } from '#web/core/session.ts';
import { ErrorPage } from './ErrorPage.tsx';
import { MemberLayout } from './MemberLayout.tsx';
import { RootLayout } from './RootLayout.tsx';

/** The context that every route gets. */
export type RouterContext = { queryClient: QueryClient };

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  errorComponent: ErrorPage,
});

/** Pages for signed-in members. A visitor reads some of them (1.8), or signs in first and then returns (docs/product.md 1.2). */
export const memberRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'member',
  component: MemberLayout,
  beforeLoad: async ({ context, location }) => {
    const { member, publicReading } = await currentSession(context);
    if (member !== null || (publicReading === true && isPublicPath(location.pathname))) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/login', search: next === undefined ? {} : { next }, replace: true });
  },
});

/** Pages for visitors only. A signed-in member goes to the page that was requested first. */
export const visitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'visitor',
  component: lazyRouteComponent(() => import('#web/ui/VisitorFrame.tsx'), 'VisitorLayout'),
  // Invalid values are returned as undefined: the router keeps parameters that validation leaves out.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
    next: parseInternalPath(typeof next === 'string' ? next : undefined) ?? undefined,
  }),
  beforeLoad: async ({ context }) => {
    const { member, account } = await currentSession(context);
    if (member !== null) throw redirect({ to: '/', replace: true });
    if (account !== undefined) throw redirect({ to: '/application', replace: true });
  },
  loader: ({ context: { queryClient }, location: { pathname }, cause }) =>
    loadRouteData(cause, async () =>
      (await import('#web/identity/sign-in.ts')).prefetchSignInPage(queryClient, pathname),
    ),
});

export function currentSession({ queryClient }: RouterContext) {
  // Without a response the error page is shown. It recovers after an outage (app/RootLayout.tsx).
  return queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: true, retry: false });
}
