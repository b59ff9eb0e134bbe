import type { ComponentType } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import { canModerate, type Role } from '#shared/identity/roles.ts';
import { useMember } from '#web/core/session.ts';
import { preloadMarkdown } from '#web/ui/markdown/Markdown.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';

/** Loads what a page with posts needs to show them, so that their Markdown does not show at first. */
async function withMarkdown<Page>(load: () => Promise<Page>): Promise<Page> {
  const [page] = await Promise.all([load(), preloadMarkdown()]);
  return page;
}

type StaffPage = ComponentType<{ member: Me }>;

/** Other members get the not-found page. The server decides what they may read. */
const forRoles = (isAllowed: (role: Role) => boolean) => (load: () => Promise<StaffPage>) => async () => {
  const Page = await load();
  return function GuardedPage() {
    const member = useMember();
    if (member === null) return null;
    return isAllowed(member.role) ? <Page member={member} /> : <NotFoundPage />;
  };
};

const forModerators = forRoles(canModerate);
const forAdmins = forRoles((role) => role === 'admin');

/** The pages of moderators and admins (app/routes.ts), each in a file of its own. */
export const staffPages = {
  moderationQueue: forModerators(() =>
    withMarkdown(async () => (await import('#web/moderation/ModerationQueuePage.tsx')).ModerationQueuePage),
  ),
  suggestedEdits: async () => (await import('#web/moderation/SuggestedEditsPage.tsx')).SuggestedEditsPage,
  removedPosts: () =>
    withMarkdown(async () => (await import('#web/moderation/RemovedPostsPage.tsx')).RemovedPostsPage),
  claimProfile: async () => (await import('#web/identity/ClaimProfilePage.tsx')).ClaimProfilePage,
  moderationLog: async () => (await import('#web/moderation/ModerationLogPage.tsx')).ModerationLogPage,
  moderatedMember: forModerators(() =>
    withMarkdown(async () => (await import('#web/moderation/ModeratedMemberPage.tsx')).ModeratedMemberPage),
  ),
  registrations: forModerators(
    async () => (await import('#web/moderation/RegistrationsPage.tsx')).RegistrationsPage,
  ),
  members: forModerators(async () => (await import('#web/moderation/MembersPage.tsx')).MembersPage),
  applications: forModerators(
    async () => (await import('#web/moderation/ApplicationsPage.tsx')).ApplicationsPage,
  ),
  claims: forModerators(async () => (await import('#web/moderation/ClaimsPage.tsx')).ClaimsPage),
  announcements: forModerators(
    async () => (await import('#web/moderation/AnnouncementsPage.tsx')).AnnouncementsPage,
  ),
  managedTag: forModerators(async () => (await import('#web/moderation/ManagedTagPage.tsx')).ManagedTagPage),
  siteSettings: forAdmins(async () => (await import('#web/admin/SiteSettingsPage.tsx')).SiteSettingsPage),
  invitations: forModerators(async () => (await import('#web/admin/InvitationsPage.tsx')).InvitationsPage),
  statistics: forModerators(async () => (await import('#web/admin/StatisticsPage.tsx')).StatisticsPage),
  emails: forAdmins(async () => (await import('#web/admin/EmailsPage.tsx')).EmailsPage),
  signInProviders: forAdmins(
    async () => (await import('#web/admin/SignInProvidersPage.tsx')).SignInProvidersPage,
  ),
  serviceAccounts: forAdmins(
    async () => (await import('#web/admin/ServiceAccountsPage.tsx')).ServiceAccountsPage,
  ),
  widget: forAdmins(async () => (await import('#web/admin/WidgetPage.tsx')).WidgetPage),
  webhooks: forAdmins(async () => (await import('#web/admin/WebhooksPage.tsx')).WebhooksPage),
};

export type StaffPageName = keyof typeof staffPages;
