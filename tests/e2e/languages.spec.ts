import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { registerMember, newMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';
import { loadTranslations } from './support/translations.ts';

test.describe('on a narrow phone, in Arabic', () => {
  test.use({ locale: 'ar', viewport: { width: 320, height: 640 } });

  test('registering, asking, answering, replying and voting work in a right-to-left layout', async ({
    page,
  }) => {
    test.slow();
    const text = await loadTranslations('ar');
    const member = newMember('ليلى الكاتبة');
    await page.goto('/register');
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await expect(page.locator('html')).toHaveAttribute('lang', 'ar');
    await page.getByRole('textbox', { name: text('Full name') }).fill(member.displayName);
    await page.getByRole('textbox', { name: text('Email') }).fill(member.email);
    await page.getByLabel(text('Password'), { exact: true }).fill(member.password);
    await page.getByLabel(text('Confirm password')).fill(`${member.password}?`);
    await page.getByRole('button', { name: text('Create account') }).click();
    await expect(page.getByText(text('Passwords do not match'))).toBeVisible();
    await page.getByLabel(text('Confirm password')).fill(member.password);
    await page.getByRole('button', { name: text('Create account') }).click();
    await expect(page.getByRole('heading', { level: 1, name: text('Questions for you') })).toBeVisible();
    await expectFitsAndAccessible(page);

    await page
      .getByRole('navigation', { name: text('Main') })
      .getByRole('link', { name: text('Ask'), exact: true })
      .click();
    const title = uniqueText('كيف أتعلم البرمجة من الصفر؟');
    for (const name of ['Title', 'Details']) {
      const field = page.getByRole('textbox', { name: text(name) });
      await expect(field).toHaveCSS('direction', 'rtl');
      await field.fill('How?');
      await expect(field).toHaveCSS('direction', 'ltr');
    }
    await page.getByRole('textbox', { name: text('Title') }).fill(title);
    await expect(page.getByRole('textbox', { name: text('Title') })).toHaveCSS('direction', 'rtl');
    await page.getByRole('textbox', { name: text('Details') }).fill('من أين أبدأ؟');
    await expectFitsAndAccessible(page);
    await page.getByRole('button', { name: text('Post Question') }).click();
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();

    await expect(page.getByRole('textbox', { name: text('Your answer') })).toHaveCSS('direction', 'rtl');
    await page.getByRole('textbox', { name: text('Your answer') }).fill('ابدأ بمشكلة تحبها.');
    await page.getByRole('button', { name: text('Post Answer') }).click();
    const answer = page.getByRole('article', {
      name: text('Answer by {0}').replace('{0}', member.displayName),
    });
    await expect(answer).toBeFocused();
    await answer.getByRole('button', { name: text('Upvote') }).click();
    await expect(answer.getByRole('button', { name: text('Upvote') })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await answer.getByRole('button', { name: text('Reply'), exact: true }).click();
    await page.getByRole('textbox', { name: text('Your reply') }).fill('شكرا!');
    await page.getByRole('button', { name: text('Post Reply') }).click();
    await expect(
      page.getByRole('article', { name: text('Reply by {0}').replace('{0}', member.displayName) }),
    ).toBeVisible();
    await expectFitsAndAccessible(page);
  });
});

test('a language chosen in the settings stays after a reload and keeps typed text', async ({ page }) => {
  const german = await loadTranslations('de');
  await registerMember(page.request);
  const other = await page.context().newPage();
  await other.goto('/settings');
  await other.getByLabel('Location').fill('Bonn');
  await page.goto('/settings');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
  await expect(page.getByRole('heading', { level: 1, name: german('Settings') })).toBeVisible();
  await expect(other.getByLabel('Location')).toHaveValue('Bonn');
  await other.close();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.goto('/ask');
  await page.getByRole('textbox', { name: german('Title') }).fill('Bleibt das hier stehen?');
  await expect(page.getByText(german('Draft saved'))).toBeVisible();
  await page.goto('/settings');
  await page.getByRole('combobox', { name: german('Language') }).selectOption('English');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.goto('/ask');
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Bleibt das hier stehen?');
});

test('a language chosen on the registration page keeps what was typed, until the page is left', async ({
  page,
}) => {
  const german = await loadTranslations('de');
  await page.goto('/register');
  await page.getByLabel('Full name').fill('Ada Typed');
  await page.getByLabel('Password', { exact: true }).fill('a long secret');
  await page.getByLabel('Show my email address on my profile').uncheck();
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
  await expect(page.getByRole('heading', { level: 1, name: german('Create an account') })).toBeVisible();
  await expect(page.getByLabel(german('Full name'))).toHaveValue('Ada Typed');
  await expect(page.getByLabel(german('Password'), { exact: true })).toHaveValue('a long secret');
  await expect(page.getByLabel(german('Show my email address on my profile'))).not.toBeChecked();

  await page.getByRole('link', { name: german('Sign in') }).click();
  await page.getByRole('link', { name: german('Create an account') }).click();
  await expect(page.getByLabel(german('Password'), { exact: true })).toHaveValue('');
});

async function expectFitsAndAccessible(page: Page): Promise<void> {
  const outside = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(outside, page.url()).toBeLessThanOrEqual(0);
  await expectAccessible(page, { look: page.url() });
}
