import { expect, test } from '@playwright/test';
import { setRole } from '#server/admin/roles.ts';
import { openDatabase } from '#server/core/database.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { startEmailServer } from '#tests/support/email-server.ts';
import { expectAccessible } from './support/accessibility.ts';
import { startCommunity } from './support/community.ts';
import { openAdminPage } from './support/set-up.ts';
import { newMember, registerMember } from './support/members.ts';

test('an admin previews every email, sends a test email and confirms their address', async ({ page }) => {
  // Starts its own server.
  test.slow();
  const post = await startEmailServer();
  const env = { SMTP_URL: post.url, EMAIL_FROM: 'parley@example.org', PUBLIC_URL: 'http://parley.example' };
  const community = await startCommunity({ env });
  try {
    const admin = await registerMember(page.request, newMember('Adele Sender'), community.address);
    const connection = await findRunningConnection(community.dataDirectory);
    if (connection === undefined) throw new Error('the community is not running');
    const db = openDatabase({ connection });
    await setRole(db, { email: admin.email, role: 'admin' });
    await db.destroy();

    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Emails');
    await expect(page.getByRole('heading', { name: 'Emails', exact: true })).toBeVisible();
    await expect(page.getByText('parley@example.org')).toBeVisible();
    const email = page.frameLocator('iframe[title="Preview of the email"]');
    await expect(email.getByText('Confirm email address')).toBeVisible();
    await page.getByLabel('Email', { exact: true }).selectOption({ label: 'Your weekly digest from Parley' });
    await page.getByLabel('Language', { exact: true }).selectOption('ar');
    await expect(email.getByText('إشعارات غير مقروءة')).toBeVisible();
    await expect(page).toHaveURL(/kind=weekly-digest&language=ar/);
    await page.getByLabel('Show', { exact: true }).selectOption('HTML, dark');
    await expect(email.locator('meta[name=color-scheme]')).toHaveAttribute('content', 'dark');
    await page.getByLabel('Show', { exact: true }).selectOption('Text');
    await expect(page.locator('pre')).toContainText('إشعارات غير مقروءة');
    await page.getByRole('button', { name: 'Send a test email to me' }).click();
    await expect(page.getByText('The mail server has accepted the email.')).toBeVisible();
    await expect(page.getByText(/^250 /)).toBeVisible();
    const [arrived] = await post.waitForEmails(admin.email, 1);
    expect(arrived).toBeDefined();
    await expectAccessible(page, { look: 'emails of the site' });

    const [link] = /\/confirm-email\/\S+/u.exec(arrived?.text ?? '') ?? [];
    await page.goto(`${community.address}${link}`);
    await page.getByRole('button', { name: 'Confirm email address' }).click();
    await expect(page.getByText('Your email address is confirmed.')).toBeVisible();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
  } finally {
    await community.remove();
    await post.stop();
  }
});
