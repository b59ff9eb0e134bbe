import { expect, test } from '@playwright/test';
import { signOut, registerMember, signIn, newMember, waitForSignInPage } from '../support/members.ts';

test.describe('registering', () => {
  test(
    'a visitor creates an account and arrives at the home page, signed in',
    { tag: '@firefox' },
    async ({ page }) => {
      const member = newMember('Ada Lovelace');
      await page.goto('/');
      await expect(page).toHaveURL('/login');
      await waitForSignInPage(page);
      await page.getByRole('link', { name: 'Create an account' }).click();
      await expect(page).toHaveTitle('Create an account · Parley');
      await page.getByLabel('Full name').fill(member.displayName);
      await page.getByLabel('Email', { exact: true }).fill(member.email);
      await page.getByLabel('Password', { exact: true }).fill(member.password);
      await page.getByLabel('Confirm password').fill(member.password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await expect(page).toHaveURL('/');
      await expect(page.getByRole('heading', { name: 'Questions for you', level: 1 })).toBeVisible();
      await page.getByRole('button', { name: 'Account menu' }).click();
      await expect(page.getByText(member.email)).toBeVisible();
    },
  );
});

test.describe('signing in', () => {
  test('errors have the texts of the specification', async ({ page, request, context }) => {
    const member = await registerMember(request);
    await page.goto('/login');
    const expectAlert = (message: string) => expect(page.getByRole('alert')).toHaveText([message]);
    await signIn(page, { email: 'not an address', password: 'x' });
    await expectAlert('Please enter a valid email address.');
    await signIn(page, newMember());
    await expectAlert('No account found with this email address.');
    await signIn(page, { ...member, password: 'wrong' });
    await expectAlert('Incorrect password. Please try again.');
    await expect(page.getByLabel('Password')).toBeFocused();
    await context.setOffline(true);
    await signIn(page, member);
    await expectAlert('Failed to log in. Please check your credentials and try again.');
    await context.setOffline(false);
    await signIn(page, member);
    await expect(page).toHaveURL('/');
  });

  for (const address of ['/topics', '/search?q=a+b%26c'])
    test(`a visitor who opened ${address} gets there after signing in`, async ({ page, request }) => {
      const member = await registerMember(request);
      await page.goto(address);
      await expect(page).toHaveURL(/\/login/u);
      await expect(page.getByText('Please log in to ask a question')).toBeHidden();
      await signIn(page, member);
      await expect(page).toHaveURL(address);
    });

  test(
    'a visitor who opened /ask reads why to sign in, and gets to the form afterwards',
    { tag: '@firefox' },
    async ({ page, request }) => {
      const member = await registerMember(request);
      await page.goto('/ask');
      await expect(page.getByText('Please log in to ask a question')).toBeVisible();
      await signIn(page, member);
      await expect(page).toHaveURL('/ask');
      await expect(page.getByRole('button', { name: 'Post Question' })).toBeVisible();
    },
  );
});

test('Logout leads to /login in every tab and closes the previous pages', async ({ page, context }) => {
  await registerMember(page.request);
  await page.goto('/');
  const other = await context.newPage();
  await other.goto('/?tab=popular');
  await expect(other.getByRole('tab', { name: 'Popular' })).toBeVisible();
  await signOut(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/login/u);
  await other.bringToFront();
  await expect(other).toHaveURL(/\/login/u);
});
