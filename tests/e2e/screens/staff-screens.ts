import type { APIRequestContext } from '@playwright/test';
import { runCommand } from '#tests/support/command.ts';
import { newMember, registerMember } from '#tests/e2e/support/members.ts';
import { button, dialog, field, opensDialog, type Screen } from './screen.ts';

/**
 * Registers a member with a role, which only the command line can give to the first. No later member can have a name
 * that is similar to theirs.
 */
export async function registerStaff(
  request: APIRequestContext,
  dataDirectory: string,
  { role, displayName }: { role: 'moderator' | 'admin'; displayName: string },
): Promise<void> {
  const { email } = await registerMember(request, newMember(displayName));
  await runCommand(dataDirectory, 'member', 'role', email, role);
}

const staff = (name: string, address: string | Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name,
  path: typeof address === 'string' ? () => address : address,
  states: ['full'],
  staff: true,
  ...more,
});

/** The pages of moderators and admins. */
export const staffScreens: readonly Screen[] = [
  staff('moderation', '/moderation'),
  staff('moderation-log', '/moderation/log'),
  staff('moderation-registrations', '/moderation/registrations'),
  staff('moderation-members', '/moderation/members'),
  staff('moderation-applications', '/moderation/applications'),
  staff('moderation-announcements', '/moderation/announcements'),
  staff('moderation-member', ({ memberId }) => `/moderation/member/${memberId}`),
  staff('moderation-member-role', ({ memberId }) => `/moderation/member/${memberId}`, {
    prepare: async (stage) => {
      await stage.page
        .getByRole('main')
        .getByRole('combobox', { name: stage.translate('Role') })
        .selectOption('admin');
      await button(stage, 'Change role').click();
      await dialog(stage).waitFor();
    },
    opens: opensDialog,
  }),
  staff('moderation-member-posts', ({ memberId }) => `/moderation/member/${memberId}?tab=posts`),
  staff('moderation-member-sign-ins', ({ memberId }) => `/moderation/member/${memberId}?tab=sign-ins`),
  staff('moderation-member-notes', ({ memberId }) => `/moderation/member/${memberId}?tab=notes`),
  staff('moderation-tag', '/moderation/tags/programming'),
  staff('suggested-edits', '/suggested-edits'),
  staff('admin-settings', '/admin/settings'),
  staff('admin-statistics', '/admin/statistics'),
  staff('admin-invitations', '/admin/invitations'),
  staff('admin-emails', '/admin/emails'),
  staff('admin-sign-in', '/admin/sign-in'),
  staff('admin-service-accounts', '/admin/service-accounts'),
  staff('admin-service-accounts-adding', '/admin/service-accounts', {
    prepare: (stage) => button(stage, 'Add service account').click(),
  }),
  staff('admin-webhooks', '/admin/webhooks'),
  staff('admin-webhooks-adding', '/admin/webhooks', {
    prepare: (stage) => button(stage, 'Add web hook').click(),
  }),
  staff('admin-webhooks-secret', '/admin/webhooks', {
    prepare: async (stage) => {
      await button(stage, 'Add web hook').click();
      await field(stage, 'Name of the web hook').fill('Editor of the newsletter');
      await field(stage, 'Address of the receiver').fill('https://hooks.example.org/parley');
      await stage.page.getByRole('checkbox').first().check();
      await stage.page
        .locator('form')
        .getByRole('button', { name: stage.translate('Add web hook') })
        .click();
      await dialog(stage).waitFor();
    },
    opens: opensDialog,
  }),
  staff('admin-widget-off', '/admin/widget'),
  staff('admin-widget', '/admin/widget', {
    arrange: ({ page }) => page.request.put('/api/admin/settings/publicReading', { data: { value: true } }),
    prepare: async (stage) => {
      await field(stage, 'Topic').fill('programming');
      await stage.page.locator('.parley-widget').getByRole('listitem').first().waitFor();
    },
  }),
  staff('admin-widget-preview', '/admin/widget', {
    arrange: ({ page }) => page.request.put('/api/admin/settings/publicReading', { data: { value: true } }),
    prepare: async ({ page, translate }) => {
      await page.getByRole('main').getByRole('combobox').first().selectOption('related');
      await page
        .getByRole('textbox', { name: translate('Title of a page, for the preview') })
        .fill('Exhaustive switch in TypeScript');
      await page.getByRole('main').getByRole('combobox').nth(2).selectOption('dark');
      const item = page.locator('.parley-widget[data-theme=dark]').getByRole('listitem');
      await item.first().waitFor();
      await item.first().evaluate((element) => element.scrollIntoView({ block: 'center' }));
    },
  }),
];
