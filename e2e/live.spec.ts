import { expect, test, type Page } from '@playwright/test';
import { ask, register, someone } from './members.ts';
import { answer, askAndOpen, reply, secondMember, unique, upvote } from './posts.ts';

const card = (page: Page, title: string) => page.getByRole('article', { name: title });

/** Opens a page and waits until it listens: then nothing it shows needs another request. */
async function listening(page: Page, open: () => Promise<unknown>) {
  const { promise: subscribed, resolve } = Promise.withResolvers<void>();
  // From the first frame on: the one that counts can come before the page is open.
  page.once('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).startsWith('43')) resolve();
    }),
  );
  await open();
  await subscribed;
}

test('a question that is asked appears in an open feed, and its counts change in place', async ({
  page,
  browser,
}) => {
  await register(page.request);
  await listening(page, () => page.goto('/'));
  const ben = await secondMember(browser, 'Ben');
  const title = unique('Who sees this at once?');
  const id = await ask(ben.page.request, { title });
  await expect(card(page, title)).toBeVisible();

  await upvote(ben.page.request, id);
  await expect(card(page, title)).toContainText('1 upvote');
  await answer(ben.page.request, id);
  await expect(card(page, title)).toContainText('1 answer');
  await ben.page.request.delete(`/api/questions/${id}`);
  await expect(card(page, title)).toHaveCount(0);
});

test('a question asked while one reads further down waits behind a pill', async ({ page, browser }) => {
  await register(page.request);
  const fillings = Array.from({ length: 8 }, (_, count) => unique(`Filling ${count}`));
  for (const filling of fillings) await ask(page.request, { title: filling });
  await listening(page, () => page.goto('/'));
  await page.mouse.wheel(0, 900);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
  // Where the reader sees it. The position of the page is another when a question above goes meanwhile.
  const read = card(page, fillings[2] ?? '');
  const place = async () => Math.round((await read.boundingBox())?.y ?? Number.NaN);
  const before = await place();

  const ben = await secondMember(browser, 'Ben');
  const title = unique('Does this wait?');
  await ask(ben.page.request, { title });
  const pill = page.getByRole('button', { name: /^\d+ new questions?$/u });
  await expect(pill).toBeVisible();
  await expect(card(page, title)).toHaveCount(0);
  await expect.poll(place).toBe(before);
  await pill.click();
  await expect(card(page, title)).toBeVisible();
});

test('votes, answers, replies, edits and deletions of others show on an open question', async ({
  page,
  browser,
}) => {
  await register(page.request, someone('Ada'));
  let id = 0;
  await listening(page, async () => {
    id = await askAndOpen(page, unique('What happens here?'));
  });
  const ben = await secondMember(browser, 'Ben');

  await upvote(ben.page.request, id);
  await expect(page.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
  const answerId = await answer(ben.page.request, id, 'It is live.');
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  await expect(page.getByRole('article', { name: 'Answer by Ben' })).toContainText('It is live.');
  await reply(ben.page.request, answerId, 'And so is this.');
  await expect(page.getByRole('article', { name: 'Reply by Ben' })).toContainText('And so is this.');
  await ben.page.request.put(`/api/answers/${answerId}`, { data: { content: 'It is very live.' } });
  await expect(page.getByRole('article', { name: 'Answer by Ben' })).toContainText('It is very live.');
  await ben.page.request.delete(`/api/answers/${answerId}`);
  await expect(page.getByRole('heading', { name: '0 Answers', exact: true })).toBeVisible();
  await expect(page.getByRole('article', { name: 'Reply by Ben' })).toHaveCount(0);
});

test('a question that is deleted while it is read says so', async ({ page, browser }) => {
  await register(page.request);
  const ben = await secondMember(browser, 'Ben');
  const id = await ask(ben.page.request, { title: unique('Gone soon') });
  await listening(page, () => page.goto(`/question/${id}`));
  await ben.page.request.delete(`/api/questions/${id}`);
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
});

test('the bell counts in every tab what concerns the member, and nobody else hears of it', async ({
  page,
  context,
  browser,
}) => {
  await register(page.request, someone('Ada'));
  const id = await ask(page.request, { title: unique('Who rings?') });
  await listening(page, () => page.goto('/'));
  const other = await context.newPage();
  await listening(other, () => other.goto('/topics'));
  const ben = await secondMember(browser, 'Ben');
  await listening(ben.page, () => ben.page.goto('/'));

  await answer(ben.page.request, id);
  await expect(page.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible();
  await expect(other.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible();
  await expect(ben.page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible();
});

test('what is followed in one tab is followed in the other', async ({ page, context }) => {
  await register(page.request);
  const tag = unique('tide');
  const id = await ask(page.request, { title: unique('High or low?'), tags: [tag] });
  await listening(page, () => page.goto(`/question/${id}`));
  await expect(page.getByRole('button', { name: 'Follow question' })).toBeVisible();
  const other = await context.newPage();
  await listening(other, () => other.goto(`/topics?${new URLSearchParams({ q: tag }).toString()}`));
  const topic = other.getByRole('article', { name: tag });
  await expect(topic.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();

  const [here, there] = [
    await page.request.put(`/api/questions/${id}/follow`, { data: { following: true } }),
    await page.request.put(`/api/topics/${encodeURIComponent(tag)}/follow`, { data: { following: true } }),
  ];
  expect([here.status(), there.status()]).toEqual([200, 200]);
  await expect(page.getByRole('button', { name: 'Following question' })).toBeVisible();
  await expect(topic.getByRole('button', { name: 'Following', exact: true })).toBeVisible();
});

test('what happened while the network was gone shows when it is back, without a reload', async ({
  page,
  context,
  browser,
}) => {
  await register(page.request, someone('Ada'));
  const id = await askAndOpen(page, unique('Are you still there?'));
  const ben = await secondMember(browser, 'Ben');
  await context.setOffline(true);
  await answer(ben.page.request, id, 'You were away.');
  await upvote(ben.page.request, id);
  await context.setOffline(false);
  await expect(page.getByRole('article', { name: 'Answer by Ben' })).toContainText('You were away.', {
    timeout: 30_000,
  });
  await expect(page.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
});
