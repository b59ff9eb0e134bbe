import { preloadMarkdown } from '#web/ui/markdown/Markdown.tsx';

/** Loads what a page with posts needs to show them, so that their Markdown does not show at first. */
async function withMarkdown<Page>(load: () => Promise<Page>): Promise<Page> {
  const [page] = await Promise.all([load(), preloadMarkdown()]);
  return page;
}

/** The pages of app/staff-routes.tsx, each in a file of its own. */
export const staffPages = {
  moderationQueue: () =>
    withMarkdown(async () => (await import('#web/moderation/ModerationQueuePage.tsx')).ModerationQueuePage),
  suggestedEdits: async () => (await import('#web/moderation/SuggestedEditsPage.tsx')).SuggestedEditsPage,
  removedPosts: () =>
    withMarkdown(async () => (await import('#web/moderation/RemovedPostsPage.tsx')).RemovedPostsPage),
  moderationLog: async () => (await import('#web/moderation/ModerationLogPage.tsx')).ModerationLogPage,
  moderatedMember: () =>
    withMarkdown(async () => (await import('#web/moderation/ModeratedMemberPage.tsx')).ModeratedMemberPage),
  registrations: async () => (await import('#web/moderation/RegistrationsPage.tsx')).RegistrationsPage,
  members: async () => (await import('#web/moderation/MembersPage.tsx')).MembersPage,
  applications: async () => (await import('#web/moderation/ApplicationsPage.tsx')).ApplicationsPage,
  announcements: async () => (await import('#web/moderation/AnnouncementsPage.tsx')).AnnouncementsPage,
  managedTag: async () => (await import('#web/moderation/ManagedTagPage.tsx')).ManagedTagPage,
  siteSettings: async () => (await import('#web/admin/SiteSettingsPage.tsx')).SiteSettingsPage,
  invitations: async () => (await import('#web/admin/InvitationsPage.tsx')).InvitationsPage,
  statistics: async () => (await import('#web/admin/StatisticsPage.tsx')).StatisticsPage,
  emails: async () => (await import('#web/admin/EmailsPage.tsx')).EmailsPage,
  signInProviders: async () => (await import('#web/admin/SignInProvidersPage.tsx')).SignInProvidersPage,
  serviceAccounts: async () => (await import('#web/admin/ServiceAccountsPage.tsx')).ServiceAccountsPage,
  widget: async () => (await import('#web/admin/WidgetPage.tsx')).WidgetPage,
  webhooks: async () => (await import('#web/admin/WebhooksPage.tsx')).WebhooksPage,
};
