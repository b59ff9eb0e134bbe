import { createRoute, createRouter, redirect, type RouterHistory } from '@tanstack/react-router';
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
  parseTagsSearch,
} from './page-search.ts';
import { accountRoutes, visitorRoutes } from './account-routes.tsx';
import { currentSession, memberRoute, rootRoute, visitorRoute } from './base-routes.tsx';
import { staffRoutes } from './staff-routes.tsx';
import { ErrorPage } from './ErrorPage.tsx';
import { QuestionPage } from './question-page/QuestionPage.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { api, readJson } from '#web/core/api.ts';
import { announcementsQuery } from '#web/discovery/announcements/announcements.ts';
import { feedQuery } from '#web/discovery/feeds/feeds.ts';
import { loadRouteData } from '#web/core/inlined-responses.ts';
import { isPageRendered } from '#web/core/hydration.ts';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import { parseAfter, parseQuestionId, parseSearch, stringifySearch } from '#web/core/paths.ts';
import { loadPostForms } from '#web/posts/post-forms-on-demand.tsx';
import { questionQuery } from '#web/posts/questions/question-cache.ts';
import { preloadMarkdown } from '#web/ui/markdown/Markdown.tsx';

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
  component: lazyRouteComponent(() => import('#web/discovery/feeds/HomePage.tsx'), 'HomePage'),
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
    // Members open most pages by a link to a question, so its page is part of the first file. A page that the server has
    // rendered loads the rest later.
    if (!isPageRendered()) await Promise.all([preloadMarkdown(), loadPostForms()]);
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

const notFoundRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '$',
  // The address of an imported post on its old site, after a sign-in. The server redirects signed-in members itself.
  beforeLoad: async ({ location }) => {
    const { path } = await readJson(api['imported-posts'].$get({ query: { address: location.href } })).catch(
      // Offline, the page is not found.
      () => ({ path: null }),
    );
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
    ...staffRoutes,
    notFoundRoute,
  ]),
  sitePageLayoutRoute.addChildren(sitePageRoutes),
  visitorRoute.addChildren(visitorRoutes),
  ...accountRoutes,
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
