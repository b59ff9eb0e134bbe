import { expect, test, type Page } from '@playwright/test';
import {
  askQuestion,
  signOut,
  registerMember,
  signIn,
  newMember,
  waitForSignInPage,
} from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, askAndOpen, uniqueText } from './support/posts.ts';
import { withoutInlinedResponses } from './support/offline-queue.ts';

test.describe('registering', () => {
  test('errors are shown one at a time, in the specified order', async ({ page }) => {
    const member = newMember();
    await page.goto('/register');
    const submit = page.getByRole('button', { name: 'Create account' });
    const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
    const expectAlert = (message: string) => expect(page.getByRole('alert')).toHaveText([message]);

    await fill('Password', 'abc');
    await fill('Confirm password', 'abd');
    await submit.click();
    await expectAlert('Passwords do not match');
    await expect(page.getByLabel('Confirm password')).toBeFocused();
    await fill('Confirm password', 'abc');
    await submit.click();
    await expectAlert('Password must be at least 6 characters');
    await fill('Password', member.password);
    await fill('Confirm password', member.password);
    await fill('Full name', ' x ');
    await submit.click();
    await expectAlert('Name must be at least 2 characters');
    await fill('Full name', 'Xi');
    await fill('Email', 'nobody');
    await submit.click();
    await expectAlert('Please enter a valid email address.');
    await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
    await expect(page.getByLabel('Email', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  });

  test('the form says who sees the email address, and a visitor can hide it on the profile', async ({
    page,
    browser,
  }) => {
    const member = newMember('Hidden Harriet');
    await page.goto('/register');
    const show = page.getByRole('checkbox', { name: 'Show my email address on my profile' });
    await expect(show).toBeChecked();
    await expect(show).toHaveAccessibleDescription(/Only signed-in members can see it, never in lists/);
    const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
    await fill('Full name', member.displayName);
    await fill('Email', member.email);
    await fill('Password', member.password);
    await fill('Confirm password', member.password);
    await show.uncheck();
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page).toHaveURL('/');
    const session = await page.request.get('/api/session');
    const { id } = ((await session.json()) as { member: { id: number } }).member;
    const context = await browser.newContext();
    const viewer = await context.newPage();
    await registerMember(viewer.request, newMember());
    await viewer.goto(`/profile/${id}`);
    await expect(viewer.getByRole('heading', { name: member.displayName })).toBeVisible();
    await expect(viewer.getByText(member.email)).toHaveCount(0);
    await page.goto('/settings');
    await page.getByRole('checkbox', { name: 'Show my email address on my profile' }).check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Profile saved' })).toBeVisible();
    await viewer.reload();
    await expect(viewer.getByRole('link', { name: member.email })).toBeVisible();
    await context.close();
  });

  test('a name with invisible characters is rejected at its field', async ({ page }) => {
    const member = newMember('Bob\u202E');
    await page.goto('/register');
    for (const [label, value] of [
      ['Full name', member.displayName],
      ['Email', member.email],
      ['Password', member.password],
      ['Confirm password', member.password],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('alert')).toHaveText('Name contains characters that cannot be shown');
    await expect(page.getByLabel('Full name')).toBeFocused();
  });

  test('the register page leads back to the login page', async ({ page }) => {
    await page.goto('/register');
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL('/login');
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  });

  test('an email address that is already registered is rejected', async ({ page, request }) => {
    const member = await registerMember(request);
    await page.goto('/register');
    await page.getByLabel('Full name').fill('Somebody Else');
    await page.getByLabel('Email', { exact: true }).fill(member.email.toUpperCase());
    await page.getByLabel('Password', { exact: true }).fill('another one');
    await page.getByLabel('Confirm password').fill('another one');
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'This email is already registered. Please try logging in instead.',
    );
  });

  test('the strength of the password is shown while typing', async ({ page }) => {
    await page.goto('/register');
    const password = page.getByLabel('Password', { exact: true });
    const meter = page.getByRole('meter', { name: 'Password strength' });
    for (const [typed, word] of [
      ['12345', 'Weak'],
      ['123456', 'Medium'],
      ['123456789', 'Medium'],
      ['1234567890', 'Strong'],
    ] as const) {
      await password.fill(typed);
      await expect(page.getByText(word, { exact: true })).toBeVisible();
      await expect(meter).toHaveAttribute('aria-valuetext', word);
    }
  });

  test('without a connection, the form shows an error and keeps its values', async ({ page, context }) => {
    const member = newMember();
    await page.goto('/register');
    await page.getByLabel('Full name').fill(member.displayName);
    await page.getByLabel('Email', { exact: true }).fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(member.password);
    await page.getByLabel('Confirm password').fill(member.password);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'Failed to create account. Please check your internet connection and try again.',
    );
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page).toHaveURL('/');
  });
});

