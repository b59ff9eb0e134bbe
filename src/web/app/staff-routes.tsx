import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import { memberRoute } from './base-routes.tsx';
import {
  parseEmailsSearch,
  parseMemberPageSearch,
  parseMembersSearch,
  parseStatisticsSearch,
} from './page-search.ts';

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

const managedTagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/tags/$tag',
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('#web/moderation/ManagedTagPage.tsx'), 'ManagedTagPage'),
});

const siteSettingsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/settings',
  component: lazyRouteComponent(() => import('#web/admin/SiteSettingsPage.tsx'), 'SiteSettingsPage'),
});

const invitationsRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/invitations',
  component: lazyRouteComponent(() => import('#web/admin/InvitationsPage.tsx'), 'InvitationsPage'),
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

const webhooksRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/admin/webhooks',
  component: lazyRouteComponent(() => import('#web/admin/WebhooksPage.tsx'), 'WebhooksPage'),
});

/** Pages of moderators and admins, and what members see of moderation. */
export const staffRoutes = [
  moderationQueueRoute,
  suggestedEditsRoute,
  removedPostsRoute,
  moderationLogRoute,
  moderatedMemberRoute,
  registrationsRoute,
  membersRoute,
  applicationsRoute,
  announcementsRoute,
  managedTagRoute,
  siteSettingsRoute,
  invitationsRoute,
  statisticsRoute,
  emailsRoute,
  signInProvidersRoute,
  webhooksRoute,
] as const;
