import { expect, test } from '@playwright/test';
import { holdRequests } from './support/held-requests.ts';
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

test('a form waits until it is known whether the member has a password, and asks for it if that fails', async ({
  page,
}) => {
  await registerMember(page.request);
  const addresses = '**/api/email-address';
  const release = await holdRequests(page, addresses);
  const create = page.getByRole('dialog').getByRole('button', { name: 'Create token' });
  const password = page.getByRole('dialog').getByLabel('Your password');
  const open = async () => {
    await page.goto('/settings?tab=account');
    await page.getByRole('button', { name: 'Create a token' }).click();
  };
  await open();
  await expect(create).toBeDisabled();
  await expect(password).toHaveCount(0);
  release();
  await expect(password).toBeVisible();
  await expect(create).toBeEnabled();

  await page.route(addresses, (route) => route.fulfill({ status: 500 }));
  await open();
  await expect(password).toBeVisible();
  await expect(create).toBeEnabled();
});
