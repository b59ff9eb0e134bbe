import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import type { AnswerSort } from '#shared/answers.ts';
import { isAnswerSort, getSavedAnswerSort } from '#web/answers/answer-order.ts';
import type { Feed } from '#shared/feeds.ts';
import type { MutedChoice } from '#shared/mutes.ts';
import type { SearchKind, SearchSort } from '#shared/search.ts';
import type { TagSort } from '#shared/topics.ts';
import { MemberLayout } from './layout/MemberLayout.tsx';
import { RootLayout } from './layout/Root.tsx';
import { ErrorPage } from './pages/error.tsx';
import { HomePage } from './pages/home.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { feedQuery } from './feeds/feed.ts';
import { loadRouteData } from './platform/first-answers.ts';
import { lazyRouteComponent } from './platform/lazy-page.ts';
import { parseInternalPath, parseQuestionId } from './platform/paths.ts';
import { parseSearch, stringifySearch } from './platform/search-params.ts';
import { sessionQuery } from './platform/session.ts';
import { questionQuery } from './posts/question-query.ts';

/** What every page may use. */
export type RouterContext = { queryClient: QueryClient };

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  errorComponent: ErrorPage,
});

/** Pages for signed-in members; a visitor signs in first and comes back (docs/product.md 1.2). */
const memberRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'member',
  component: MemberLayout,
  beforeLoad: async ({ context, location }) => {
    const { member } = await currentSession(context);
    if (member !== null) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/login', search: next === undefined ? {} : { next }, replace: true });
  },
});

/** Pages for visitors only; a signed-in member goes on to where they wanted to go. */
const visitorRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'visitor',
  component: lazyRouteComponent(() => import('./layout/VisitorLayout.tsx'), 'VisitorLayout'),
  // What is refused is named as well: the router keeps what a validation leaves out.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
    next: parseInternalPath(typeof next === 'string' ? next : undefined) ?? undefined,
  }),
  beforeLoad: async ({ context }) => {
    const { member } = await currentSession(context);
    if (member !== null) throw redirect({ to: '/', replace: true });
  },
});

const homeRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/',
  // Recent is what an address without a tab shows.
  validateSearch: ({
    tab,
    muted,
  }: Record<string, unknown>): {
    tab?: Exclude<Feed, 'recent'> | undefined;
    muted?: 'show' | undefined;
  } => ({
    tab: tab === 'popular' || tab === 'unanswered' ? tab : undefined,
    muted: muted === 'show' ? muted : undefined,
  }),
  loaderDeps: ({ search }): { feed: Feed; muted: MutedChoice } => ({
    feed: search.tab ?? 'recent',
    muted: search.muted ?? 'hide',
  }),
  loader: ({ context: { queryClient }, deps: { feed, muted }, cause }) =>
    loadRouteData(cause, () =>
      queryClient.prefetchInfiniteQuery({ ...feedQuery(feed, muted), retry: false }),
    ),
  // Part of the program itself: what it needs are mostly the lists that nearly every page shows.
  component: HomePage,
});

const askRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/ask',
  component: lazyRouteComponent(() => import('./pages/ask.tsx'), 'AskPage'),
});

const questionRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/question/$id',
  // An address without a sort shows the order that the member chose last.
  validateSearch: ({ sort }: Record<string, unknown>): { sort?: AnswerSort | undefined } => ({
    sort: isAnswerSort(sort) ? sort : undefined,
  }),
  loaderDeps: ({ search }): { sort: AnswerSort } => ({ sort: search.sort ?? getSavedAnswerSort() }),
  // Another question is another page: its own state, focus and heading.
  remountDeps: ({ params }) => params,
  loader: ({ context: { queryClient }, params, deps: { sort }, cause }) => {
    const id = parseQuestionId(params.id);
    if (id === null) return;
    return loadRouteData(cause, () =>
      queryClient.prefetchQuery({ ...questionQuery(id, sort), retry: false }),
    );
  },
  component: lazyRouteComponent(() => import('./pages/question.tsx'), 'QuestionPage'),
});

const profileRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/profile/{-$userId}',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'answers' | undefined } => ({
    tab: tab === 'answers' ? tab : undefined,
  }),
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('./pages/profile.tsx'), 'ProfilePage'),
});

const tagsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/topics',
  // Most Popular is what an address without a sort shows.
  validateSearch: ({
    q,
    sort,
  }: Record<string, unknown>): {
    q?: string | undefined;
    sort?: Exclude<TagSort, 'popular'> | undefined;
  } => ({
    q: typeof q === 'string' && q.trim() !== '' ? q : undefined,
    sort: sort === 'alphabetical' || sort === 'active' ? sort : undefined,
  }),
  component: lazyRouteComponent(() => import('./pages/topics.tsx'), 'TagsPage'),
});

const tagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/topics/$tag',
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('./pages/topic.tsx'), 'TagPage'),
});

const followingRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/following',
  validateSearch: ({
    tab,
    muted,
  }: Record<string, unknown>): {
    tab?: 'activity' | 'topics' | undefined;
    muted?: 'show' | undefined;
  } => ({
    tab: tab === 'activity' || tab === 'topics' ? tab : undefined,
    muted: muted === 'show' ? muted : undefined,
  }),
  component: lazyRouteComponent(() => import('./pages/following.tsx'), 'FollowingPage'),
});

const searchRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/search',
  // Questions by relevance are what an address without kind and sort shows.
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    q?: string | undefined;
    in?: Exclude<SearchKind, 'questions'> | undefined;
    sort?: Exclude<SearchSort, 'relevance'> | undefined;
  } => ({
    q: typeof search['q'] === 'string' ? search['q'] : undefined,
    in: search['in'] === 'answers' || search['in'] === 'users' ? search['in'] : undefined,
    sort: search['sort'] === 'recent' || search['sort'] === 'popular' ? search['sort'] : undefined,
  }),
  component: lazyRouteComponent(() => import('./pages/search.tsx'), 'SearchPage'),
});

const notificationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/notifications',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'unread' | undefined } => ({
    tab: tab === 'unread' ? tab : undefined,
  }),
  component: lazyRouteComponent(() => import('./pages/notifications.tsx'), 'NotificationsPage'),
});

const draftsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/drafts',
  component: lazyRouteComponent(() => import('./pages/drafts.tsx'), 'DraftsPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/settings',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'account' | undefined } => ({
    tab: tab === 'account' ? tab : undefined,
  }),
  // Mails that are older than the tabs lead there.
  beforeLoad: ({ location, search }) => {
    if (location.hash === 'security' && search.tab === undefined)
      throw redirect({ to: '/settings', search: { tab: 'account' }, hash: 'security', replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
});

const bookmarksRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/bookmarks',
  // All of them are what an address without a list shows.
  validateSearch: ({
    list,
    q,
  }: Record<string, unknown>): { list?: number | undefined; q?: string | undefined } => ({
    list: /^[1-9]\d{0,14}$/u.test(String(list)) ? Number(list) : undefined,
    q: typeof q === 'string' && q.trim() !== '' ? q.trim() : undefined,
  }),
  component: lazyRouteComponent(() => import('./pages/bookmarks.tsx'), 'BookmarksPage'),
});

const moderationQueueRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/care',
  component: lazyRouteComponent(() => import('./pages/care.tsx'), 'ModerationQueuePage'),
});

const moderationLogRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/care/log',
  component: lazyRouteComponent(() => import('./pages/care-log.tsx'), 'ModerationLogPage'),
});

const moderatedMemberRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/care/member/$id',
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('./pages/care-member.tsx'), 'ModeratedMemberPage'),
});

const registrationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/registrations',
  component: lazyRouteComponent(() => import('./pages/registrations.tsx'), 'RegistrationsPage'),
});

const notFoundRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '$',
  component: NotFoundPage,
});

const loginRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/login',
  component: lazyRouteComponent(() => import('./pages/login.tsx'), 'LoginPage'),
});

const registerRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/register',
  component: lazyRouteComponent(() => import('./pages/register.tsx'), 'RegisterPage'),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => visitorRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/forgot-password.tsx'), 'ForgotPasswordPage'),
});

/** Links in mails: they work for whoever follows them, signed in or not. */
const unsubscribeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unsubscribe/$token',
  component: lazyRouteComponent(() => import('./pages/mail-link.tsx'), 'UnsubscribePage'),
});

const confirmEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm-mail/$token',
  component: lazyRouteComponent(() => import('./pages/mail-link.tsx'), 'ConfirmEmailPage'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./pages/reset-password.tsx'), 'ResetPasswordPage'),
});

const newEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new-address',
  component: lazyRouteComponent(() => import('./pages/address-link.tsx'), 'NewEmailPage'),
});

const revertEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/take-back-address',
  component: lazyRouteComponent(() => import('./pages/address-link.tsx'), 'RevertEmailPage'),
});

/** Where an identity provider sends browsers back to: of visitors, and of members who link an account. */
const signInCallbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/callback',
  component: lazyRouteComponent(() => import('./pages/sign-in-callback.tsx'), 'SignInCallbackPage'),
});

const routeTree = rootRoute.addChildren([
  memberRoute.addChildren([
    homeRoute,
    askRoute,
    questionRoute,
    profileRoute,
    tagsRoute,
    tagRoute,
    followingRoute,
    searchRoute,
    notificationsRoute,
    draftsRoute,
    settingsRoute,
    bookmarksRoute,
    moderationQueueRoute,
    moderationLogRoute,
    moderatedMemberRoute,
    registrationsRoute,
    notFoundRoute,
  ]),
  visitorRoute.addChildren([loginRoute, registerRoute, forgotPasswordRoute]),
  resetPasswordRoute,
  newEmailRoute,
  revertEmailRoute,
  unsubscribeRoute,
  confirmEmailRoute,
  signInCallbackRoute,
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
    // The queries have a cache of their own.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

function currentSession({ queryClient }: RouterContext) {
  // Without an answer the error page shows and comes back by itself (layout/Root.tsx).
  return queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: true, retry: false });
}
