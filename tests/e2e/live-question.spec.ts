import { expect, test } from '@playwright/test';
import { listening } from './support/live.ts';
import { askQuestion } from './support/members.ts';
import { postAnswer, postReply, uniqueText, upvote } from './support/posts.ts';
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

test('everything that happens on a question reaches its readers on both nodes, at every level', async () => {
  const { ada, ben, cleo } = trio;
  const title = uniqueText('What happens here?');
  const id = await askQuestion(ben.request, { title });
  for (const { page } of [ada, cleo]) {
    await page.goto(`/question/${id}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  }
  const readers = [ada.page, cleo.page];
  for (const page of readers) await expect(article(page, title)).toContainText('2 views');

  const answerId = await postAnswer(ben.request, id, 'The answer.');
  const replies: number[] = [];
  for (const level of [0, 1, 2, 3])
    replies.push(await postReply(ben.request, answerId, `On level ${level}.`, replies.at(-1) ?? null));
  await putState(ada.request, `/api/answers/${answerId}/vote`, { vote: 'up' });
  await putState(ada.request, `/api/replies/${replies[3]}/vote`, { vote: 'down' });
  await upvote(ben.request, id);
  for (const page of readers) {
    const posted = article(page, 'Answer by Ben');
    await expect(posted.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
    const deepest = article(page, 'Reply by Ben').filter({ hasText: 'On level 3.' }).last();
    await expect(deepest.getByRole('button', { name: 'Downvote (1)' })).toBeVisible();
    for (const level of [0, 1, 2]) await expect(page.getByText(`On level ${level}.`)).toBeVisible();
    await expect(article(page, title).getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
  }

  const edited = uniqueText('What happened here?');
  await putState(ben.request, `/api/questions/${id}`, {
    title: edited,
    content: 'As edited.',
    tags: ['live'],
  });
  await putState(ben.request, `/api/answers/${answerId}`, { content: 'The better answer.' });
  await putState(ben.request, `/api/replies/${replies[0]}`, { content: 'On the lowest level.' });
  await deleteState(ben.request, `/api/replies/${replies[1]}`);
  for (const page of readers) {
    await expect(page.getByRole('heading', { name: edited, level: 1 })).toBeVisible();
    for (const text of ['As edited.', 'The better answer.', 'On the lowest level.', 'Reply deleted'])
      await expect(page.getByText(text)).toBeVisible();
  }
});

test('a reader sees after an outage all that happened meanwhile, and that the question was deleted', async () => {
  const { ada, ben, cleo } = trio;
  const title = uniqueText('Who was away?');
  const id = await askQuestion(ben.request, { title });
  const old = await postAnswer(ben.request, id, 'Soon gone.');
  for (const { page } of [ada, cleo]) {
    // Answers are out of view, so new ones are not held back.
    await page.setViewportSize({ width: 1280, height: 320 });
    await page.goto(`/question/${id}`);
    await expect(page.getByText('Soon gone.')).toBeVisible();
    await page.getByRole('heading', { name: title }).focus();
  }
  await whileOffline(ada.page, async () => {
    const answerId = await postAnswer(cleo.request, id, 'You were away.');
    await postReply(ben.request, answerId, 'So she was.');
    await deleteState(ben.request, `/api/answers/${old}`);
    await upvote(cleo.request, id);
    // The page that stayed online shows everything by now.
    await expect(cleo.page.getByText('So she was.')).toBeVisible();
    await expect(cleo.page.getByText('Soon gone.')).toHaveCount(0);
  });
  await expect(ada.page.getByText('You were away.')).toBeVisible();
  await expect(ada.page.getByText('So she was.')).toBeVisible();
  await expect(ada.page.getByText('Soon gone.')).toHaveCount(0);
  await expect(article(ada.page, title).getByRole('button', { name: 'Upvote (1)' })).toBeVisible();

  await deleteState(ben.request, `/api/questions/${id}`);
  for (const { page } of [ada, cleo])
    await expect(page.getByRole('heading', { name: 'Question not found' })).toBeFocused();
});

test('a vote that fails leaves the votes of others that arrived meanwhile', async () => {
  const { ada, ben } = trio;
  const title = uniqueText('Who votes?');
  const id = await askQuestion(ben.request, { title });
  const { page } = ada;
  await listening(page, () => page.goto(`/question/${id}`));
  const shown = article(page, title);
  const arriving = Promise.withResolvers<void>();
  await page.route('**/vote', async (route) => {
    await arriving.promise;
    await route.abort();
  });
  await shown.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect(shown.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
  await putState(ben.request, `/api/questions/${id}/vote`, { vote: 'down' });
  await expect(shown.getByRole('button', { name: 'Downvote (1)' })).toBeVisible();
  arriving.resolve();
  await expect(shown.getByRole('button', { name: 'Upvote (0)', pressed: false })).toBeVisible();
  await expect(shown.getByRole('button', { name: 'Downvote (1)' })).toBeVisible();
  await page.unroute('**/vote');
});

test('a page whose live connection was refused connects again', async () => {
  const { ada, ben } = trio;
  const title = uniqueText('Connected again?');
  const id = await askQuestion(ben.request, { title });
  const { page } = ada;
  let refusals = 0;
  await page.routeWebSocket('**/api/live/**', (socket) => {
    if (refusals > 0) return void socket.connectToServer();
    // What the server sends when it cannot read the session in time.
    refusals++;
    socket.onMessage((message) => {
      if (String(message).startsWith('40')) socket.send('44{"message":"unavailable"}');
    });
    const handshake = {
      sid: 'refused',
      upgrades: [],
      pingInterval: 25_000,
      pingTimeout: 20_000,
      maxPayload: 1e6,
    };
    socket.send(`0${JSON.stringify(handshake)}`);
    return undefined;
  });
  await page.goto(`/question/${id}`);
  await expect.poll(() => refusals).toBe(1);
  await postAnswer(ben.request, id, 'Seen without a reload.');
  await expect(page.getByText('Seen without a reload.')).toBeVisible({ timeout: 30_000 });
});
