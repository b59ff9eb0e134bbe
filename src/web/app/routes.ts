import type { StaffPageName } from './staff-pages.tsx';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import { announcementsQuery } from '#web/discovery/announcements/announcements.ts';
import { feedQuery } from '#web/discovery/feeds/feeds.ts';
import { api, readJson } from '#web/core/api.ts';
import { isPageRendered } from '#web/core/hydration.ts';
import { loadRouteData } from '#web/core/inlined-responses.ts';
import {
  parseHomeSearch,
  parseProfileSearch,
  parseResultsSearch,
  parseTagsSearch,
} from '#web/core/page-search.ts';
import { parseAfter, parseQuestionId, paths } from '#web/core/paths.ts';
import type { Route } from '#web/core/router.ts';
import { sessionQuery } from '#web/core/session.ts';
import { getSavedAnswerSort, parseQuestionSearch } from '#web/posts/answer-sort.ts';
import { loadPostForms } from '#web/posts/post-forms-on-demand.tsx';
import { questionQuery } from '#web/posts/questions/question-cache.ts';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { preloadMarkdown } from '#web/ui/markdown/Markdown.tsx';
import { memberLayout, sitePageLayout, visitorLayout } from './layouts.ts';
import { QuestionPage } from './question-page/QuestionPage.tsx';

const homeRoute: Route = {
  path: '/',
  layout: memberLayout,
  data: ({ client, search, isPreload }) =>
    loadRouteData(isPreload, async () => {
      const { tab = 'recent', muted = 'hide', after = null } = parseHomeSearch(search);
      await Promise.all([
        client.prefetchInfiniteQuery({ ...feedQuery(tab, muted, after), retry: false }),
        client.prefetchQuery({ ...announcementsQuery(null), retry: false }),
      ]);
    }),
  load: async () => (await import('#web/discovery/feeds/HomePage.tsx')).HomePage,
};

const questionRoute: Route = {
  path: '/question/:id/:slug?',
  layout: memberLayout,
  // Another question gets its own state, focus and heading. Its slug changes with its title.
  key: ({ id = '' }) => id,
  data: ({ client, params, search, isPreload }) => {
    const id = parseQuestionId(params['id'] ?? '');
    if (id === null) return;
    const { sort = getSavedAnswerSort(), after = null } = parseQuestionSearch(search);
    return loadRouteData(isPreload, () =>
      client.prefetchQuery({ ...questionQuery(id, sort, after), retry: false }),
    );
  },
  load: async () => {
    // Members open most pages by a link to a question, so its page is part of the first file. A page that the server has
    // rendered loads the rest later.
    if (!isPageRendered()) await Promise.all([preloadMarkdown(), loadPostForms()]);
    return QuestionPage;
  },
};

const profileRoute: Route = {
  path: '/profile/:userId?',
  layout: memberLayout,
  key: ({ userId = '' }) => userId,
  data: ({ client, params, search, isPreload }) =>
    loadRouteData(isPreload, async () => {
      const { parseMemberId, prefetchProfile } = await import('#web/identity/profiles.ts');
      const id = parseMemberId(params['userId'] ?? '');
      const { tab, after = null } = parseProfileSearch(search);
      if (id !== null) await prefetchProfile(client, id, { tab, after });
    }),
  load: async () => (await import('#web/identity/ProfilePage.tsx')).ProfilePage,
};

const tagsRoute: Route = {
  path: '/topics',
  layout: memberLayout,
  data: ({ client, search, isPreload }) =>
    loadRouteData(isPreload, async () => {
      const { q = '', sort = 'popular', after = null } = parseTagsSearch(search);
      const { tagsQuery } = await import('#web/discovery/tags/tags.ts');
      await client.prefetchInfiniteQuery({ ...tagsQuery({ q, sort, after }), retry: false });
    }),
  load: async () => (await import('#web/discovery/tags/TagsPage.tsx')).TagsPage,
};

