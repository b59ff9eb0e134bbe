import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { uniqueWord } from './support/posts.ts';

test('an admin merges an account into another one, and its profile leads there', async ({
  page,
  browser,
}) => {
  const [twin, stays] = [newMember(uniqueWord('Twin')), newMember(uniqueWord('Stays'))];
  const contexts = [await browser.newContext(), await browser.newContext()];
  const ids: number[] = [];
  for (const [index, member] of [twin, stays].entries()) {
    const { request } = contexts[index] ?? page.context();
    await registerMember(request, member);
    const session = (await (await request.get('/api/session')).json()) as { member: { id: number } };
    ids.push(session.member.id);
  }
  const title = `Which of ${twin.displayName} is it?`;
  await askQuestion(contexts[0]?.request ?? page.request, { title });
  for (const context of contexts) await context.close();
  const [twinId, staysId] = ids;
  const { email, password } = await registerMember(page.request, newMember(uniqueWord('Adele')));
  await makeModerator(email, 'admin');
  await page.goto(`/moderation/member/${twinId}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Merge into another account' }).click();
  const dialog = page.getByRole('dialog');
  const searches: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/moderation/members?')) searches.push(request.url());
  });
  await dialog.getByLabel('Account that stays').pressSequentially(stays.displayName);
  await dialog.getByRole('radio', { name: stays.displayName }).check();
  expect(searches.length).toBeLessThan(stays.displayName.length);
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByRole('list', { name: 'Preview' })).toContainText('Moves: 1 question');
  await dialog.getByLabel('Name of the account that is merged').fill(twin.displayName);
  await dialog.getByLabel('Your password').fill(password);
  const merge = dialog.getByRole('button', { name: 'Merge accounts' });
  await expectInView(merge);
  await expectAccessible(page, { look: 'merge' });
  await merge.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(`Merged into ${stays.displayName}`)).toBeVisible();
  const redirect = await page.request.get(`/profile/${twinId}`, { maxRedirects: 0 });
  expect([redirect.status(), redirect.headers()['location']]).toEqual([301, `/profile/${staysId}`]);
  // The question moves in the background.
  await expect(async () => {
    await page.goto(`/profile/${twinId}`);
    await expect(page.getByRole('article', { name: title })).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await expect(page).toHaveURL(new RegExp(`/profile/${staysId}$`, 'u'));
});
