import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { uniqueWord } from './support/posts.ts';

test('a moderator opens the page of a member from the profile, reads posts and sign-ins, and notes something', async ({
  page,
  browser,
}) => {
  const name = uniqueWord('Nora');
  const others = await browser.newContext();
  await registerMember(others.request, newMember(name));
  const { member } = (await (await others.request.get('/api/session')).json()) as { member: { id: number } };
  const title = `Where does ${name} write?`;
  await askQuestion(others.request, { title, tags: ['offers'] });
  await others.close();
  const { email } = await registerMember(page.request, newMember(uniqueWord('Mona')));
  await makeModerator(email);
  await page.goto(`/profile/${member.id}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'About this member' }).click();
  const tabs = page.getByRole('tablist', { name: 'About this member' });
  await expect(page.getByText('Sign-in methods')).toBeVisible();
  // The actions change while a reason is typed: what is typed and chosen stays.
  const action = page.getByLabel('Action', { exact: true });
  await action.selectOption('suspend');
  const reason = page.getByLabel('Reason (public)');
  await reason.fill('Please name your company.');
  const suspended = await page.request.post('/api/moderation/member-actions', {
    data: {
      action: 'suspend',
      memberId: member.id,
      reason: 'Advertisements',
      until: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  expect(suspended.ok(), await suspended.text()).toBe(true);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(action.getByRole('option', { name: 'End suspension' })).toBeAttached();
  await expect(action).toHaveValue('suspend');
  await expect(reason).toHaveValue('Please name your company.');
  await tabs.getByRole('tab', { name: 'Posts' }).click();
  await expect(page.getByRole('link', { name: title })).toBeVisible();
  await tabs.getByRole('tab', { name: 'Sign-ins' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Registration' })).toBeVisible();
  await tabs.getByRole('tab', { name: 'Notes' }).click();
  await page.getByLabel('Note', { exact: true }).fill('Writes about *offers*.');
  const add = page.getByRole('button', { name: 'Add note' });
  await expectInView(add);
  await add.click();
  const notes = page.getByRole('list', { name: 'Notes', exact: true });
  await expect(notes).toContainText('Writes about offers.');
  await expectAccessible(page, { look: 'member-notes' });
  await notes.getByRole('button', { name: 'Delete' }).click();
  await expect(notes).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(notes).toContainText('Writes about offers.');

  await page.route(`**/api/moderation/members/${member.id}`, (route) =>
    route.fulfill({ status: 429, json: { detail: 'Too many requests' } }),
  );
  await page.reload();
  await expectInView(page.getByText('The page could not be loaded.'));
});
