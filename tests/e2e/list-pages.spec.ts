import { expect, test } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { uniqueWord } from './support/posts.ts';

test('lists continue at addresses that work as links, and in place with scripts', async ({ page }) => {
  test.slow();
  await registerMember(page.request);
  const tag = uniqueWord('paged');
  const titles: string[] = [];
  for (let number = 1; number <= 25; number++) {
    const title = `Question ${number} about ${tag}`;
    await askQuestion(page.request, { title, tags: [tag] });
    titles.unshift(title);
  }
  const cards = page.getByRole('main').getByRole('article');
  const more = page.getByRole('button', { name: 'Load more' });
  await page.goto(`/topics/${tag}`);
  await expect(cards).toHaveCount(20);
  const next = (await more.getAttribute('href')) ?? '';
  expect(next).toMatch(new RegExp(`^/topics/${tag}\\?after=[\\w-]+$`, 'u'));
  await more.focus();
  await page.keyboard.press('Space');
  await expect(cards).toHaveCount(25);
  await expect(page).toHaveURL(`/topics/${tag}`);

  await page.goto(next);
  await expect(cards.getByRole('heading')).toHaveText(titles.slice(20));
  await expect(more).toBeHidden();
  await page.getByRole('link', { name: 'First page' }).click();
  await expect(page).toHaveURL(`/topics/${tag}`);
  await expect(cards.first().getByRole('heading')).toHaveText(titles[0] ?? '');

  // The column beside a later page of the feed leaves out what this page shows, and does not load the first page.
  const feed = await page.request.get('/api/feeds/recent');
  const { nextCursor } = (await feed.json()) as { nextCursor: string };
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/feeds/recent') && !searchParams.has('cursor')) requests.push(pathname);
  });
  await page.goto(`/?after=${nextCursor}`);
  await expect(page.getByRole('region', { name: 'Unanswered' })).toBeVisible();
  expect(requests).toEqual([]);
});
