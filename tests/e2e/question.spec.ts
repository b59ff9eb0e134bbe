import { questionPath } from '#shared/posts/question-paths.ts';
import { expect } from '@playwright/test';
import { test } from './support/shared-page.ts';
import { askAndOpen, button, postAnswer, question, secondMember, uniqueText } from './support/posts.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForHydration } from './support/hydration.ts';

test('a view counts once per member, however often the member returns', async ({
  sharedPage: page,
  browser,
}) => {
  const title = uniqueText('How often do you look?');
  const id = await askAndOpen(page, title);
  await expect(page.getByText('1 view', { exact: true })).toBeVisible();
  const other = await secondMember(browser, 'Second Reader');
  const readings: string[] = [];
  other.page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(`/questions/${id}`)) readings.push(request.url());
  });
  for (let visit = 0; visit < 2; visit++) {
    await other.page.goto(`/question/${id}`);
    await expect(other.page.getByText('2 views', { exact: true })).toBeVisible();
  }
  // The page has its content inlined, and the live updates bring the count.
  expect(readings).toEqual([]);
});

test('the address of a question follows its title without a new navigation', async ({ sharedPage: page }) => {
  const title = uniqueText('为什么 Why is this one 水?');
  const id = await askAndOpen(page, title);
  await expect(page).toHaveURL(questionPath(id, title));
  await page.goto('/');
  await page.getByRole('article', { name: title }).getByRole('heading').getByRole('link').click();
  await expect(page).toHaveURL(questionPath(id, title));
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeFocused();

  const field = page.getByLabel('Your answer');
  await field.focus();
  const changed = uniqueText('Another title');
  await page.request.put(`/api/questions/${id}`, { data: { title: changed, content: 'Text', tags: [] } });
  await expect(page).toHaveURL(questionPath(id, changed));
  await expect(field).toBeFocused();
  await page.goBack();
  await expect(page).toHaveURL('/');
});

test('a vote shows immediately, its buttons are disabled while it is saved, and a refusal reverts it', async ({
  sharedPage: page,
}) => {
  const title = uniqueText('Slow votes');
  await askAndOpen(page, title);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const sent: unknown[] = [];
  await page.route('**/vote', async (route) => {
    sent.push(route.request().postDataJSON());
    await held;
    await route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 429, kind: 'too-many', title: 'Too many', detail: 'Please wait.' }),
    });
  });
  const article = question(page, title);
  await article.getByRole('button', { name: 'Upvote (0)' }).click();
  const pressed = article.getByRole('button', { name: 'Upvote (1)' });
  await expect(pressed).toHaveAttribute('aria-pressed', 'true');
  await expect(pressed).toBeDisabled();
  await expect(article.getByRole('button', { name: 'Downvote (0)' })).toBeDisabled();
  await page.keyboard.press('d');
  await expect(article.getByRole('button', { name: 'Downvote (1)' })).toHaveAttribute('aria-pressed', 'true');
  await expect(article.getByRole('button', { name: 'Upvote (0)' })).toHaveAttribute('aria-pressed', 'false');
  expect(sent).toEqual([{ vote: 'up' }]);
  release();
  await expect(article.getByRole('button', { name: 'Upvote (0)' })).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByText('Please wait.')).toBeVisible();
  expect(sent).toEqual([{ vote: 'up' }, { vote: 'down' }]);
  await expect(article.getByRole('button', { name: 'Downvote (0)' })).toBeEnabled();
});

test('the latest choice stays shown until its vote is saved, whatever events and fetches bring', async ({
  sharedPage: page,
}) => {
  const title = uniqueText('Undecided');
  const id = await askAndOpen(page, title);
  const release = await holdRequests(page, '**/vote');
  const article = question(page, title);
  const up = article.getByRole('button', { name: 'Upvote (0)' });
  const down = article.getByRole('button', { name: 'Downvote (1)' });
  await up.click();
  await page.keyboard.press('d');
  await expect(down).toHaveAttribute('aria-pressed', 'true');
  // The first vote is stored, and its response is still on its way.
  await page.request.put(`/api/questions/${id}/vote`, { data: { vote: 'up' } });
  await page.request.put(`/api/questions/${id}`, { data: { title, content: 'A new text.', tags: [] } });
  await expect(article.getByText('A new text.')).toBeVisible();
  await expect(down).toHaveAttribute('aria-pressed', 'true');
  await expect(up).toHaveAttribute('aria-pressed', 'false');
  release();
  await expect(down).toBeEnabled();
  await expect(down).toHaveAttribute('aria-pressed', 'true');
  await expect(up).toHaveAttribute('aria-pressed', 'false');
});

