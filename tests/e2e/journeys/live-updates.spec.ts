import { expect, test, type Page } from '@playwright/test';
import { listening } from '../support/live.ts';
import { askQuestion, registerMember } from '../support/members.ts';
import { postAnswer, secondMember, uniqueText } from '../support/posts.ts';

const card = (page: Page, title: string) => page.getByRole('article', { name: title });

test('a question asked while the member reads further down waits behind a button', async ({
  page,
  browser,
}) => {
  await registerMember(page.request);
  const fillings = Array.from({ length: 8 }, (_, count) => uniqueText(`Filling ${count}`));
  for (const filling of fillings) await askQuestion(page.request, { title: filling });
  await listening(page, () => page.goto('/'));
  await page.mouse.wheel(0, 900);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
  // Measured in the viewport: the position on the page changes when a question above is deleted meanwhile.
  const read = card(page, fillings[2] ?? '');
  const place = async () => Math.round((await read.boundingBox())?.y ?? Number.NaN);
  const before = await place();

  const ben = await secondMember(browser, 'Ben');
  const title = uniqueText('Does this wait?');
  await askQuestion(ben.page.request, { title });
  const pill = page.getByRole('button', { name: /^\d+ new questions?$/u });
  await expect(pill).toBeVisible();
  await expect(card(page, title)).toHaveCount(0);
  await expect.poll(place).toBe(before);
  await pill.click();
  await expect(card(page, title)).toBeVisible();
});

test('a follow in one tab shows in the other', async ({ page, context }) => {
  await registerMember(page.request);
  const tag = uniqueText('tide');
  const id = await askQuestion(page.request, { title: uniqueText('High or low?'), tags: [tag] });
  await listening(page, () => page.goto(`/question/${id}`));
  await expect(page.getByRole('button', { name: 'Follow question' })).toBeVisible();
  const other = await context.newPage();
  await listening(other, () => other.goto(`/topics?${new URLSearchParams({ q: tag }).toString()}`));
  const topic = other.getByRole('article', { name: tag });
  await expect(topic.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();

  const [here, there] = [
    await page.request.put(`/api/questions/${id}/follow`, { data: { following: true } }),
    await page.request.put(`/api/tags/${encodeURIComponent(tag)}/follow`, { data: { following: true } }),
  ];
  expect([here.status(), there.status()]).toEqual([200, 200]);
  await expect(page.getByRole('button', { name: 'Following question' })).toBeVisible();
  await expect(topic.getByRole('button', { name: 'Following', exact: true })).toBeVisible();
});

test('a vote in one tab shows in the other', async ({ page, context, browser }) => {
  const ben = await secondMember(browser, 'Ben');
  await registerMember(page.request);
  const id = await askQuestion(ben.page.request, { title: uniqueText('Up or down?') });
  const answerId = await postAnswer(ben.page.request, id);
  const other = await context.newPage();
  for (const each of [page, other, ben.page]) await listening(each, () => each.goto(`/question/${id}`));
  const button = (on: Page, name: string) =>
    on.locator(`#answer-${answerId}`).getByRole('button', { name }).first();

  await button(page, 'Upvote').click();
  await expect(button(other, 'Upvote (1)')).toHaveAttribute('aria-pressed', 'true');
  await expect(button(ben.page, 'Upvote (1)')).toHaveAttribute('aria-pressed', 'false');
  await button(other, 'Downvote').click();
  await expect(button(page, 'Upvote (0)')).toHaveAttribute('aria-pressed', 'false');
  await expect(button(page, 'Downvote (1)')).toHaveAttribute('aria-pressed', 'true');
  await button(page, 'Downvote').click();
  await expect(button(other, 'Downvote (0)')).toHaveAttribute('aria-pressed', 'false');
});