const tagRoute: Route = {
  path: '/topics/:tag',
  layout: memberLayout,
  key: ({ tag = '' }) => tag,
  data: ({ client, params: { tag = '' }, search, isPreload }) =>
    loadRouteData(isPreload, async () => {
      const { tagQuery, tagQuestionsQuery } = await import('#web/discovery/tags/tags.ts');
      await Promise.all([
        client.prefetchQuery({ ...tagQuery(tag), retry: false }),
        client.prefetchInfiniteQuery({
          ...tagQuestionsQuery(tag, parseAfter(search['after']) ?? null),
          retry: false,
        }),
        client.prefetchQuery({ ...announcementsQuery(tag), retry: false }),
      ]);
    }),
  load: async () => (await import('#web/discovery/tags/TagPage.tsx')).TagPage,
};

const searchRoute: Route = {
  path: '/search',
  layout: memberLayout,
  data: ({ client, search: parameters, isPreload }) =>
    loadRouteData(isPreload, async () => {
      const { canSearch, searchQuery, toSearch } = await import('#web/discovery/search/search.ts');
      const { after = null, ...wanted } = parseResultsSearch(parameters);
      const search = toSearch(wanted);
      if (canSearch(search.q)) await client.prefetchInfiniteQuery(searchQuery(search, after));
    }),
  load: async () => (await import('#web/discovery/search/SearchPage.tsx')).SearchPage,
};

const settingsRoute: Route = {
  path: '/settings',
  layout: memberLayout,
  // Older emails link to this address.
  guard: ({ location, search }) =>
    Promise.resolve(
      location.hash === 'security' && search['tab'] === undefined
        ? `${paths.accountSettings}#security`
        : undefined,
    ),
  load: async () => (await import('#web/identity/SettingsPage.tsx')).SettingsPage,
};

const notFoundRoute: Route = {
  path: '*',
  layout: memberLayout,
  // The address of an imported post on its old site, after a sign-in. The server redirects signed-in members itself.
  guard: async ({ location }) => {
    const request = api['imported-posts'].$get(
      { query: { address: location.href } },
      { init: { signal: AbortSignal.timeout(5000) } },
    );
    // Without a response, the page is not found.
    const { path } = await readJson(request).catch(() => ({ path: null }));
    return path ?? undefined;
  },
  load: () => Promise.resolve(NotFoundPage),
};

/** A page for members without data of its own. */
const memberRoute = (path: string, load: Route['load']): Route => ({ path, layout: memberLayout, load });

const memberRoutes: readonly Route[] = [
  memberRoute('/ask', async () => (await import('#web/posts/ask/AskPage.tsx')).AskPage),
  memberRoute(
    '/following',
    async () => (await import('#web/discovery/following/FollowingPage.tsx')).FollowingPage,
  ),
  memberRoute(
    '/notifications',
    async () => (await import('#web/notifications/NotificationsPage.tsx')).NotificationsPage,
  ),
  memberRoute('/drafts', async () => (await import('#web/posts/drafts/DraftsPage.tsx')).DraftsPage),
  memberRoute('/bookmarks', async () => (await import('#web/engagement/BookmarksPage.tsx')).BookmarksPage),
];

/** The list of the files is loaded with the first of them, because few members open them. */
const staffRoute = (path: string, name: StaffPageName) =>
  memberRoute(path, async () => (await import('./staff-pages.tsx')).staffPages[name]());

