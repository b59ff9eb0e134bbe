import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type APIRequestContext, expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.ts';
import { holdRequests } from '../support/held-requests.ts';
import type { Community } from '../support/community.ts';
import { waitForHydration } from '../support/hydration.ts';
import { expectInView } from '../support/in-view.ts';
import { askQuestion, newMember, registerMember, signIn } from '../support/members.ts';
import { changeSettings, startCommunityWithOwner } from '../support/set-up.ts';

// docs/product.md 1.8 and 1.9. Public reading is a setting of the whole site, so the site is one of its own.
let community: Community;
let owner: { request: APIRequestContext };
let author = newMember('Robin Page');
let questionId = 0;
test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ playwright }) => {
  owner = { request: await playwright.request.newContext() };
  community = await startCommunityWithOwner(owner);
  const request = await playwright.request.newContext();
  author = await registerMember(request, author, community.address);
  questionId = await askQuestion(
    request,
    { title: 'Why does rye bread crumble?', content: 'Mine does.', tags: ['rye'] },
    community.address,
  );
  const answer = await request.post(`${community.address}/api/questions/${questionId}/answers`, {
    data: { content: 'It has little gluten.' },
  });
  expect(answer.status()).toBe(201);
  await request.dispose();
});
test.afterAll(async () => {
  await owner.request.dispose();
  await community.remove();
});

/** Collects the failed requests of a page. */
function collectFailures(page: Page): string[] {
  const failures: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
  });
  return failures;
}

const dialog = (page: Page) => page.getByRole('dialog');
const question = (page: Page) => page.getByRole('article', { name: 'Why does rye bread crumble?' });

