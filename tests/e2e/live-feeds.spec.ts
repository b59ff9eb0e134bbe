import { expect, test } from '@playwright/test';
import { askQuestion } from './support/members.ts';
import { postAnswer, uniqueText, upvote } from './support/posts.ts';
import {
  article,
  openThreeMembers,
  putState,
  deleteState,
  type ThreeMembers,
  whileOffline,
} from './support/three-members.ts';

// Serial: the tests share their members.
test.describe.configure({ mode: 'default' });

let trio: ThreeMembers;
test.beforeAll(async ({ browser }) => {
  trio = await openThreeMembers(browser);
});
test.afterAll(() => trio.close());

test('a question appears, counts, changes and disappears in all three feeds, for three members on two nodes', async () => {
  const { ada, ben, cleo } = trio;
  const heading = (name: string) => ({ name, level: 1 });
  await ada.page.goto('/');
  await ben.page.goto('/?tab=unanswered');
  await cleo.page.goto('/?tab=popular');
  for (const { page } of [ada, ben, cleo])
    await expect(page.getByRole('heading', heading('Questions for you'))).toBeVisible();

  const title = uniqueText('Which feed has me?');
  const id = await askQuestion(ben.request, { title });
  for (const { page } of [ada, ben]) await expect(article(page, title)).toBeVisible();
  for (const { request } of [ada, ben, cleo]) await upvote(request, id);
  for (const { page } of [ada, ben, cleo]) await expect(article(page, title)).toContainText('3 upvotes');

  const edited = uniqueText('Which feed has me now?');
  await whileOffline(ada.page, async () => {
    await putState(ben.request, `/api/questions/${id}`, {
      title: edited,
      content: 'Look again.',
      tags: ['feeds'],
    });
    await postAnswer(cleo.request, id);
    await putState(cleo.request, `/api/questions/${id}/vote`, { vote: null });
    await expect(article(cleo.page, edited)).toContainText('1 answer');
    await expect(article(ben.page, edited)).toHaveCount(0);
  });
  const card = article(ada.page, edited);
  await expect(card).toContainText('Look again.');
  for (const text of ['feeds', '2 upvotes', '1 answer']) await expect(card).toContainText(text);

  await deleteState(ben.request, `/api/questions/${id}`);
  for (const { page } of [ada, cleo]) await expect(article(page, edited)).toHaveCount(0);
});

test('an edit and a deletion above the viewport move nothing in view', async () => {
  const { ada, ben } = trio;
  const titles = Array.from({ length: 7 }, (_, n) => uniqueText(`Layer ${n}`));
  const ids: number[] = [];
  for (const title of titles) ids.push(await askQuestion(ben.request, { title }));
  await ada.page.goto('/');
  const read = article(ada.page, titles[1] ?? '');
  await read.scrollIntoViewIfNeeded();
  // Unlike the wheel, this has scrolled when it returns.
  await ada.page.evaluate(() => window.scrollBy({ top: 500, behavior: 'instant' }));
  expect(await ada.page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  const place = async () => Math.round((await read.boundingBox())?.y ?? Number.NaN);
  const before = await place();

  const edited = uniqueText('Layer 6 again');
  await putState(ben.request, `/api/questions/${ids[6]}`, {
    title: edited,
    content: 'Another text.',
    tags: [],
  });
  await expect(article(ada.page, edited)).toHaveCount(1);
  await expect.poll(place).toBe(before);
  for (const id of ids) await deleteState(ben.request, `/api/questions/${id}`);
  await expect(read).toHaveCount(0);
});
