import { expect, test, type Page } from '@playwright/test';
import { generateTotpCode } from '#tests/support/two-factor.ts';
import { expectAccessible } from './support/accessibility.ts';
import { signOut, registerMember, signIn, newMember } from './support/members.ts';
import { expectInViewAtBothSizes } from './support/in-view.ts';

const home = (page: Page) => page.getByRole('heading', { name: 'Questions for you' });

test('a member enables two-factor authentication and signs in with its codes', async ({ page }) => {
  // Opens a dozen pages and hashes ten passwords.
  test.slow();
  const member = await registerMember(page.request, newMember('Careful Member'));
  await page.goto('/settings?tab=account');
  const section = page.getByRole('region', { name: 'Two-factor authentication' });
  await section.getByRole('button', { name: 'Set up two-factor authentication' }).click();
  const dialog = page.getByRole('dialog');
  await expectInViewAtBothSizes(dialog);
  await dialog.getByLabel('Your password').fill('not the one');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByText('Incorrect password. Please try again.')).toBeVisible();
  await dialog.getByLabel('Your password').fill(member.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('figure', { name: 'QR code for the key' }).locator('svg')).toBeVisible();
  await expectInViewAtBothSizes(dialog);
  await expectAccessible(page, { look: 'two-factor authentication', within: '[role="dialog"]' });
  const key = (await dialog.locator('code').innerText()).replaceAll(/\s/gu, '');
  await dialog.getByLabel('Authenticator code').fill('000 000');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(dialog.getByText('Incorrect code. Please try again.')).toBeVisible();
  const used = generateTotpCode(key);
  await dialog.getByLabel('Authenticator code').fill(used);
  // The codes are shown also if the form was closed before the answer.
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/two-factor', async (route) => {
    if (route.request().method() === 'PUT') await mayAnswer;
    await route.continue();
  });
  const turnedOn = page.waitForRequest((request) => request.method() === 'PUT');
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await turnedOn;
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  answer();
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  await expectInViewAtBothSizes(dialog);
  await expectAccessible(page, { look: 'recovery codes', within: '[role="dialog"]' });
  const [recovery = ''] = await dialog.getByRole('listitem').allInnerTexts();
  const download = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('parley-recovery-codes.txt');
  await dialog.getByRole('button', { name: "I've saved my codes" }).click();
  await expect(section.getByText('10 recovery codes left.')).toBeVisible();

  const code = page.getByLabel('Code');
  const showPassword = async () => {
    await signOut(page);
    await signIn(page, member);
    await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible();
    await expect(code).toBeFocused();
  };
  const send = async (text: string) => {
    await code.fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await showPassword();
  await expectAccessible(page, { look: 'sign-in code' });
  // The password alone opens nothing.
  await page.goto('/notifications');
  await expect(page).toHaveURL(/\/login/u);
  await signIn(page, member);
  await send(used);
  await expect(page.getByRole('alert')).toHaveText('Incorrect code. Please try again.');
  await expect(code).toBeFocused();
  await send(generateTotpCode(key, 1));
  await expect(page.getByRole('heading', { name: 'Notifications', level: 1 })).toBeVisible();

  await showPassword();
  await send(recovery.toUpperCase());
  await expect(home(page)).toBeVisible();
  await showPassword();
  for (let tries = 0; tries < 5; tries++) {
    await send(recovery);
    await expect(page.getByRole('alert')).toHaveText('Incorrect code. Please try again.');
  }
  await send(recovery);
  await expect(page.getByRole('alert')).toHaveText(/^Too many wrong codes/u);
});

test.describe('at an address with a host name', () => {
  // Passkeys need a host name, not an IP address.
  test.use({ baseURL: process.env['PARLEY_E2E_ADDRESS']?.replace('127.0.0.1', 'localhost') });

  test('a member adds a passkey and signs in with it, until the passkey is removed', async ({ page }) => {
    const member = await registerMember(page.request, newMember('Keyed Member'));
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const touch = (enabled: boolean) =>
      devices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });

    await page.goto('/settings?tab=account');
    const section = page.getByRole('region', { name: 'Passkeys' });
    const dialog = page.getByRole('dialog');
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    await expectInViewAtBothSizes(dialog);
    await dialog.getByLabel('Name, for example of the device').fill('My laptop');
    await dialog.getByLabel('Your password').fill(member.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(section.getByRole('listitem')).toContainText(/My laptop.*not used yet/su);

    await touch(false);
    await signOut(page);
    await expectAccessible(page, { look: 'sign in' });
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(home(page)).toBeVisible();
    await page.goto('/settings?tab=account');
    await expect(section.getByRole('listitem')).toContainText(/My laptop.*last used/su);
    await section.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByLabel('Your password').fill(member.password);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(section.getByRole('listitem')).toHaveCount(0);
    await touch(false);
    await signOut(page);
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page.getByRole('alert')).toHaveText('Sign-in with this passkey failed. Please try again.');
  });
});
