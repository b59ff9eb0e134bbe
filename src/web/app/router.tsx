import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import type { AnswerSort } from '#shared/posts/answers.ts';
import { getSavedAnswerSort } from '#web/posts/answer-sort.ts';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import type { TagSort } from '#shared/discovery/tags.ts';
import {
  parseBookmarksSearch,
  parseFollowingSearch,
  parseHomeSearch,
  parseQuestionSearch,
  parseResultsSearch,
  parseMemberPageSearch,
  parseMembersSearch,
  parseEmailsSearch,
  parseStatisticsSearch,
  parseTagsSearch,
} from './page-search.ts';
import { MemberLayout } from './MemberLayout.tsx';
import { RootLayout } from './RootLayout.tsx';
import { ErrorPage } from './ErrorPage.tsx';
import { HomePage } from '#web/discovery/feeds/HomePage.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { api, readJson } from '#web/core/api.ts';
import { announcementsQuery } from '#web/discovery/announcements/announcements.ts';
import { feedQuery } from '#web/discovery/feeds/feeds.ts';
import { loadRouteData } from '#web/core/inlined-responses.ts';
import { isPageRendered } from '#web/core/hydration.ts';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import {
  isPublicPath,
  parseAfter,
  parseInternalPath,
  parseQuestionId,
  parseSearch,
  stringifySearch,
} from '#web/core/paths.ts';
import { sessionQuery } from '#web/core/session.ts';
import { questionQuery } from '#web/posts/questions/question-cache.ts';

/** The context that every route gets. */
export type RouterContext = { queryClient: QueryClient };

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: RootLayout,
  errorComponent: ErrorPage,
});

/** Pages for signed-in members. A visitor reads some of them (1.8), or signs in first and then returns (docs/product.md 1.2). */
const memberRoute = createRoute({
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
const visitorRoute = createRoute({
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

/** For someone whose account waits for a moderator, or was refused. The page leads others away. */
const applicationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/application',
  component: lazyRouteComponent(() => import('#web/identity/ApplicationPage.tsx'), 'ApplicationPage'),
});

const homeRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/',
  validateSearch: parseHomeSearch,
  loaderDeps: ({ search }): { feed: Feed; muted: MutedChoice; after: string | null } => ({
    feed: search.tab ?? 'recent',
    muted: search.muted ?? 'hide',
    after: search.after ?? null,
  }),
  loader: ({ context: { queryClient }, deps: { feed, muted, after }, cause }) =>
    loadRouteData(cause, async () => {
      await Promise.all([
        queryClient.prefetchInfiniteQuery({ ...feedQuery(feed, muted, after), retry: false }),
        queryClient.prefetchQuery({ ...announcementsQuery(null), retry: false }),
      ]);
    }),
  // Not split off: the page consists mostly of lists that almost every page needs.
  component: HomePage,
});

const askRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/ask',
  component: lazyRouteComponent(() => import('#web/posts/ask/AskPage.tsx'), 'AskPage'),
});

const questionRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/question/$id/{-$slug}',
  validateSearch: parseQuestionSearch,
  loaderDeps: ({ search }): { sort: AnswerSort; after: string | null } => ({
    sort: search.sort ?? getSavedAnswerSort(),
    after: search.after ?? null,
  }),
  // Another question remounts the page: it gets its own state, focus and heading. Its slug changes with its title.
  remountDeps: ({ params }) => params.id,
  loader: ({ context: { queryClient }, params, deps: { sort, after }, cause }) => {
    const id = parseQuestionId(params.id);
    if (id === null) return;
    return loadRouteData(cause, () =>
      queryClient.prefetchQuery({ ...questionQuery(id, sort, after), retry: false }),
    );
  },
  component: lazyRouteComponent(async () => {
    const [{ QuestionPage }] = await Promise.all([
      import('./question-page/QuestionPage.tsx'),
      isPageRendered() ||
        Promise.all([
          import('#web/ui/markdown/Markdown.tsx').then((text) => text.preloadMarkdown()),
          import('#web/posts/post-forms-on-demand.tsx').then((posts) => posts.loadPostForms()),
        ]),
    ]);
    return { QuestionPage };
  }, 'QuestionPage'),
});

const profileRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/profile/{-$userId}',
  validateSearch: ({
    tab,
    after,
  }: Record<string, unknown>): { tab?: 'answers' | undefined; after?: string | undefined } => ({
    tab: tab === 'answers' ? tab : undefined,
    after: parseAfter(after),
  }),
  loaderDeps: ({ search }) => ({ tab: search.tab, after: search.after ?? null }),
  remountDeps: ({ params }) => params,
  loader: ({ context: { queryClient }, params: { userId = '' }, deps: { tab, after }, cause }) =>
    loadRouteData(cause, async () => {
      const { parseMemberId, prefetchProfile } = await import('#web/identity/profiles.ts');
      const id = parseMemberId(userId);
      if (id !== null) await prefetchProfile(queryClient, id, { tab, after });
    }),
  component: lazyRouteComponent(() => import('#web/identity/ProfilePage.tsx'), 'ProfilePage'),
});

const tagsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/topics',
  validateSearch: parseTagsSearch,
  loaderDeps: ({ search }): { q: string; sort: TagSort; after: string | null } => ({
    q: search.q ?? '',
    sort: search.sort ?? 'popular',
    after: search.after ?? null,
  }),
  loader: ({ context: { queryClient }, deps, cause }) =>
    loadRouteData(cause, async () => {
      const { tagsQuery } = await import('#web/discovery/tags/tags.ts');
      await queryClient.prefetchInfiniteQuery({ ...tagsQuery(deps), retry: false });
    }),
  component: lazyRouteComponent(() => import('#web/discovery/tags/TagsPage.tsx'), 'TagsPage'),
});

const tagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/topics/$tag',
  validateSearch: ({ after }: Record<string, unknown>): { after?: string | undefined } => ({
    after: parseAfter(after),
  }),
  loaderDeps: ({ search }): { after: string | null } => ({ after: search.after ?? null }),
  remountDeps: ({ params }) => params,
  loader: ({ context: { queryClient }, params: { tag }, deps: { after }, cause }) =>
    loadRouteData(cause, async () => {
      const { tagQuery, tagQuestionsQuery } = await import('#web/discovery/tags/tags.ts');
      await Promise.all([
        queryClient.prefetchQuery({ ...tagQuery(tag), retry: false }),
        queryClient.prefetchInfiniteQuery({ ...tagQuestionsQuery(tag, after), retry: false }),
        queryClient.prefetchQuery({ ...announcementsQuery(tag), retry: false }),
      ]);
    }),
  component: lazyRouteComponent(() => import('#web/discovery/tags/TagPage.tsx'), 'TagPage'),
});

const followingRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/following',
  validateSearch: parseFollowingSearch,
  component: lazyRouteComponent(() => import('#web/discovery/following/FollowingPage.tsx'), 'FollowingPage'),
});

const searchRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/search',
  validateSearch: parseResultsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps: { after = null, ...wanted }, cause }) =>
    loadRouteData(cause, async () => {
      const { canSearch, searchQuery, toSearch } = await import('#web/discovery/search/search.ts');
      const search = toSearch(wanted);
      if (canSearch(search.q)) await queryClient.prefetchInfiniteQuery(searchQuery(search, after));
    }),
  component: lazyRouteComponent(() => import('#web/discovery/search/SearchPage.tsx'), 'SearchPage'),
});

const notificationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/notifications',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'unread' | undefined } => ({
    tab: tab === 'unread' ? tab : undefined,
  }),
  component: lazyRouteComponent(
    () => import('#web/notifications/NotificationsPage.tsx'),
    'NotificationsPage',
  ),
});

const draftsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/drafts',
  component: lazyRouteComponent(() => import('#web/posts/drafts/DraftsPage.tsx'), 'DraftsPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/settings',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'account' | undefined } => ({
    tab: tab === 'account' ? tab : undefined,
  }),
  // Older emails link to this address.
  beforeLoad: ({ location, search }) => {
    if (location.hash === 'security' && search.tab === undefined)
      throw redirect({ to: '/settings', search: { tab: 'account' }, hash: 'security', replace: true });
  },
  component: lazyRouteComponent(() => import('#web/identity/SettingsPage.tsx'), 'SettingsPage'),
});

const bookmarksRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/bookmarks',
  validateSearch: parseBookmarksSearch,
  component: lazyRouteComponent(() => import('#web/engagement/BookmarksPage.tsx'), 'BookmarksPage'),
});

const moderationQueueRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation',
  validateSearch: ({ cause }: Record<string, unknown>): { cause?: string | undefined } => ({
    cause: typeof cause === 'string' ? cause : undefined,
  }),
  component: lazyRouteComponent(
    () => import('#web/moderation/ModerationQueuePage.tsx'),
    'ModerationQueuePage',
  ),
});

const suggestedEditsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/suggested-edits',
  validateSearch: ({ list }: Record<string, unknown>): { list?: 'own' | undefined } => ({
    list: list === 'own' ? list : undefined,
  }),
  component: lazyRouteComponent(() => import('#web/moderation/SuggestedEditsPage.tsx'), 'SuggestedEditsPage'),
});

const removedPostsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/removed-posts',
  component: lazyRouteComponent(() => import('#web/moderation/RemovedPostsPage.tsx'), 'RemovedPostsPage'),
});

const moderationLogRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/log',
  component: lazyRouteComponent(() => import('#web/moderation/ModerationLogPage.tsx'), 'ModerationLogPage'),
});

const moderatedMemberRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/member/$id',
  validateSearch: parseMemberPageSearch,
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(
    () => import('#web/moderation/ModeratedMemberPage.tsx'),
    'ModeratedMemberPage',
  ),
});

const registrationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/registrations',
  component: lazyRouteComponent(() => import('#web/moderation/RegistrationsPage.tsx'), 'RegistrationsPage'),
});

const siteSettingsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/settings',
  component: lazyRouteComponent(() => import('#web/admin/SiteSettingsPage.tsx'), 'SiteSettingsPage'),
});

const membersRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/members',
  validateSearch: parseMembersSearch,
  component: lazyRouteComponent(() => import('#web/moderation/MembersPage.tsx'), 'MembersPage'),
});

const applicationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/applications',
  component: lazyRouteComponent(() => import('#web/moderation/ApplicationsPage.tsx'), 'ApplicationsPage'),
});

const announcementsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/announcements',
  component: lazyRouteComponent(() => import('#web/moderation/AnnouncementsPage.tsx'), 'AnnouncementsPage'),
});

const invitationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/invitations',
  component: lazyRouteComponent(() => import('#web/admin/InvitationsPage.tsx'), 'InvitationsPage'),
});

const managedTagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/tags/$tag',
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('#web/moderation/ManagedTagPage.tsx'), 'ManagedTagPage'),
});

const statisticsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/statistics',
  validateSearch: parseStatisticsSearch,
  component: lazyRouteComponent(() => import('#web/admin/StatisticsPage.tsx'), 'StatisticsPage'),
});

const emailsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/emails',
  validateSearch: parseEmailsSearch,
  component: lazyRouteComponent(() => import('#web/admin/EmailsPage.tsx'), 'EmailsPage'),
});

const signInProvidersRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/sign-in',
  component: lazyRouteComponent(() => import('#web/admin/SignInProvidersPage.tsx'), 'SignInProvidersPage'),
});

const notFoundRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '$',
  // The address of an imported post on its old site, after a sign-in. The server redirects signed-in members itself.
  beforeLoad: async ({ location }) => {
    if (!/^\/(?:questions|q|a)\/\d/u.test(location.pathname)) return;
    const { path } = await readJson(api['imported-posts'].$get({ query: { address: location.href } }));
    if (path !== null) throw redirect({ href: path, replace: true });
  },
  component: NotFoundPage,
});

/** Everyone may read these pages. Their code decides the layout. */
const sitePageLayoutRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'site-page',
  component: lazyRouteComponent(() => import('./SitePage.tsx'), 'SitePageLayout'),
  beforeLoad: async ({ context }) => {
    await currentSession(context);
  },
  loader: ({ context: { queryClient }, location: { pathname }, cause }) =>
    loadRouteData(cause, async () =>
      (await import('./site-pages.ts')).prefetchSitePage(queryClient, pathname),
    ),
});

const sitePageRoutes = sitePageNames.map((path) =>
  createRoute({
    getParentRoute: () => sitePageLayoutRoute,
    path,
    component: lazyRouteComponent(() => import('./SitePage.tsx'), 'SitePage'),
  }),
);

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
    suggestedEditsRoute,
    removedPostsRoute,
    moderationLogRoute,
    statisticsRoute,
    moderatedMemberRoute,
    registrationsRoute,
    siteSettingsRoute,
    invitationsRoute,
    emailsRoute,
    signInProvidersRoute,
    managedTagRoute,
    announcementsRoute,
    applicationsRoute,
    membersRoute,
    notFoundRoute,
  ]),
  sitePageLayoutRoute.addChildren(sitePageRoutes),
  visitorRoute.addChildren([loginRoute, registerRoute, forgotPasswordRoute]),
  applicationRoute,
  setupRoute,
  resetPasswordRoute,
  newEmailRoute,
  revertEmailRoute,
  unsubscribeRoute,
  confirmEmailRoute,
  signInCallbackRoute,
]);

/** @param history on the server: the page to render. */
export function createAppRouter(queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    ...(history !== undefined && { history }),
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    // On the server it would add an inline script, which the content security policy forbids.
    scrollRestoration: history === undefined,
    defaultPreload: 'intent',
    // TanStack Query has its own cache.
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
  // Without a response the error page is shown. It recovers after an outage (app/RootLayout.tsx).
  return queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: true, retry: false });
}