/** Pages of moderators and admins, and what members see of moderation. */
const staffRoutes: readonly Route[] = [
  staffRoute('/moderation', 'moderationQueue'),
  staffRoute('/suggested-edits', 'suggestedEdits'),
  staffRoute('/removed-posts', 'removedPosts'),
  { ...staffRoute('/claim-profile/:userId', 'claimProfile'), key: ({ userId = '' }) => userId },
  staffRoute('/moderation/log', 'moderationLog'),
  { ...staffRoute('/moderation/member/:id', 'moderatedMember'), key: ({ id = '' }) => id },
  staffRoute('/moderation/registrations', 'registrations'),
  staffRoute('/moderation/members', 'members'),
  staffRoute('/moderation/applications', 'applications'),
  staffRoute('/moderation/claims', 'claims'),
  staffRoute('/moderation/announcements', 'announcements'),
  { ...staffRoute('/moderation/tags/:tag', 'managedTag'), key: ({ tag = '' }) => tag },
  staffRoute('/admin/settings', 'siteSettings'),
  staffRoute('/admin/invitations', 'invitations'),
  staffRoute('/admin/statistics', 'statistics'),
  staffRoute('/admin/emails', 'emails'),
  staffRoute('/admin/sign-in', 'signInProviders'),
  staffRoute('/admin/webhooks', 'webhooks'),
  staffRoute('/admin/service-accounts', 'serviceAccounts'),
  staffRoute('/admin/widget', 'widget'),
];

/** Pages for visitors: to sign in and to register. */
const visitorRoutes: readonly Route[] = [
  {
    path: '/login',
    layout: visitorLayout,
    load: async () => (await import('#web/identity/LoginPage.tsx')).LoginPage,
  },
  {
    path: '/register',
    layout: visitorLayout,
    load: async () => (await import('#web/identity/RegisterPage.tsx')).RegisterPage,
  },
  {
    path: paths.forgotPassword,
    layout: visitorLayout,
    load: async () => (await import('#web/identity/ForgotPasswordPage.tsx')).ForgotPasswordPage,
  },
];

const loadEmailLinkPages = () => import('#web/identity/EmailLinkPages.tsx');

/** Pages for everyone: of new accounts, and links in emails, which work with and without a session. */
const accountPages: readonly Omit<Route, 'guard'>[] = [
  // For someone whose account waits for a moderator, or was refused. The page leads others away.
  {
    path: '/application',
    load: async () => (await import('#web/identity/ApplicationPage.tsx')).ApplicationPage,
  },
  { path: '/unsubscribe/:token', load: async () => (await loadEmailLinkPages()).UnsubscribePage },
  { path: '/confirm-email/:token', load: async () => (await loadEmailLinkPages()).ConfirmEmailPage },
  { path: '/change-email', load: async () => (await loadEmailLinkPages()).NewEmailPage },
  { path: '/revert-email', load: async () => (await loadEmailLinkPages()).RevertEmailPage },
  {
    path: '/setup',
    data: ({ client, isPreload }) =>
      loadRouteData(isPreload, async () =>
        (await import('#web/identity/sign-in.ts')).prefetchSignInPage(client, '/setup'),
      ),
    load: async () => (await import('#web/admin/SetupPage.tsx')).SetupPage,
  },
  {
    path: '/reset-password',
    load: async () => (await import('#web/identity/ResetPasswordPage.tsx')).ResetPasswordPage,
  },
  // Where identity providers redirect to, for visitors who sign in and members who link an account.
  {
    path: '/sign-in/callback/:provider?',
    load: async () => (await import('#web/identity/SignInCallbackPage.tsx')).SignInCallbackPage,
  },
];

const accountRoutes = accountPages.map((route): Route => ({
  ...route,
  // The name and the links of the site are in the session. Without it, the page works, too.
  guard: async ({ client }) => {
    await client.prefetchQuery({ ...sessionQuery, retry: false });
    return undefined;
  },
}));

const sitePageRoutes = sitePageNames.map((name): Route => ({
  path: `/${name}`,
  layout: sitePageLayout,
  load: async () => (await import('./SitePage.tsx')).SitePage,
}));

/** All pages. The first route whose path matches is used. */
export const routes: readonly Route[] = [
  homeRoute,
  questionRoute,
  profileRoute,
  tagsRoute,
  tagRoute,
  searchRoute,
  settingsRoute,
  ...memberRoutes,
  ...staffRoutes,
  ...visitorRoutes,
  ...accountRoutes,
  ...sitePageRoutes,
  notFoundRoute,
];
