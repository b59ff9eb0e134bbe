import { expect, test } from '@playwright/test';
import { expectInViewAtBothSizes } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';

test('a member creates an API token, a program uses it, and revoking it ends that', async ({
  page,
  playwright,
  baseURL,
}) => {
  const member = await registerMember(page.request, newMember('Programmer'));
  await page.goto('/settings?tab=account');
  const section = page.getByRole('region', { name: 'API tokens' });
  const dialog = page.getByRole('dialog');
  await section.getByRole('button', { name: 'Create a token' }).click();
  await expectInViewAtBothSizes(dialog);
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog.getByText('Give the token a name')).toBeVisible();
  await dialog.getByLabel('Name of the token').fill('Release script');
  await expect(dialog.getByLabel(/^Moderation/u)).toHaveCount(0);
  await dialog.getByLabel('Your password').fill('wrong');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog.getByText('Incorrect password. Please try again.')).toBeVisible();
  await dialog.getByLabel('Your password').fill(member.password);
  // The token is shown also if the list cannot be read.
  const list = (url: URL) => url.pathname === '/api/api-tokens';
  await page.route(list, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
  await dialog.getByRole('button', { name: 'Create token' }).click();
  await expect(dialog.getByLabel('Token', { exact: true })).toBeVisible();
  await page.unroute(list);
  await expectInViewAtBothSizes(dialog);
  const token = await dialog.getByLabel('Token', { exact: true }).inputValue();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: "I've saved it" }).click();
  await expect(section.getByRole('listitem')).toContainText(/Release script.*Read.*Not used yet/su);

  const program = await playwright.request.newContext({
    ...(baseURL !== undefined && { baseURL }),
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  });
  expect((await program.get('/api/feeds/recent')).status()).toBe(200);
  await page.reload();
  await expect(section.getByRole('listitem')).toContainText(/Last used/u);

  await section.getByRole('button', { name: 'Revoke' }).click();
  await expectInViewAtBothSizes(dialog);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(section.getByRole('listitem')).toHaveCount(0);
  expect((await program.get('/api/feeds/recent')).status()).toBe(401);
  await program.dispose();
});
