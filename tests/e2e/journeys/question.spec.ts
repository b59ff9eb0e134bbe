import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.ts';
import { askAndOpen, button, postAnswer, question, secondMember, uniqueText } from '../support/posts.ts';
import { askQuestion, registerMember } from '../support/members.ts';

test('a reader sees the question with all its parts', async ({ page, browser }) => {
  const author = await secondMember(browser, 'Grace Hopper');
  const title = uniqueText('Why was there a moth in relay 70?');
  const id = await askQuestion(author.page.request, {
    title,
    content: 'It was **found**\non Friday.',
    tags: ['hardware', 'history of computing'],
  });
  await registerMember(page.request);
  await page.goto(`/question/${id}`);
  await expect(page).toHaveTitle(`${title} · Parley`);
  const article = question(page, title);
  await expect(article.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(article.getByRole('link', { name: 'Grace Hopper' })).toHaveAttribute(
    'href',
    /^\/profile\/\d+$/u,
  );
  await expect(article.getByRole('time').first()).toHaveText('just now');
  await expect(article.getByText('1 view', { exact: true })).toBeVisible();
  await expect(article.getByRole('strong')).toHaveText('found');
  await expect(article.locator('br')).toHaveCount(1);
  await expect(article.getByRole('link', { name: 'history of computing' })).toHaveAttribute(
    'href',
    '/topics/history%20of%20computing',
  );
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(article.getByRole('button', { name: 'Delete Question' })).toHaveCount(0);
  await expect(article.getByRole('button', { name: 'Edit' })).toHaveCount(0);
});

test('votes are cast, switched and removed, and survive a reload', { tag: '@firefox' }, async ({ page }) => {
  const title = uniqueText('Which way up?');
  await registerMember(page.request);
  await askAndOpen(page, title);
  const article = question(page, title);
  const up = (count: number) => article.getByRole('button', { name: `Upvote (${count})`, exact: true });
  const down = (count: number) => article.getByRole('button', { name: `Downvote (${count})`, exact: true });

  await expect(up(0)).toHaveAttribute('aria-pressed', 'false');
  await up(0).click();
  await expect(up(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(up(1).getByText('1', { exact: true })).toBeVisible();
  await expect(up(1)).toBeEnabled();
  await down(0).click();
  await expect(down(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(up(0)).toHaveAttribute('aria-pressed', 'false');
  await expect(down(1)).toBeEnabled();
  await page.reload();
  await expect(down(1)).toHaveAttribute('aria-pressed', 'true');
  await down(1).click();
  await expect(down(0)).toHaveAttribute('aria-pressed', 'false');
});

test('a question is followed and unfollowed', async ({ page }) => {
  await registerMember(page.request);
  await askAndOpen(page, uniqueText('Worth following?'));
  await button(page, 'Follow question').click();
  await expect(button(page, 'Following question')).toBeEnabled();
  await page.reload();
  await button(page, 'Following question').click();
  await expect(button(page, 'Follow question')).toBeVisible();
});

test('a missing question shows that it does not exist', async ({ page }) => {
  await registerMember(page.request);
  for (const address of ['/question/987654321', '/question/abc']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
    await expect(page).toHaveTitle('Question not found · Parley');
  }
});

test('the question page has no accessibility violations in both themes', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await registerMember(page.request);
  const id = await askQuestion(page.request, {
    title: uniqueText('Is it accessible?'),
    content:
      '# Heading\n\n```js\nconst a = 1; // comment\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n> quote',
  });
  await postAnswer(page.request, id, 'An **answer**');
  await page.goto(`/question/${id}`);
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await expect(page.getByLabel('Your reply')).toBeFocused();
  await expect(page.locator('.hljs-keyword')).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, { colours: true });
});
