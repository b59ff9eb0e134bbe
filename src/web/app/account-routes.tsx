import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import { loadRouteData } from '#web/core/inlined-responses.ts';
import { rootRoute, visitorRoute } from './base-routes.tsx';

/** For someone whose account waits for a moderator, or was refused. The page leads others away. */
const applicationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/application',
  component: lazyRouteComponent(() => import('#web/identity/ApplicationPage.tsx'), 'ApplicationPage'),
});

const loginRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/login',
  component: lazyRouteComponent(() => import('#web/identity/LoginPage.tsx'), 'LoginPage'),
});

const registerRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/register',
  component: lazyRouteComponent(() => import('#web/identity/RegisterPage.tsx'), 'RegisterPage'),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('#web/identity/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
});

/** Links in emails. They work with and without a session. */
const unsubscribeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unsubscribe/$token',
  component: lazyRouteComponent(() => import('#web/identity/EmailLinkPages.tsx'), 'UnsubscribePage'),
});

const confirmEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-email/$token',
  component: lazyRouteComponent(() => import('#web/identity/EmailLinkPages.tsx'), 'ConfirmEmailPage'),
});

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  loader: ({ context: { queryClient }, cause }) =>
    loadRouteData(cause, async () =>
      (await import('#web/identity/sign-in.ts')).prefetchSignInPage(queryClient, '/setup'),
    ),
  component: lazyRouteComponent(() => import('#web/admin/SetupPage.tsx'), 'SetupPage'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('#web/identity/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
});

const newEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/change-email',
  component: lazyRouteComponent(() => import('#web/identity/EmailLinkPages.tsx'), 'NewEmailPage'),
});

const revertEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/revert-email',
  component: lazyRouteComponent(() => import('#web/identity/EmailLinkPages.tsx'), 'RevertEmailPage'),
});

/** Where identity providers redirect to, for visitors who sign in and members who link an account. */
const signInCallbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/callback/{-$provider}',
  component: lazyRouteComponent(() => import('#web/identity/SignInCallbackPage.tsx'), 'SignInCallbackPage'),
});

/** Pages for visitors: to sign in and to register. */
export const visitorRoutes = [loginRoute, registerRoute, forgotPasswordRoute] as const;

/** Pages for everyone: of new accounts, and links in emails. */
export const accountRoutes = [
  applicationRoute,
  unsubscribeRoute,
  confirmEmailRoute,
  setupRoute,
  resetPasswordRoute,
  newEmailRoute,
  revertEmailRoute,
  signInCallbackRoute,
] as const;
