import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { uniqueWord } from './support/posts.ts';

test('a moderator finds members by name, selects them all and removes their activity', async ({
  page,
  browser,
}) => {
  const name = uniqueWord('Vendor');
  const spammers = await browser.newContext();
  for (const letter of ['a', 'b', 'c']) {
    await registerMember(spammers.request, newMember(`${name} ${letter}`));
    await askQuestion(spammers.request, { title: `Buy from ${name} ${letter}?`, tags: ['offers'] });
  }
  await spammers.close();
  const { email } = await registerMember(page.request, newMember(uniqueWord('Mona')));
  await makeModerator(email);
  await page.goto('/moderation/members');
  await waitForHydration(page);
  await page.getByRole('searchbox', { name: 'Search members' }).fill(name.toLowerCase());
  const list = page.getByRole('list', { name: 'Members' });
  await expect(list.getByRole('listitem')).toHaveCount(3);
  // The list that loads is not selected by the box of the one before it.
  const { promise: mayLoad, resolve: load } = Promise.withResolvers<void>();
  await page.route('**/api/moderation/members?*profile_links*', async (route) => {
    await mayLoad;
    await route.continue();
  });
  const show = page.getByLabel('Show', { exact: true });
  await show.selectOption('New, with links in the profile');
  await expect(page).toHaveURL(/show=profile_links/u);
  await expect(page.getByLabel('Select all shown')).toBeDisabled();
  load();
  await expect(page.getByText('No members found')).toBeVisible();
  await expect(show).toHaveValue('profile_links');
  await show.selectOption({ index: 0 });
  await expect(list.getByRole('listitem')).toHaveCount(3);

  await page.getByLabel('Select all shown').check();
  const selection = page.getByRole('region', { name: 'Selected members' });
  await expect(selection).toContainText('3 selected');
  await list.getByLabel(`Select ${name} c`).uncheck();
  await expect(selection).toContainText('2 selected');
  await page.getByLabel('Select all shown').check();
  await expectAccessible(page, { look: 'members' });
  await selection.getByRole('button', { name: 'Remove all activity' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('list', { name: 'Preview' })).toContainText('3 accounts: 3 questions');
  await dialog.getByLabel('Reason (public)').fill('Advertisements.');
  const remove = dialog.getByRole('button', { name: 'Remove all activity' });
  await expectInView(remove);
  await remove.click();
  await expect(list.getByText('Activity removed')).toHaveCount(3);
  await expect(page).toHaveURL(new RegExp(`q=${name}`, 'iu'));
  await page.getByLabel('Show', { exact: true }).selectOption('Activity removed');
  await expect(list.getByRole('listitem')).toHaveCount(3);
});
