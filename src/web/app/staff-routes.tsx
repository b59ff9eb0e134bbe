import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import type * as StaffPages from './staff-pages.ts';
import { memberRoute } from './base-routes.tsx';
import {
  parseEmailsSearch,
  parseMemberPageSearch,
  parseMembersSearch,
  parseStatisticsSearch,
} from './page-search.ts';

/** The list of the files is loaded with the first of them, because few members open them. */
const staffPage = (name: keyof typeof StaffPages.staffPages) =>
  lazyRouteComponent(async () => {
    const { staffPages } = await import('./staff-pages.ts');
    return { page: await staffPages[name]() };
  }, 'page');

const moderationQueueRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation',
  validateSearch: ({ cause }: Record<string, unknown>): { cause?: string | undefined } => ({
    cause: typeof cause === 'string' ? cause : undefined,
  }),
  component: staffPage('moderationQueue'),
});

const suggestedEditsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/suggested-edits',
  validateSearch: ({ list }: Record<string, unknown>): { list?: 'own' | undefined } => ({
    list: list === 'own' ? list : undefined,
  }),
  component: staffPage('suggestedEdits'),
});

const removedPostsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/removed-posts',
  component: staffPage('removedPosts'),
});

const claimProfileRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/claim-profile/$userId',
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('#web/identity/ClaimProfilePage.tsx'), 'ClaimProfilePage'),
});

const moderationLogRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/log',
  component: staffPage('moderationLog'),
});

const moderatedMemberRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/member/$id',
  validateSearch: parseMemberPageSearch,
  remountDeps: ({ params }) => params,
  component: staffPage('moderatedMember'),
});

const registrationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/registrations',
  component: staffPage('registrations'),
});

const membersRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/members',
  validateSearch: parseMembersSearch,
  component: staffPage('members'),
});

const applicationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/applications',
  component: staffPage('applications'),
});

const claimsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/claims',
  component: lazyRouteComponent(() => import('#web/moderation/ClaimsPage.tsx'), 'ClaimsPage'),
});

const announcementsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/announcements',
  component: staffPage('announcements'),
});

const managedTagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/tags/$tag',
  remountDeps: ({ params }) => params,
  component: staffPage('managedTag'),
});

const siteSettingsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/settings',
  component: staffPage('siteSettings'),
});

const invitationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/invitations',
  component: staffPage('invitations'),
});

const statisticsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/statistics',
  validateSearch: parseStatisticsSearch,
  component: staffPage('statistics'),
});

const emailsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/emails',
  validateSearch: parseEmailsSearch,
  component: staffPage('emails'),
});

const signInProvidersRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/sign-in',
  component: staffPage('signInProviders'),
});

const serviceAccountsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/service-accounts',
  component: staffPage('serviceAccounts'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/webhooks',
  component: staffPage('webhooks'),
});

const widgetRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/widget',
  component: staffPage('widget'),
});

/** Pages of moderators and admins, and what members see of moderation. */
export const staffRoutes = [
  moderationQueueRoute,
  suggestedEditsRoute,
  removedPostsRoute,
  claimProfileRoute,
  moderationLogRoute,
  moderatedMemberRoute,
  registrationsRoute,
  membersRoute,
  applicationsRoute,
  claimsRoute,
  announcementsRoute,
  managedTagRoute,
  siteSettingsRoute,
  invitationsRoute,
  statisticsRoute,
  emailsRoute,
  signInProvidersRoute,
  webhooksRoute,
  serviceAccountsRoute,
  widgetRoute,
] as const;
