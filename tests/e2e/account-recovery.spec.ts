import { expect, test } from '@playwright/test';
import { sql } from 'kysely';
import { openDatabase } from '#server/core/database.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { startEmailServer } from '#tests/support/email-server.ts';
import { expectAccessible } from './support/accessibility.ts';
import { askQuestion, registerMember, signIn, newMember, waitForSignInPage } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { type Community, startCommunity } from './support/community.ts';

/** The site address in the emails. */
const site = 'http://parley.example';

test('a member resets the password, changes the email address and deletes the account', async ({ page }) => {
  // Starts its own server and opens many pages.
  test.slow();
  const post = await startEmailServer();
  const env = { SMTP_URL: post.url, EMAIL_FROM: 'parley@example.org', PUBLIC_URL: site };
  const community = await startCommunity({ env });
  const { address } = community;
  /** The link to this page in the newest email to this address. */
  const link = async (to: string, path: string) => {
    const emails = () =>
      post.emails
        .filter(({ recipients }) => recipients.includes(to))
        .map(({ text }) => new RegExp(`${site}(/${path}#\\S+)`, 'u').exec(text ?? '')?.[1])
        .findLast((each) => each !== undefined);
    await expect.poll(emails).toBeDefined();
    return `${address}${emails()}`;
  };
  const member = await registerMember(page.request, newMember('Robin Leaver'), address);
  const question = await askQuestion(page.request, { title: 'Does this stay?' }, address);
  await page.context().clearCookies();

  await page.goto(`${address}/login`);
  await waitForSignInPage(page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { name: 'Forgot password?' })).toBeFocused();
  await expectAccessible(page, { look: 'forgotten password' });
  await page.getByRole('textbox', { name: 'Email' }).fill(member.email);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByText(`If ${member.email} belongs to an account`)).toBeVisible();

  await page.goto(await link(member.email, 'reset-password'));
  const password = 'correct horse again';
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Confirm new password').fill('something else');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByLabel('Confirm new password')).toBeFocused();
  await expectAccessible(page, { look: 'password reset' });
  await page.getByLabel('Confirm new password').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('status').getByText('Password changed.')).toBeVisible();
  await expectInView(page.getByRole('status').filter({ hasText: 'Password changed.' }));
  await signIn(page, { email: member.email, password });
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();

  // The link of a security email, while the member is signed in and someone else has added a passkey.
  await addPasskeyRow(community, member.email);
  const emailsBefore = post.emails.length;
  await page.goto(`${address}/forgot-password`);
  await expect(page).toHaveURL(`${address}/settings?tab=account#security`);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByText(`We've sent a link to ${member.email}.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send reset link' })).toBeFocused();
  await expect
    .poll(() =>
      post.emails.slice(emailsBefore).some(({ text }) => text?.includes('/reset-password#') === true),
    )
    .toBe(true);
  await page.goto(await link(member.email, 'reset-password'));
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Confirm new password').fill(password);
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Passkeys: 1')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Password changed' })).toBeFocused();
  await expect(page).toHaveTitle(/^Password changed/u);
  await expectAccessible(page, { look: 'what still signs in after a password reset' });
  await page.getByRole('link', { name: 'Sign in and review' }).click();
  await signIn(page, { email: member.email, password });
  await expect(page.getByRole('region', { name: 'Passkeys' }).getByText('Unknown device')).toBeVisible();

  await page.goto(`${address}/settings?tab=account`);
  const next = newMember().email;
  await page.getByRole('button', { name: 'Change email' }).click();
  const dialog = page.getByRole('dialog');
  await expectInView(dialog);
  await dialog.getByLabel('New email').fill(next);
  await dialog.getByLabel('Your password').fill('wrong');
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await expect(dialog.getByText('Incorrect password. Please try again.')).toBeVisible();
  await expectAccessible(page, { look: 'change of the email address', within: '[role="dialog"]' });
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Change', exact: true }).click();
  await expect(page.getByText(`It changes to ${next} when you open the link`)).toBeVisible();
  const tab = await page.context().newPage();
  await tab.goto(await link(next, 'change-email'));
  await expectAccessible(tab, { look: 'confirmation of the new email address' });
  await tab.getByRole('button', { name: 'Use this address' }).click();
  await expect(tab.getByText('This is now your email address.')).toBeVisible();
  // The settings page gets the confirmation as a live update.
  await expect(page.getByText('Used to sign in. Confirmed.')).toBeVisible();
  await link(member.email, 'revert-email');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download my data' }).click();
  expect((await download).suggestedFilename()).toMatch(/^parley-[\d-]+\.tar\.gz$/u);

  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expect(dialog.getByText('is deleted 30 days after your registration')).toBeVisible();
  await dialog.getByRole('radio', { name: /^Keep my posts/u }).check();
  await dialog.getByLabel('Your password').fill(password);
  await expectAccessible(page, { look: 'account deletion', within: '[role="dialog"]' });
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('status').getByText('Your account has been deleted.')).toBeVisible();
  await expect(page).toHaveURL(`${address}/login`);
  await signIn(page, { email: next, password });
  await expect(page.getByText('No account found with this email address.')).toBeVisible();

  await registerMember(page.request, newMember('Somebody Else'), address);
  await page.goto(`${address}/question/${question}`);
  await expect(page.getByRole('link', { name: 'Former member' }).first()).toBeVisible();
  await community.remove();
  await post.stop();
});

/** Adds a passkey that no one can use. */
async function addPasskeyRow(community: Community, email: string): Promise<void> {
  const connection = await findRunningConnection(community.dataDirectory);
  if (connection === undefined) throw new Error('the community is not running');
  const db = openDatabase({ connection });
  await sql`
    insert into passkey (member_id, name, credential_id, public_key, user_handle, counter, transports)
    select id, 'Unknown device', 'credential', '\\x00', 'handle', 0, '{}' from member where email = ${email}`.execute(
    db,
  );
  await db.destroy();
}
