import { expect, test, type Page } from '@playwright/test';
import { registerMember, signIn, newMember } from './support/members.ts';

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function openSettings(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeFocused();
}

test('a name that is too short and a bio that is too long are rejected next to their fields', async ({
  page,
}) => {
  await registerMember(page.request);
  await openSettings(page);
  await page.getByLabel('Display name').fill(' x ');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('alert')).toHaveText('Name must be at least 2 characters');
  await expect(page.getByLabel('Display name')).toBeFocused();
  await page.getByLabel('Display name').fill('Xi');
  await page.getByLabel('Bio').fill('🚀'.repeat(1001));
  await expect(page.getByText('1001/1000')).toBeVisible();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('alert')).toHaveText('Bio must be 1,000 characters or fewer');
  await expect(page.getByLabel('Bio')).toBeFocused();

  // The form does not have what another device replaced meanwhile.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  const settings = {
    displayName: 'Xi',
    bio: 'From the phone',
    location: null,
    website: null,
    showEmail: true,
  };
  expect((await page.request.put('/api/settings', { data: settings })).status()).toBe(200);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page.getByLabel('Bio')).toHaveValue('From the phone');
});

test('other members see the email address until the member hides it; the member always sees it', async ({
  page,
  request,
}) => {
  const member = await registerMember(request, newMember('Shy Member'));
  const session = await request.get('/api/session');
  const { member: me } = (await session.json()) as { member: { id: number } };
  await registerMember(page.request);
  await page.goto(`/profile/${me.id}`);
  await expect(page.getByText(member.email)).toBeVisible();

  await page.context().clearCookies();
  await page.goto('/settings');
  await signIn(page, member);
  const show = page.getByRole('checkbox', { name: 'Show my email address on my profile' });
  await expect(show).toBeChecked();
  await show.uncheck();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByText('Profile saved')).toBeVisible();
  await page.goto('/profile');
  await expect(page.getByRole('main').getByText(member.email)).toBeVisible();

  await page.context().clearCookies();
  await registerMember(page.request);
  await page.goto(`/profile/${me.id}`);
  await expect(page.getByRole('heading', { name: 'Shy Member' })).toBeVisible();
  await expect(page.getByText(member.email)).toBeHidden();
});

test('a password change needs the current password and ends other sessions', async ({
  page,
  browser,
  baseURL,
}) => {
  test.slow();
  const member = await registerMember(page.request);
  const elsewhere = await browser.newPage({ ...(baseURL && { baseURL }) });
  await elsewhere.goto('/');
  await signIn(elsewhere, member);
  await expect(elsewhere.getByRole('heading', { name: 'Questions for you' })).toBeVisible();

  await openSettings(page);
  await page.getByRole('tab', { name: 'Account' }).click();
  const form = section(page, 'Password');
  const fill = async (current: string, next: string, again: string) => {
    await form.getByLabel('Current password').fill(current);
    await form.getByLabel('New password', { exact: true }).fill(next);
    await form.getByLabel('Confirm new password').fill(again);
    await form.getByRole('button', { name: 'Change password' }).click();
  };
  await fill(member.password, 'a new secret', 'a new secrez');
  await expect(form.getByRole('alert')).toHaveText('Passwords do not match');
  await fill(member.password, 'short', 'short');
  await expect(form.getByRole('alert')).toHaveText('Password must be at least 6 characters');
  await fill('not the one', 'a new secret', 'a new secret');
  await expect(form.getByRole('alert')).toHaveText('Incorrect password. Please try again.');
  await expect(form.getByLabel('Current password')).toBeFocused();
  await fill(member.password, 'a new secret', 'a new secret');
  await expect(page.getByText('Password changed.')).toBeVisible();
  await expect(form.getByLabel('Current password')).toHaveValue('');

  await expect(elsewhere).toHaveURL(/\/login/u);
  await signIn(elsewhere, { ...member, password: 'a new secret' });
  await expect(elsewhere.getByRole('tab', { name: 'Unanswered' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await elsewhere.close();
});

test('other sessions are listed and can be ended, one or all', async ({ page, playwright, baseURL }) => {
  const member = await registerMember(page.request);
  const elsewhere = async (userAgent: string) => {
    const context = await playwright.request.newContext({ ...(baseURL && { baseURL }), userAgent });
    const { email, password } = member;
    const response = await context.post('/api/session', { data: { email, password } });
    expect(response.status(), await response.text()).toBe(200);
    return context;
  };
  const phone = await elsewhere(
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  );
  const program = await elsewhere('curl/8.14.1');
  const other = await elsewhere('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
  const status = async (context: typeof phone) => (await context.get('/api/settings')).status();

  await page.goto('/settings?tab=account');
  const list = section(page, 'Active sessions').getByRole('listitem');
  await expect(list).toHaveCount(4);
  await expect(list.first()).toContainText('This browser');
  await expect(list.first().getByRole('button')).toBeHidden();
  await list.filter({ hasText: 'Chrome on Android' }).getByRole('button', { name: 'Sign out' }).click();
  await expect(list).toHaveCount(3);
  expect(await status(phone)).toBe(401);
  expect(await status(program)).toBe(200);
  await page.getByRole('button', { name: 'Sign out all other sessions' }).click();
  await expect(list).toHaveCount(1);
  expect(await status(program)).toBe(401);
  expect(await status(other)).toBe(401);
  for (const context of [phone, program, other]) await context.dispose();
});

test('the theme can be light, dark, or the system default', async ({ page }) => {
  await registerMember(page.request);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/settings');
  const html = page.locator('html');
  const theme = section(page, 'Theme');
  await expect(theme.getByRole('radio', { name: 'System default' })).toBeChecked();
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await theme.getByRole('radio', { name: 'Light' }).check();
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light');
  expect(await page.evaluate(() => localStorage.getItem('darkMode'))).toBe('false');
  await page.reload();
  await expect(theme.getByRole('radio', { name: 'Light' })).toBeChecked();
  await theme.getByRole('radio', { name: 'System default' }).check();
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
  expect(await page.evaluate(() => localStorage.getItem('darkMode'))).toBeNull();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light');
});
