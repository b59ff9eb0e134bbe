import { expect, test, type Page } from '@playwright/test';
import { signOut, registerMember, signIn } from './support/members.ts';

const fields = (page: Page) => ({
  title: page.getByLabel('Title'),
  details: page.getByLabel('Details'),
  tags: page.getByLabel('Tags'),
  post: page.getByRole('button', { name: 'Post Question' }),
});

const uniqueText = (text: string) => `${text} ${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

/** The number of questions with this title on the first page of the feed. */
async function countQuestionsWithTitle(page: Page, title: string): Promise<number> {
  const response = await page.request.get('/api/feeds/recent');
  const { items } = (await response.json()) as { items: { title: string }[] };
  return items.filter((item) => item.title === title).length;
}

test.beforeEach(async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await page.getByRole('link', { name: 'Ask Question' }).click();
  await expect(page.getByRole('heading', { name: 'Ask a question' })).toBeFocused();
});

test('a member asks a question with tags and lands on it', async ({ page }) => {
  const { title, details, tags, post } = fields(page);
  const text = uniqueText('How do I sharpen a chisel?');
  await expect(page).toHaveTitle('Ask a question · Parley');
  await expect(page.getByText('Separate tags with commas (max 5)')).toBeVisible();
  await title.fill(text);
  await details.fill('On a stone, with water.');
  await tags.fill(' Tools,  hand   tools,, #Tools ');
  await post.click();
  await expect(page).toHaveURL(/\/question\/\d+$/u);
  const id = page.url().split('/').at(-1);
  const response = await page.request.get(`/api/questions/${id}`);
  const { question } = (await response.json()) as {
    question: { title: string; content: string; tags: string[] };
  };
  expect(question).toMatchObject({
    title: text,
    content: 'On a stone, with water.',
    tags: ['Tools', 'hand tools'],
  });
});

test('the counters count characters as readers see them', async ({ page }) => {
  const { title, details } = fields(page);
  await expect(page.getByText('0/200', { exact: true })).toBeVisible();
  await expect(page.getByText('0/2000', { exact: true })).toBeVisible();
  await title.fill('🚀 né');
  await expect(page.getByText('4/200', { exact: true })).toBeVisible();
  await details.fill('x'.repeat(2001));
  await expect(page.getByText('2001/2000', { exact: true })).toBeVisible();
});

test('title and details are required, also when they are blank', async ({ page }) => {
  const { title, details, post } = fields(page);
  const alert = page.getByRole('alert');
  await post.click();
  await expect(alert).toHaveText('Please fill in all required fields');
  await expect(title).toBeFocused();
  await title.fill('A title');
  await details.fill('  \n ');
  await post.click();
  await expect(alert).toHaveText('Please fill in all required fields');
  await expect(details).toBeFocused();
  await title.fill('x'.repeat(201));
  await details.fill('Details');
  await post.click();
  await expect(alert).toHaveText('Title must be 200 characters or fewer');
});

test('a sixth tag is rejected next to the field', async ({ page }) => {
  const { title, details, tags, post } = fields(page);
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

test('typed text survives a reload and a sign-out, and is deleted after posting', async ({ page }) => {
  const { title, details, tags, post } = fields(page);
  const text = uniqueText('A draft that stays');
  await title.fill(text);
  await details.fill('Half a thought');
  await tags.fill('drafts');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.reload();
  await expect(title).toHaveValue(text);
  await expect(page.getByText('Draft saved')).toBeVisible();

  await details.fill('Half a thought, and the last word typed just before leaving');
  const { email } = ((await (await page.request.get('/api/session')).json()) as { member: { email: string } })
    .member;
  await signOut(page);
  await signIn(page, { email, password: 'correct horse' });
  await page.getByRole('link', { name: 'Ask Question' }).click();
  await expect(details).toHaveValue('Half a thought, and the last word typed just before leaving');
  await expect(tags).toHaveValue('drafts');

  await post.click();
  await expect(page).toHaveURL(/\/question\//u);
  await page.goto('/ask');
  await expect(title).toHaveValue('');
  await expect(page.getByText('Draft saved')).toBeHidden();
});

test('the form says when the session has expired, and signing in restores the draft', async ({
  page,
  context,
}) => {
  const { title, details, post } = fields(page);
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
  page,
}) => {
  const { title, details, post } = fields(page);
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

test('a double click posts once, and Ctrl+Enter posts as well', async ({ page }) => {
  const { title, details, post } = fields(page);
  const first = uniqueText('Clicked twice');
  await title.fill(first);
  await details.fill('Details');
  await post.dblclick();
  await expect(page).toHaveURL(/\/question\//u);
  expect(await countQuestionsWithTitle(page, first)).toBe(1);

  await page.goto('/ask');
  const second = uniqueText('By the keyboard');
  await title.fill(second);
  await details.fill('Details');
  await details.press('Control+Enter');
  await expect(page).toHaveURL(/\/question\//u);
  expect(await countQuestionsWithTitle(page, second)).toBe(1);
});