test('a failed vote and a failed follow are reverted and logged, without a message', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await registerMember(page.request);
  const title = uniqueText('Is anybody listening?');
  await askAndOpen(page, title);
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  for (const address of ['**/vote', '**/follow']) await page.route(address, (route) => route.abort());
  const article = question(page, title);
  await article.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect.poll(() => logged.join('\n')).toMatch(/vot\w* failed:/iu);
  await expect(article.getByRole('button', { name: 'Upvote (0)' })).toHaveAttribute('aria-pressed', 'false');
  await button(page, 'Follow question').click();
  await expect.poll(() => logged.join('\n')).toContain('Following failed:');
  await expect(button(page, 'Follow question')).toBeEnabled();
  // Messages are shown in order, so that one about the failures would be shown before this one.
  await button(page, 'Share').click();
  await expect(page.getByText('Link copied to clipboard!')).toBeVisible();
  expect(await page.getByRole('button', { name: 'Close message' }).count()).toBe(1);
});

test('Share copies the link of a question', async ({ sharedPage: page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const title = uniqueText('Where is it?');
  const id = await askAndOpen(page, title);
  await button(page, 'Share').click();
  await expect(page.getByText('Link copied to clipboard!')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(new URL(questionPath(id, title), page.url()).href);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true });

  test('Share opens the share sheet of the device, with the first 100 characters', async ({ page }) => {
    await page.addInitScript(() => {
      const shared = (data?: ShareData) => {
        document.documentElement.dataset['shared'] = JSON.stringify(data);
        return Promise.resolve();
      };
      Object.assign(navigator, { canShare: () => true, share: shared });
    });
    await registerMember(page.request);
    const title = uniqueText('What shall I pass on?');
    const id = await askAndOpen(page, title, `**${'Ä'.repeat(99)}**XYZ`);
    await button(page, 'Share').click();
    await expect(page.locator('html')).toHaveAttribute('data-shared', /X/u);
    const shared = await page.locator('html').getAttribute('data-shared');
    expect(JSON.parse(shared ?? '{}')).toEqual({
      title,
      text: expect.stringMatching(/^Ä{99}X…?$/u),
      url: new URL(questionPath(id, title), page.url()).href,
    });
    await expect(page.getByText('Link copied to clipboard!')).toBeHidden();
  });
});

test('shortcuts step through the posts and act on the focused one', async ({ page }) => {
  const member = await registerMember(page.request);
  const title = uniqueText('Which key?');
  const id = await askQuestion(page.request, { title });
  await postAnswer(page.request, id, 'This one.');
  await page.goto(`/question/${id}`);
  const asked = question(page, title);
  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answered).toBeVisible();
  await waitForHydration(page);
  await page.keyboard.press('u');
  await expect(asked.getByRole('button', { name: 'Upvote (1)' })).toBeEnabled();
  await page.keyboard.press('j');
  await expect(asked).toBeFocused();
  await page.keyboard.press('j');
  await expect(answered).toBeFocused();
  await page.keyboard.press('d');
  await expect(answered.getByRole('button', { name: 'Downvote (1)' })).toBeEnabled();
  await page.keyboard.press('r');
  const field = page.getByLabel('Your reply');
  await expect(field).toBeFocused();
  await field.pressSequentially('jkude');
  await expect(field).toHaveValue('jkude');
  await field.press('Escape');
  await expect(field).toBeHidden();
  await expect(answered.getByRole('button', { name: 'Reply' })).toBeFocused();
  await page.keyboard.press('e');
  await expect(page.getByLabel('Edit answer')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await expect(asked).toBeFocused();
  await page.keyboard.press('e');
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('Title')).toBeHidden();
  await expect(asked).toBeFocused();
});

test('on a narrow phone nothing scrolls horizontally, whatever members write', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await registerMember(page.request, newMember('N'.repeat(80)));
  const id = await askQuestion(page.request, {
    title: 'W'.repeat(200),
    content: `${'x'.repeat(300)}\n\n\`\`\`\n${'y'.repeat(300)}\n\`\`\`\n\n|${'a|'.repeat(30)}\n|${'-|'.repeat(30)}`,
  });
  await postAnswer(page.request, id, `https://example.org/${'z'.repeat(300)}`);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
