import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '#web/core/lazy.ts';
import type * as StaffPages from './staff-pages.tsx';
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
    const { staffPages } = await import('./staff-pages.tsx');
    return { page: await staffPages[name]() };
  }, 'page');

const staffRoute = <const Path extends string>(path: Path, name: keyof typeof StaffPages.staffPages) =>
  createRoute({ getParentRoute: () => memberRoute, path, component: staffPage(name) });

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

const removedPostsRoute = staffRoute('/removed-posts', 'removedPosts');

const claimProfileRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/claim-profile/$userId',
  remountDeps: ({ params }) => params,
  component: staffPage('claimProfile'),
});

const moderationLogRoute = staffRoute('/moderation/log', 'moderationLog');

const moderatedMemberRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/member/$id',
  validateSearch: parseMemberPageSearch,
  remountDeps: ({ params }) => params,
  component: staffPage('moderatedMember'),
});

const registrationsRoute = staffRoute('/moderation/registrations', 'registrations');

const membersRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/members',
  validateSearch: parseMembersSearch,
  component: staffPage('members'),
});

const applicationsRoute = staffRoute('/moderation/applications', 'applications');
const claimsRoute = staffRoute('/moderation/claims', 'claims');
const announcementsRoute = staffRoute('/moderation/announcements', 'announcements');

const managedTagRoute = createRoute({
  getParentRoute: () => memberRoute,
  path: '/moderation/tags/$tag',
  remountDeps: ({ params }) => params,
  component: staffPage('managedTag'),
});

const siteSettingsRoute = staffRoute('/admin/settings', 'siteSettings');
const invitationsRoute = staffRoute('/admin/invitations', 'invitations');

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

const signInProvidersRoute = staffRoute('/admin/sign-in', 'signInProviders');
const serviceAccountsRoute = staffRoute('/admin/service-accounts', 'serviceAccounts');
const webhooksRoute = staffRoute('/admin/webhooks', 'webhooks');
const widgetRoute = staffRoute('/admin/widget', 'widget');

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
