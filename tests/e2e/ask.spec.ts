import { expect, type Page } from '@playwright/test';
import { holdRequests } from './support/held-requests.ts';
import { askQuestion, registerMember, signIn } from './support/members.ts';
import { askFields, openAskForm } from './support/forms.ts';
import { uniqueText } from './support/posts.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

/** The number of questions with this title on the first page of the feed. */
async function countQuestionsWithTitle(page: Page, title: string): Promise<number> {
  const response = await page.request.get('/api/feeds/recent');
  const { items } = (await response.json()) as { items: { title: string }[] };
  return items.filter((item) => item.title === title).length;
}

// A test that leaves a draft has a member of its own.

test('the counters count characters as readers see them', async ({ page }) => {
  await openAskForm(page);
  const { title, details } = askFields(page);
  await expect(page.getByText('0/200', { exact: true })).toBeVisible();
  await expect(page.getByText('0/2000', { exact: true })).toBeVisible();
  await title.fill('🚀 né');
  await expect(page.getByText('4/200', { exact: true })).toBeVisible();
  await details.fill('x'.repeat(2001));
  await expect(page.getByText('2001/2000', { exact: true })).toBeVisible();
});

test('a sixth tag is rejected next to the field', async ({ sharedPage: page }) => {
  await visit(page, '/ask');
  const { title, details, tags, post } = askFields(page);
  await title.fill(uniqueText('Six tags'));
  await details.fill('Details');
  await tags.fill('a, b, c, d, e, f');
  await expect(page.getByRole('alert')).toHaveText('You can add up to 5 tags');
  await post.click();
  await expect(page).toHaveURL('/ask');
  await tags.fill('a, b, c, d, e, A');
  await expect(page.getByRole('alert')).toBeHidden();
  await post.click();
  await expect(page).toHaveURL(/\/question\//u);
});

test('the form says when the session has expired, and signing in restores the draft', async ({
  page,
  context,
}) => {
  await openAskForm(page);
  const { title, details, post } = askFields(page);
  const { email } = ((await (await page.request.get('/api/session')).json()) as { member: { email: string } })
    .member;
  const text = uniqueText('Typed while the session ended');
  await title.fill(text);
  await details.fill('Details');
  await context.clearCookies();
  await post.click();
  await expect(page.getByRole('alert')).toContainText('Please log in to ask a question');
  await expect(page).toHaveURL('/ask');
  await expect(title).toHaveValue(text);

  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByText('Please log in to ask a question')).toBeVisible();
  await signIn(page, { email, password: 'correct horse' });
  await expect(page).toHaveURL('/ask');
  await expect(title).toHaveValue(text);
  await post.click();
  await expect(page).toHaveURL(/\/question\//u);
});

test('a question is posted once when the response is lost, and the form says that it was posted', async ({
  sharedPage: page,
}) => {
  await visit(page, '/ask');
  const { title, details, post } = askFields(page);
  const text = uniqueText('Sent, but the answer got lost');
  await title.fill(text);
  await details.fill('Details');
  await page.route(
    '**/api/questions',
    async (route) => {
      // The server receives the request; the browser gets no response.
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await post.click();
  await expect(page.getByRole('alert')).toHaveText('Failed to create question. Please try again.');
  expect(await countQuestionsWithTitle(page, text)).toBe(1);
  // The server's draft says that it was posted.
  await expect(page.getByText('This draft was posted.')).toBeVisible({ timeout: 15_000 });
  await expect(title).toHaveValue('');
  expect(await countQuestionsWithTitle(page, text)).toBe(1);
});

test('a double click posts once, and Ctrl+Enter posts as well', async ({ sharedPage: page }) => {
  await visit(page, '/ask');
  const { title, details, post } = askFields(page);
  const first = uniqueText('Clicked twice');
  await title.fill(first);
  await details.fill('Details');
  await post.dblclick();
  await expect(page).toHaveURL(/\/question\//u);
  expect(await countQuestionsWithTitle(page, first)).toBe(1);

  await visit(page, '/ask');
  const second = uniqueText('By the keyboard');
  await title.fill(second);
  await details.fill('Details');
  await details.press('Control+Enter');
  await expect(page).toHaveURL(/\/question\//u);
  expect(await countQuestionsWithTitle(page, second)).toBe(1);
});

test('a question can be posted again when there was no response for 20 seconds', async ({
  sharedPage: page,
}) => {
  await visit(page, '/ask');
  test.slow();
  const { title, details, post } = askFields(page);
  await title.fill(uniqueText('Into the void'));
  await details.fill('Details');
  await page.route('**/api/questions', () => {}, { times: 1 });
  await post.click();
  await expect(page.getByRole('alert')).toHaveText('Failed to create question. Please try again.', {
    timeout: 40_000,
  });
  await post.click();
  await expect(page).toHaveURL(/\/question\//u);
});

test('nothing can be typed while a question is being posted, so that nothing is lost', async ({ page }) => {
  await openAskForm(page);
  const { title, details, tags, post } = askFields(page);
  await title.fill(uniqueText('Slowly posted'));
  await details.fill('Details');
  const arriving = Promise.withResolvers<void>();
  await page.route('**/api/questions', async (route) => {
    await arriving.promise;
    await route.abort();
  });
  await post.click();
  for (const field of [title, details, tags]) await expect(field).not.toBeEditable();
  arriving.resolve();
  await expect(page.getByRole('alert')).toHaveText('Failed to create question. Please try again.');
  for (const field of [title, details, tags]) await expect(field).toBeEditable();
  await expect(details).toHaveValue('Details');
});

test('a member who opens another page while a question is sent learns how it went', async ({
  page,
  playwright,
  baseURL,
}) => {
  const tag = uniqueText('tag').toLowerCase().replaceAll(' ', '-');
  const follower = await playwright.request.newContext(baseURL === undefined ? {} : { baseURL });
  await registerMember(follower);
  await askQuestion(follower, { title: uniqueText('Who follows this tag?'), tags: [tag] });
  expect((await follower.put(`/api/tags/${tag}/follow`, { data: { following: true } })).ok()).toBe(true);
  await follower.dispose();
  await openAskForm(page);
  const { title, details, tags, post } = askFields(page);
  await title.fill(uniqueText('Sent slowly'));
  await details.fill('Details');
  await tags.fill(tag);
  await expect(page.getByText(`One person who follows ${tag}`)).toBeVisible();
  const leave = async () => {
    await post.click();
    await expect(title).not.toBeEditable();
    await page.getByRole('link', { name: 'Topics' }).first().click();
    await expect(page.getByRole('heading', { name: 'Discover Topics' })).toBeVisible();
  };
  const arriving = Promise.withResolvers<void>();
  await page.route('**/api/questions', async (route) => {
    await arriving.promise;
    await route.abort();
  });
  await leave();
  arriving.resolve();
  await expect(page.getByRole('alert')).toHaveText('Failed to create question. Please try again.');
  await page.unroute('**/api/questions');
  await page.getByRole('link', { name: 'Ask Question' }).click();
  await expect(page.getByText(`One person who follows ${tag}`)).toBeVisible();
  const release = await holdRequests(page, '**/api/questions');
  await leave();
  release();
  await expect(page.getByText('Posted. One person who follows its tags sees it')).toBeVisible();
  await expect(page).toHaveURL(/\/topics$/u);
});
