import { expect, test } from '@playwright/test';
import { signToken } from '#server/core/signed-tokens.ts';
import { expectAccessible } from './support/accessibility.ts';
import { startCommunity } from './support/community.ts';
import { expectInView } from './support/in-view.ts';

test('an admin makes an invitation, with which one person joins', async ({ page, browser }) => {
  const secret = 'the secret of a community for people with an invitation';
  const community = await startCommunity({ env: { SECRET: secret } });
  try {
    await page.goto(`${community.address}/setup#${signToken({ secret, purpose: 'setup' }, 'setup')}`);
    await page.getByLabel('Name of the community').fill('Baking');
    await page.getByLabel('Who may join').selectOption('People with an invitation');
    await page.getByLabel('Full name').fill('Olga Owner');
    await page.getByLabel('Email').fill('olga@example.org');
    await page.getByLabel('Password', { exact: true }).fill('bread and butter 7');
    await page.getByLabel('Confirm password').fill('bread and butter 7');
    await page.getByRole('button', { name: 'Set up community' }).click();
    await expect(page.getByText('Your community is ready.')).toBeVisible();

    await page.goto(`${community.address}/admin/invitations`);
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await expectInView(page.getByLabel('Link of the invitation'));
    const link = await page.getByLabel('Link of the invitation').inputValue();
    await expectAccessible(page, { look: 'invitations' });

    const visiting = await browser.newContext();
    const visitor = await visiting.newPage();
    await visitor.goto(`${community.address}/register`);
    await expect(visitor.getByText('You need an invitation to join.')).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Create account' })).toBeHidden();
    await visitor.goto(link);
    await visitor.reload();
    await expect(visitor.getByText('Olga Owner invites you to join Baking.')).toBeVisible();
    await visitor.getByLabel('Full name').fill('Nora New');
    await visitor.getByLabel('Email', { exact: true }).fill('nora@example.org');
    await visitor.getByLabel('Password', { exact: true }).fill('bread and butter 7');
    await visitor.getByLabel('Confirm password').fill('bread and butter 7');
    await visitor.getByRole('button', { name: 'Create account' }).click();
    await expect(visitor).toHaveURL(`${community.address}/`);
    await visiting.close();

    await page.reload();
    const item = page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
    await expect(item).toContainText('Used up');
    await expect(item.getByRole('link', { name: 'Nora New' })).toBeVisible();
  } finally {
    await community.remove();
  }
});
