import { questionPath } from '#shared/posts/question-paths.ts';
import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { uniqueText } from '../support/posts.ts';

test('a card shows title, excerpt, tags, author, time and counts', async ({ page, playwright, baseURL }) => {
  const author = await registerMember(page.request, newMember('Grace Hopper'));
  const title = uniqueText('Why was there a moth in relay 70?');
  const content = `${'**moth** '.repeat(60)}the end`;
  const id = await askQuestion(page.request, {
    title,
    content,
    tags: ['hardware', 'history', 'insects', 'debugging', 'mark ii'],
  });
  const other = await playwright.request.newContext({ ...(baseURL && { baseURL }) });
  await registerMember(other);
  await other.put(`/api/questions/${id}/vote`, { data: { vote: 'up' } });
  await other.put(`/api/questions/${id}/view`);
  await other.dispose();

  await page.goto('/');
  const card = page.getByRole('article', { name: title });
  await expect(card.getByRole('heading', { name: title }).getByRole('link')).toHaveAttribute(
    'href',
    questionPath(id, title),
  );
  await expect(card.getByText(author.displayName)).toBeVisible();
  await expect(card.getByText('1 upvote', { exact: true })).toBeVisible();
  await expect(card.getByText('0 answers', { exact: true })).toBeVisible();
  await expect(card.getByText('1 view', { exact: true })).toBeVisible();
  await expect(card.getByRole('listitem')).toHaveText(['hardware', 'history', 'insects', '+2 more']);
  const time = card.getByRole('time');
  await expect(time).toHaveText(/^(just now|\d minutes? ago)$/u);
  await expect(time).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT.*Z$/u);
  await expect(time).toHaveAttribute('title', /\d{4} at \d/u);

  const excerpt = card.getByRole('paragraph');
  await expect(excerpt).toHaveText(/^(moth )+moth?.*… Read more$/u);
  expect(((await excerpt.textContent()) ?? '').replace(/… Read more$/u, '').length).toBeLessThanOrEqual(200);
  await card.getByRole('link', { name: 'Read more' }).click();
  await expect(page).toHaveURL(questionPath(id, title));
});

test(
  'the tabs are links with URLs, and arrow keys move between them',
  { tag: '@firefox' },
  async ({ page }) => {
    await registerMember(page.request);
    await page.goto('/');
    await expect(page).toHaveTitle('Questions for you · Parley');
    const tab = (name: string) => page.getByRole('tab', { name });
    await expect(page.getByRole('tab')).toHaveText(['Recent', 'Popular', 'Unanswered']);
    await expect(tab('Recent')).toHaveAttribute('aria-selected', 'true');
    await tab('Popular').click();
    await expect(page).toHaveURL('/?tab=popular');
    await expect(tab('Popular')).toHaveAttribute('aria-selected', 'true');
    await tab('Popular').press('ArrowRight');
    await expect(tab('Unanswered')).toBeFocused();
    await tab('Unanswered').press('Enter');
    await expect(page).toHaveURL('/?tab=unanswered');
    await page.goBack();
    await expect(tab('Popular')).toHaveAttribute('aria-selected', 'true');
    await page.goto('/?tab=nonsense');
    await expect(tab('Recent')).toHaveAttribute('aria-selected', 'true');
  },
);

test('a topic with any name opens its questions and can be followed there', async ({ page }) => {
  test.slow();
  await registerMember(page.request);
  for (const name of ['c#', 'a/b', '100% 日本語', '%2e']) {
    const title = uniqueText('Anything about it?');
    await askQuestion(page.request, { title, tags: [name] });
    await page.goto(`/topics?${new URLSearchParams({ q: name }).toString()}`);
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { name, exact: true, level: 1 })).toBeVisible();
    await expect(page.getByRole('article', { name: title })).toBeVisible();
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Following', exact: true })).toBeEnabled();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Following', exact: true })).toBeEnabled();
  }
});
