import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';

test('a member chooses notification preferences; each choice is saved immediately and stays', async ({
  page,
  playwright,
  baseURL,
}) => {
  await registerMember(page.request);
  await page.goto('/settings#notifications');
  const table = page.getByRole('table', { name: 'Notification preferences' });
  const inApp = table.getByRole('checkbox', { name: 'Answers to my questions In the app' });
  await expect(inApp).toBeInViewport();
  // This server sends no email.
  await expect(page.getByText("Email isn't set up on this site.")).toBeVisible();
  await expect(table.getByRole('combobox', { name: 'Replies and comments By email' })).toBeDisabled();

  await inApp.focus();
  await page.keyboard.press('Space');
  const line = table.getByRole('row', { name: 'Answers to my questions' });
  await expect(line.getByRole('status')).toHaveText('Preference saved');
  await expect(line.getByRole('checkbox', { name: 'Answers to my questions Push' })).toBeDisabled();
  await page.reload();
  await expect(inApp).not.toBeChecked();
  // Without a connection, the choice is taken back.
  await page.context().setOffline(true);
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
  await inApp.click();
  await failed;
  await expect(page.getByRole('alert').filter({ hasText: 'could not be saved' })).toBeVisible();
  await expect(inApp).not.toBeChecked();
  await page.context().setOffline(false);

  const id = await askQuestion(page.request, { title: uniqueText('Who tells me?') });
  const other = await playwright.request.newContext({ baseURL: baseURL ?? '' });
  await registerMember(other, newMember('Answering Person'));
  const answered = await other.post(`/api/questions/${id}/answers`, { data: { content: 'Nobody.' } });
  expect(answered.status()).toBe(201);
  const comment = await other.post(`/api/questions/${id}/replies`, {
    data: { content: 'But of this you hear.', parentReplyId: null },
  });
  expect(comment.status()).toBe(201);
  await other.dispose();
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible();

  // A sentence says why push is not available.
  await page.getByRole('button', { name: 'Turn on push in this browser' }).click();
  await expect(
    page.getByRole('region', { name: 'Notifications', exact: true }).getByRole('alert'),
  ).toHaveText(/^(Push is not available|This browser does not allow notifications)/);
});