test('a visitor reads and searches, presses a vote, signs in and is back at the vote, which works', async ({
  page,
}) => {
  const reader = newMember('Kim Reader');
  await registerMember(page.request, reader, community.address);
  await page.context().clearCookies();
  const failures = collectFailures(page);

  await page.goto(`${community.address}/`);
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Log in' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Notifications/u })).toHaveCount(0);
  await page.getByRole('link', { name: 'Topics' }).first().click();
  await expect(page.getByRole('heading', { name: 'Discover Topics' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search questions' }).fill('rye crumble');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Why does rye bread crumble?' }).click();
  await expect(page.getByText('It has little gluten.')).toBeVisible();

  await question(page).getByRole('link', { name: 'Robin Page' }).first().click();
  await expect(page.getByRole('heading', { name: 'Robin Page' })).toBeVisible();
  await expect(page.getByText(author.email)).toHaveCount(0);
  await page.goBack();
  expect(failures).toEqual([]);

  await page.getByRole('link', { name: 'Ask Question' }).click();
  await expect(dialog(page).getByText('Log in to ask a question')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  // A later sign-in does not lead to the control.
  expect(await page.evaluate(() => sessionStorage.getItem('parley.sign-in-control'))).toBeNull();
  await question(page).getByRole('button', { name: 'Upvote (0)' }).click();
  await expectInView(dialog(page).getByRole('link', { name: 'Sign up' }));
  await expect(dialog(page)).toContainText('Log in to vote');
  await dialog(page).getByRole('link', { name: 'Log in' }).click();
  await signIn(page, reader);

  const vote = question(page).getByRole('button', { name: /^Upvote/u });
  await expect(vote).toBeFocused();
  await expectInView(vote);
  await page.keyboard.press('Enter');
  await expect(vote).toHaveAttribute('aria-pressed', 'true');
  await expect(vote).toHaveAccessibleName('Upvote (1)');

  // When the session has ended, the member reads on as a visitor.
  await expect(vote).not.toHaveAttribute('aria-disabled');
  await page.context().clearCookies();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.getByRole('link', { name: 'Baking' }).click();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
});

test('after signing in from a question by way of the other pages for visitors, Back leads to the page before the question', async ({
  page,
}) => {
  const reader = newMember('Ria Returner');
  await registerMember(page.request, reader, community.address);
  await page.context().clearCookies();
  await page.goto(`${community.address}/topics/rye`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Why does rye bread crumble?' }).click();
  await question(page)
    .getByRole('button', { name: /^Upvote/u })
    .click();
  await dialog(page).getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await signIn(page, reader);
  await expect(question(page).getByRole('button', { name: /^Upvote/u })).toBeFocused();
  // Forward has the address of the login page, which leads to the question again.
  await page.goForward();
  await expect(page).toHaveURL(/\/question\//u);
  await expect(question(page)).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'rye', level: 1, exact: true })).toBeVisible();
});

test('a visitor who goes back before the login page is shown reads on, and the heading has the focus', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Lea Leaver'), community.address);
  await page.goto(`${community.address}/question/${questionId}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Topics' }).first().click();
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Following', exact: true })).toBeVisible();
  const release = await holdRequests(page, /\/assets\/LoginPage-[^/]*\.js$/u);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/login$/u);
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Log in' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();
  await page.goBack();
  await expect(page.getByText('It has little gluten.')).toBeVisible();

  release();
  await question(page)
    .getByRole('button', { name: /^Upvote/u })
    .click();
  await dialog(page).getByRole('link', { name: 'Log in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeFocused();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Why does rye bread crumble?' })).toBeFocused();
});

test('a visitor whose session ends on a private page, and who goes back, reads the public page before it', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Sam Settings'), community.address);
  await page.goto(`${community.address}/question/${questionId}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  const release = await holdRequests(page, /\/assets\/LoginPage-[^/]*\.js$/u);
  const other = await context.newPage();
  await other.goto(community.address);
  await other.getByRole('button', { name: 'Account menu' }).click();
  await other.getByRole('menuitem', { name: 'Logout' }).click();

  await expect(page).toHaveURL(/\/login/u);
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Log in' })).toBeVisible();
  await expect(page.getByText('It has little gluten.')).toBeVisible();
  release();
  await question(page)
    .getByRole('button', { name: /^Upvote/u })
    .click();
  await expect(dialog(page).getByRole('link', { name: 'Log in' })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/question/${questionId}/`, 'u'));
});

test('an answer that a visitor typed is in the field after registering, and is posted', async ({ page }) => {
  const writer = newMember('Sam Writer');
  await page.goto(`${community.address}/question/${questionId}`);
  await page.getByLabel('Your answer').fill('Add some wheat flour.');
  await page.getByRole('button', { name: 'Picture' }).click();
  await expect(dialog(page)).toContainText('Log in to continue');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(dialog(page)).toContainText('Log in to post your answer');
  await dialog(page).getByRole('link', { name: 'Sign up' }).click();
  await page.getByLabel('Full name').fill(writer.displayName);
  await page.getByLabel('Email', { exact: true }).fill(writer.email);
  await page.getByLabel('Password', { exact: true }).fill(writer.password);
  await page.getByLabel('Confirm password').fill(writer.password);
  await page.getByRole('button', { name: 'Create account' }).click();

  await expect(page.getByLabel('Your answer')).toBeFocused();
  await expect(page.getByLabel('Your answer')).toHaveValue('Add some wheat flour.');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('article', { name: 'Answer by Sam Writer' })).toContainText(
    'Add some wheat flour.',
  );
});

for (const kind of ['saved', 'unsent'] as const)
  test(`a text that a visitor typed replaces no ${kind} draft of the member who signs in`, async ({
    page,
  }) => {
    const saved = kind === 'saved';
    const field = page.getByLabel('Your answer');
    const writer = await registerMember(page.request, newMember('Wanda Writer'), community.address);
    await page.goto(`${community.address}/question/${questionId}`);
    await waitForHydration(page);
    if (!saved) await page.route('**/api/drafts/**', (route) => route.abort());
    await field.fill('Written in an hour.');
    await expect(page.getByText(saved ? 'Draft saved' : 'Saved on this device')).toBeVisible();
    await page.unrouteAll();
    await page.context().clearCookies();
    await page.reload();
    await expect(page.getByRole('link', { name: 'Log in' })).toBeVisible();
    await expect(field).toHaveValue('');
    await field.fill('Typed signed out.');
    await page.getByRole('button', { name: 'Post Answer' }).click();
    await dialog(page).getByRole('link', { name: 'Log in' }).click();
    await signIn(page, writer);
    const choice = page.getByRole('region', { name: 'You already have a draft of this post' });
    if (saved) {
      await expect(choice).toContainText('Written in an hour.');
      await expect(field).toHaveValue('Typed signed out.');
    } else await expect(field).toHaveValue('Written in an hour.\n\nTyped signed out.');
    await expect(choice).toHaveCount(saved ? 1 : 0);
  });

test('on a phone, pages of visitors are accessible in both themes, and the dialog is in view', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${community.address}/question/${questionId}`);
    await expect(page.getByText('It has little gluten.')).toBeVisible();
    await expectAccessible(page, { colours: colorScheme === 'dark' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await question(page).getByRole('button', { name: 'Follow question' }).click();
    await expectInView(dialog(page).getByRole('link', { name: 'Log in' }));
    await expectAccessible(page, { within: '[role="dialog"]', colours: colorScheme === 'dark' });
  }
});

test('formulas are shown in posts and in the preview, and wide ones scroll on a phone', async ({ page }) => {
  await changeSettings(owner.request, community, { formulas: true });
  await registerMember(page.request, newMember('Max Formula'), community.address);
  const wide = Array.from({ length: 40 }, (_, index) => `x_{${index}}`).join(' + ');
  const content = `It costs $5 or $10: $E = mc^2$.\n$$\n\\frac{a}{b} = ${wide}\n$$\nThen $\\foo$.`;
  const id = await askQuestion(page.request, { title: 'How much is mass?', content }, community.address);
  await page.context().clearCookies();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${community.address}/question/${id}`);
  const asked = page.getByRole('article', { name: 'How much is mass?' });
  await expect(asked.getByText('It costs $5 or $10:')).toBeVisible();
  await expect(asked.getByRole('math')).toHaveCount(2);
  await expect(asked.getByTitle('Unsupported function name')).toHaveText('$\\foo$');
  await expectInView(asked.getByRole('group', { name: 'Formula' }));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectAccessible(page);
  await waitForHydration(page);
  await page.getByLabel('Your answer').fill('Or $\\sqrt{2}$');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Preview' }).locator('msqrt')).toBeVisible();
  await expect(asked.getByRole('math')).toHaveCount(2);
  expect(problems).toEqual([]);
});

test('another site shows the questions of a topic, with a strict policy, in its own colors, and no cookie', async ({
  page,
}) => {
  const { address } = community;
  const policy =
    `default-src 'none'; style-src 'self'; script-src ${address}; connect-src ${address}; ` +
    `require-trusted-types-for 'script'`;
  const widget = `<script src="${address}/widget.js" data-tag="rye" async></script>`;
  const otherSite = createServer(({ url }, response) => {
    if (url === '/site.css')
      return response
        .writeHead(200, { 'content-type': 'text/css' })
        .end('body { background: #123; color: #eef } ul { display: none }');
    return response
      .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
      .end(
        `<!doctype html><title>Docs</title><link rel="stylesheet" href="/site.css"><h1>Docs</h1>${widget}`,
      );
  }).listen(0, '127.0.0.1');
  await once(otherSite, 'listening');
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') violations.push(message.text());
  });
  await page.goto(`http://localhost:${(otherSite.address() as AddressInfo).port}/`);
  await expect(page.getByRole('heading', { name: 'Questions about rye', level: 2 })).toBeVisible();
  const link = page.getByRole('link', { name: 'Why does rye bread crumble?' });
  await expect(link).toBeInViewport();
  await expect(page.getByText(/^\d+ answers?$/u)).toBeVisible();
  expect(await link.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(238, 238, 255)');
  expect(await page.context().cookies()).toEqual([]);
  expect(violations.filter((text) => !text.includes('favicon'))).toEqual([]);
  await link.press('Enter');
  await expect(page).toHaveURL(new RegExp(`^${address}/question/${questionId}/`, 'u'));
  otherSite.close();
});
