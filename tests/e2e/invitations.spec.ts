import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView } from './support/in-view.ts';
import { fillInAccount, startCommunityWithOwner } from './support/set-up.ts';

test('an admin makes an invitation, with which one person joins', async ({ page, browser }) => {
  const community = await startCommunityWithOwner(page, { joining: 'invitation' });
  try {
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
    await visitor.getByRole('link', { name: 'Sign in' }).click();
    await visitor.getByRole('link', { name: 'Create an account' }).click();
    await expect(visitor.getByText('Olga Owner invites you to join Baking.')).toBeVisible();
    await fillInAccount(visitor, { name: 'Nora New', email: 'nora@example.org' });
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
