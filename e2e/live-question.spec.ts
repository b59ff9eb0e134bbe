import { expect, test } from '@playwright/test';
import { ask } from './members.ts';
import { answer, reply, unique, upvote } from './posts.ts';
import { article, newTrio, put, remove, type Trio, whileAway } from './trio.ts';

// One after the other, so that they share their members.
test.describe.configure({ mode: 'default' });

let trio: Trio;
test.beforeAll(async ({ browser }) => {
  trio = await newTrio(browser);
});
test.afterAll(() => trio.close());

test('what happens on a question reaches its readers on both nodes, at every level', async () => {
  const { ada, ben, cleo } = trio;
  const title = unique('What happens here?');
  const id = await ask(ben.request, { title });
  for (const { page } of [ada, cleo]) {
    await page.goto(`/question/${id}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  }
  const readers = [ada.page, cleo.page];
  for (const page of readers) await expect(article(page, title)).toContainText('2 views');

  const answerId = await answer(ben.request, id, 'The answer.');
  const replies: number[] = [];
  for (const level of [0, 1, 2, 3])
    replies.push(await reply(ben.request, answerId, `On level ${level}.`, replies.at(-1) ?? null));
  await put(ada.request, `/api/answers/${answerId}/vote`, { vote: 'up' });
  await put(ada.request, `/api/replies/${replies[3]}/vote`, { vote: 'down' });
  await upvote(ben.request, id);
  for (const page of readers) {
    const posted = article(page, 'Answer by Ben');
    await expect(posted.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
    const deepest = article(page, 'Reply by Ben').filter({ hasText: 'On level 3.' }).last();
    await expect(deepest.getByRole('button', { name: 'Downvote (1)' })).toBeVisible();
    for (const level of [0, 1, 2]) await expect(page.getByText(`On level ${level}.`)).toBeVisible();
    await expect(article(page, title).getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
  }

  const edited = unique('What happened here?');
  await put(ben.request, `/api/questions/${id}`, { title: edited, content: 'As edited.', tags: ['live'] });
  await put(ben.request, `/api/answers/${answerId}`, { content: 'The better answer.' });
  await put(ben.request, `/api/replies/${replies[0]}`, { content: 'On the lowest level.' });
  await remove(ben.request, `/api/replies/${replies[1]}`);
  for (const page of readers) {
    await expect(page.getByRole('heading', { name: edited, level: 1 })).toBeVisible();
    for (const text of ['As edited.', 'The better answer.', 'On the lowest level.', 'Reply deleted'])
      await expect(page.getByText(text)).toBeVisible();
  }
});

test('a reader whose network was gone sees all that happened meanwhile, and that the question went', async () => {
  const { ada, ben, cleo } = trio;
  const title = unique('Who was away?');
  const id = await ask(ben.request, { title });
  const old = await answer(ben.request, id, 'Soon gone.');
  for (const { page } of [ada, cleo]) {
    // Answers are out of view: nothing new has to wait for whoever reads them.
    await page.setViewportSize({ width: 1280, height: 320 });
    await page.goto(`/question/${id}`);
    await expect(page.getByText('Soon gone.')).toBeVisible();
  }
  await whileAway(ada.page, async () => {
    const answerId = await answer(cleo.request, id, 'You were away.');
    await reply(ben.request, answerId, 'So she was.');
    await remove(ben.request, `/api/answers/${old}`);
    await upvote(cleo.request, id);
    // On the page of who was not away everything is there by now.
    await expect(cleo.page.getByText('So she was.')).toBeVisible();
    await expect(cleo.page.getByText('Soon gone.')).toHaveCount(0);
  });
  await expect(ada.page.getByText('You were away.')).toBeVisible();
  await expect(ada.page.getByText('So she was.')).toBeVisible();
  await expect(ada.page.getByText('Soon gone.')).toHaveCount(0);
  await expect(article(ada.page, title).getByRole('button', { name: 'Upvote (1)' })).toBeVisible();

  await remove(ben.request, `/api/questions/${id}`);
  for (const { page } of [ada, cleo])
    await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
});