test.describe('signing in', () => {
  test('after five wrong passwords, further attempts are blocked for a while', async ({ page, request }) => {
    const member = await registerMember(request);
    await page.goto('/login');
    for (let attempt = 0; attempt < 5; attempt++) {
      const answer = page.waitForResponse('**/api/session');
      await signIn(page, { ...member, password: `wrong ${attempt}` });
      await answer;
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
    }
    await signIn(page, member);
    await expect(page.getByRole('alert')).toHaveText(
      'Too many failed login attempts. Please try again later.',
    );
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  });

  test('a password can be shown and hidden', async ({ page }) => {
    await page.goto('/login');
    const password = page.getByLabel('Password');
    await password.fill('correct horse');
    await expect(password).toHaveAttribute('type', 'password');
    await page.getByRole('button', { name: 'Show password' }).click();
    await expect(page.getByRole('textbox', { name: 'Password' })).toHaveValue('correct horse');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await expect(password).toHaveAttribute('type', 'password');
  });

  test('a visitor who registers instead also gets to the page they opened', async ({ page }) => {
    const member = newMember();
    await page.goto('/ask');
    await waitForSignInPage(page);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Full name').fill(member.displayName);
    await page.getByLabel('Email', { exact: true }).fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(member.password);
    await page.getByLabel('Confirm password').fill(member.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expect(page).toHaveURL('/ask');
  });

  test('a sign-in link cannot redirect to another site', async ({ page, request, baseURL }) => {
    const member = await registerMember(request);
    await page.goto(`/login?next=${encodeURIComponent('/\\example.com')}`);
    await signIn(page, member);
    await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(new URL(baseURL ?? '').origin);
  });
});

test('signed-in members who open /login or /register are redirected to the home page', async ({ page }) => {
  await registerMember(page.request);
  for (const address of ['/login', '/register']) {
    await page.goto(address);
    await expect(page).toHaveURL('/');
  }
});

test('Logout leads to /login when the event of the ended session arrives before the response', async ({
  page,
}) => {
  await registerMember(page.request);
  await askAndOpen(page, uniqueText('Which news is first?'));
  await page.route('**/api/session', async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    const response = await route.fetch();
    await expect(page).toHaveURL(/\/login/u);
    await route.fulfill({ response });
  });
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await signOut(page);
  await answered;
  await expect(page).toHaveURL('/login');
});

test('Logout causes no requests that the server refuses', async ({ page }) => {
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('What does a page ask for when it is left?'));
  await postAnswer(page.request, id);
  await expect(page.getByRole('heading', { name: '1 Answer' })).toBeVisible();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text());
  });
  await signOut(page);
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(refused).toEqual([]);
});

test('an inactive tab shows nothing of the previous member after another member signed in', async ({
  page,
  context,
}) => {
  // This tab gets no live updates.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request);
  const title = uniqueText('Whose bookmarks are these?');
  const id = await askQuestion(page.request, { title });
  await page.request.put(`/api/questions/${id}/bookmark`, { data: { bookmarked: true } });
  await page.goto('/bookmarks');
  await expect(page.getByRole('link', { name: title })).toBeVisible();

  const secondTab = await context.newPage();
  await secondTab.goto('/topics');
  await signOut(secondTab);
  const other = await registerMember(secondTab.request, newMember('Bea Beside'));
  await secondTab.goto('/');
  await expect(secondTab.getByRole('heading', { name: 'Questions for you' })).toBeVisible();

  // Its next request gets no response either.
  await page.route('**/api/bookmarks*', () => undefined);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByRole('link', { name: title })).toBeHidden();
  await page.getByRole('button', { name: 'Account menu' }).click();
  await expectInView(page.getByRole('menu'));
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { name: other.displayName })).toBeVisible();
});

test('neither a page nor the login form shows until the session is known', async ({ page }) => {
  await registerMember(page.request);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/session', async (route) => {
    await held;
    await route.continue();
  });
  await withoutInlinedResponses(page);
  const asked = page.waitForRequest('**/api/session');
  await page.goto('/');
  await asked;
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeHidden();
  await expect(page).toHaveURL('/');
  release();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
});

test('the page recovers when requests for the session get no response', async ({ page }) => {
  await registerMember(page.request);
  // One second for what the app gives 20.
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 20);
  });
  await withoutInlinedResponses(page);
  let requests = 0;
  // Those of the page itself and of two attempts afterwards get no response.
  await page.route('**/api/session', (route) => (++requests > 3 ? route.continue() : undefined));
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Parley cannot be reached' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
});

const scheme = (page: Page) => page.locator('html');

test.describe('the theme', () => {
  test('follows the system until a theme is chosen, is stored as true or false, and applies to other tabs', async ({
    page,
    context,
  }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/login');
    await expect(scheme(page)).toHaveAttribute('data-mantine-color-scheme', 'dark');
    expect(await page.evaluate(() => localStorage.getItem('darkMode'))).toBeNull();

    const other = await context.newPage();
    await other.goto('/login');
    await page.getByRole('button', { name: 'Switch to light theme' }).click();
    await expect(scheme(page)).toHaveAttribute('data-mantine-color-scheme', 'light');
    expect(await page.evaluate(() => localStorage.getItem('darkMode'))).toBe('false');
    await expect(scheme(other)).toHaveAttribute('data-mantine-color-scheme', 'light');

    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark theme' }).click();
    expect(await page.evaluate(() => localStorage.getItem('darkMode'))).toBe('true');
    await expect(other.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
  });

  test('is applied on the first paint, before the scripts load', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('darkMode', 'true'));
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto('/login');
    await expect(scheme(page)).toHaveAttribute('data-mantine-color-scheme', 'dark');
  });
});
