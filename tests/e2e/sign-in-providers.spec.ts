import { expect, test } from '@playwright/test';
import { startOidcProvider } from '#tests/support/oidc-provider.ts';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { openAdminPage, startCommunityWithOwner } from './support/set-up.ts';

test('an admin adds a sign-in provider, and a visitor signs in with it', async ({ page, browser }) => {
  // Starts its own server and provider.
  test.slow();
  const provider = await startOidcProvider();
  const { issuer, clientId, clientSecret } = provider.settings;
  const community = await startCommunityWithOwner(page);
  try {
    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Sign-in providers');
    await expect(page.getByText('No sign-in providers')).toBeVisible();

    await page.getByRole('button', { name: 'Microsoft' }).click();
    await page.getByLabel('Directory (tenant) ID').fill('common');
    await page.getByLabel('Client ID').fill(clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await page.getByRole('button', { name: 'Add provider' }).click();
    await expectInView(page.getByText('Enter the ID of your own directory.'));
    await expect(page.getByLabel('Directory (tenant) ID')).toBeFocused();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Other provider' }).click();
    await expect(page.getByLabel('Name on the button')).toBeFocused();
    const redirectAddress = `${community.address}/sign-in/callback/bakery`;
    await page.getByText('More options').click();
    await page.getByLabel('ID', { exact: true }).fill('bakery');
    await expect(page.getByLabel('Redirect address')).toHaveValue(redirectAddress);
    provider.registerClient(community.address, 'bakery');
    await page.getByLabel('Name on the button').fill('Bakery');
    await page.getByLabel('Issuer').fill(issuer.replace('127.0.0.1', 'localhost'));
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expectInView(page.getByText(`The metadata at this address is of another issuer: ${issuer}`));
    await page.getByLabel('Issuer').fill(issuer);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expectInView(page.getByText('The provider responds, and its metadata is valid.'));
    await page.getByLabel('Client ID').fill(clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await expectAccessible(page, { look: 'form of a sign-in provider' });
    await page.getByRole('button', { name: 'Add provider' }).click();
    const card = page.getByRole('list', { name: 'Sign-in providers' }).getByRole('listitem');
    await expect(card).toContainText('Bakery');
    await expect(card).toContainText('Enabled');
    await expectAccessible(page, { look: 'sign-in providers' });

    provider.become({ subject: 'nora', email: 'nora@example.net', email_verified: true, name: 'Nora New' });
    const visiting = await browser.newContext();
    const visitor = await visiting.newPage();
    await visitor.goto(`${community.address}/login`);
    await waitForHydration(visitor);
    await visitor.getByRole('button', { name: 'Continue with Bakery' }).click();
    await expect(visitor).toHaveURL(`${community.address}/`);
    await visitor.goto(`${community.address}/settings?tab=account`);
    await expect(visitor.getByRole('button', { name: 'Unlink: Bakery' })).toBeVisible();
    // Without a password, the recent sign-in is enough.
    await visitor.getByRole('button', { name: 'Change email' }).click();
    await visitor.getByLabel('New email').fill('nora@example.com');
    await visitor.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(visitor.getByText('Your email address has been changed.')).toBeVisible();

    await card.getByRole('button', { name: 'Switch off: Bakery' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch off sign-in provider: Bakery' });
    const warning = '1 member has linked an account. 1 of them has no other way to sign in.';
    await expect(dialog).toContainText(warning);
    const confirm = dialog.getByRole('button', { name: 'Switch off' });
    await expectInView(confirm);
    await confirm.click();
    await expect(card).toContainText('Disabled');
    await visiting.clearCookies();
    await visitor.goto(`${community.address}/login`);
    await expect(visitor.getByLabel('Email')).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Continue with Bakery' })).toBeHidden();

    await page.goto(`${community.address}/moderation/log`);
    const entry = page.getByRole('listitem').filter({ hasText: 'Sign-in provider changed' });
    await expect(entry).toHaveCount(1);
    await entry.getByRole('button', { name: 'Undo' }).click();
    await expect(entry).toHaveCount(2);
    await expect(entry.first()).toContainText('After: enabled: true');
    await visitor.goto(`${community.address}/login`);
    await waitForHydration(visitor);
    await visitor.getByRole('button', { name: 'Continue with Bakery' }).click();
    await expect(visitor).toHaveURL(`${community.address}/`);
    await visitor.goto(`${community.address}/settings?tab=account`);
    await visitor.getByRole('button', { name: 'Delete my account' }).click();
    await visitor.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(visitor.getByText('Your account has been deleted.')).toBeVisible();
    await visiting.close();
  } finally {
    await community.remove();
    await provider.stop();
  }
});
