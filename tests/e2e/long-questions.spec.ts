import { expect, test, type Page } from '@playwright/test';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForHydration, waitForTexts } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { queuedAnswer, writeAnswer } from './support/offline-queue.ts';
import { postAnswer, uniqueText } from './support/posts.ts';
import { visit } from './support/visit.ts';

/** Runs a statement in the database of the run. Returns the ids that it returns. */
async function insertMany(statement: string, values: unknown[]): Promise<number[]> {
  const connection = await findRunningConnection(process.env['PARLEY_E2E_DATA'] ?? '');
  if (connection === undefined) throw new Error('The server of the run is not running.');
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ id: number }>(statement, values);
  await client.end();
  return rows.map((row) => row.id);
}

/**
 * A question of a new member with 320 answers, whose ids are returned, the newest first. All counts include the three
 * oldest answers, so that they can be deleted.
 */
async function createLongQuestion(page: Page): Promise<{ id: number; answers: number[] }> {
  await registerMember(page.request, newMember('Ada Lovelace'));
  const id = await askQuestion(page.request, { title: uniqueText('Which of hundreds?') });
  const oldest: number[] = [];
  for (let n = 1; n <= 3; n++) oldest.unshift(await postAnswer(page.request, id, `Answer ${n}`));
  const others = await insertMany(
    `with added as (
       insert into answer (question_id, author_id, content, created_at)
       select question.id, author_id, 'Answer ' || n, now() + n * interval '1 ms'
       from question, generate_series(4, 320) n where question.id = $1
       returning id, question_id, created_at
     ), scored as (
       insert into answer_score (answer_id, question_id, score, created_at)
       select id, question_id, 0, created_at from added
     ), counted as (
       update question set answer_count = 320 where id = $1
     )
     select id::int from added order by created_at desc`,
    [id],
  );
  return { id, answers: [...others, ...oldest] };
}

/** Adds 120 replies to an answer, or comments on the question. Returns the id of the last one. */
async function addReplies(questionId: number, answerId: number | null): Promise<number> {
  const added = await insertMany(
    `insert into reply (question_id, answer_id, author_id, content, level)
     select question.id, $2, author_id, 'Reply ' || n, 0
     from question, generate_series(1, 120) n where question.id = $1 returning id::int`,
    [questionId, answerId],
  );
  return Math.max(...added);
}

const answersOf = (page: Page) => page.getByRole('article', { name: 'Answer by' });

const listShown = (page: Page) =>
  answersOf(page).evaluateAll((articles) => articles.map(({ id }) => Number(id.replace('answer-', ''))));

test('a link to an answer behind hundreds shows it with those after and, on request, those before it', async ({
  page,
  browser,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const reads = new RegExp(`/api/questions/${id}(?:/answers.*)?\\?`, 'u');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const target = answers[279] ?? 0;
  await page.goto(`/question/${id}#answer-${target}`);
  const answer = page.locator(`#answer-${target}`);
  await expect(answer).toBeFocused({ timeout: 30_000 });
  await expect(answer).toBeInViewport();
  await expect(page).toHaveURL(new RegExp(`\\?after=[\\w-]+#answer-${target}$`, 'u'));
  // The position of the answer, and its page.
  expect(requests.filter((url) => reads.test(url))).toHaveLength(2);
  await expect(page.getByRole('heading', { name: '320 Answers' })).toBeVisible();
  expect(await listShown(page)).toEqual(answers.slice(279));

  // The address shows the same page again; without scripts, the button is a link to the page before.
  const storageState = await page.context().storageState();
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState });
  const plainPage = await plain.newPage();
  await plainPage.goto(page.url());
  await expect(answersOf(plainPage)).toHaveCount(41);
  await plainPage.getByRole('button', { name: 'Load previous answers' }).click();
  await expect(plainPage.getByText('Answer 91', { exact: true })).toBeVisible();
  await expect(answersOf(plainPage)).toHaveCount(50);
  await plain.close();

  for (let begin = 229; begin > 0; begin -= 50) {
    const first = page.locator(`#answer-${answers[begin + 50] ?? 0}`);
    const button = page.getByRole('button', { name: 'Load previous answers' });
    await button.scrollIntoViewIfNeeded();
    const top = async () => (await first.boundingBox())?.y ?? 0;
    const before = await top();
    await button.click();
    await expect.poll(() => listShown(page)).toEqual(answers.slice(begin));
    // The reader goes on where they were.
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
  }
  await page.getByRole('button', { name: 'Load previous answers' }).click();
  await expect.poll(() => listShown(page)).toEqual(answers);
  await expect(page.locator(`#answer-${answers[0]}`)).toBeFocused();
  await expect(page).toHaveURL(new RegExp(`^[^=]*#answer-${target}$`, 'u'));
  await expect(page.getByRole('link', { name: 'First page' })).toHaveCount(0);
});

test('a link to an answer behind hundreds that loads while the member writes waits until it is asked for', async ({
  page,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const target = answers[279] ?? 0;
  const release = await holdRequests(page, `**/api/questions/${id}/answers/position?*`);
  await page.goto(`/question/${id}#answer-${target}`);
  await page.locator(`#answer-${answers[0]}`).getByRole('button', { name: 'Reply', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Your reply' });
  await expect(field).toBeFocused();
  const text = 'I think that you could use the usual recipe';
  await page.keyboard.type(text);
  release();
  const message = page.getByText('The linked post has loaded.');
  await expectInView(message);
  // A message under the pointer stays.
  await message.hover();
  await page.keyboard.type(' and not bother');
  await expect(field).toHaveValue(`${text} and not bother`);
  expect(await listShown(page)).toEqual(answers.slice(0, 50));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.locator(`#answer-${target}`)).toBeFocused();
  expect(await listShown(page)).toEqual(answers.slice(279));
});

test('previous answers that load slowly leave the address of the page that was opened meanwhile', async ({
  page,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  await page.goto(`/question/${id}#answer-${answers[279] ?? 0}`);
  await expect(page).toHaveURL(/[?]after=/u, { timeout: 30_000 });
  const first = `**/api/questions/${id}?sort=newest*`;
  const leave = async (action: () => Promise<unknown>, address: RegExp) => {
    const release = await holdRequests(page, first);
    await page.getByRole('button', { name: 'Load previous answers' }).click();
    await action();
    await expect(page).toHaveURL(address);
    const response = page.waitForResponse(first);
    release();
    await (await response).finished();
    await page.unroute(first);
    await page.getByRole('link', { name: 'Topics', exact: true }).click();
    await expect(page).toHaveURL(/\/topics$/u);
    await page.goBack();
    await expect(page).toHaveURL(address);
  };
  await leave(() => page.getByRole('link', { name: 'Home', exact: true }).click(), /:\d+\/$/u);
  await page.goBack();
  await leave(
    () => page.getByRole('combobox', { name: 'Sort answers' }).selectOption('Oldest'),
    /\?sort=oldest$/u,
  );
});

test('a link to an answer behind hundreds that cannot be loaded shows a message, and works once it can', async ({
  page,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const target = answers[279] ?? 0;
  const { origin } = new URL((await page.request.get('/api/session')).url());
  const content = `As [others](${origin}/question/${id}#answer-${target}) said`;
  const data = { content, parentReplyId: null };
  expect((await page.request.post(`/api/questions/${id}/replies`, { data })).status()).toBe(201);
  await visit(page, `/question/${id}`);
  const positions = `**/api/questions/${id}/answers/position?*`;
  await page.route(positions, (route) => route.fulfill({ status: 503 }));
  await waitForHydration(page);
  const link = page.getByRole('link', { name: 'others' });
  await link.click();
  const message = page.getByRole('alert').getByText('The linked post could not be loaded.');
  await expect(message).toBeVisible({ timeout: 30_000 });
  await page.unroute(positions);
  await link.click();
  await expect(page.locator(`#answer-${target}`)).toBeFocused({ timeout: 30_000 });
});

test('a link to a reply or comment behind hundreds shows it, and one to a deleted answer a message', async ({
  page,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const lastReply = await addReplies(id, answers.at(-1) ?? 0);
  const open = async (anchor: string, question: number | string = id) => {
    await visit(page, '/');
    await page.goto(`/question/${question}#${anchor}`);
  };
  const expectShown = async (anchor: string) => {
    await expect(page.locator(`#${anchor}`)).toBeFocused({ timeout: 30_000 });
    await expect(page.locator(`#${anchor}`)).toBeInViewport();
  };
  await open(`reply-${lastReply}`);
  await expectShown(`reply-${lastReply}`);
  expect(await listShown(page)).toEqual(answers.slice(-1));

  await open('answer-999999999');
  await expect(page.getByRole('alert').getByText('Answer not found')).toBeVisible({ timeout: 30_000 });
  await expect(page).toHaveURL(/^[^=]*#answer-999999999$/u);
  expect(await listShown(page)).toEqual(answers.slice(0, 50));

  // The message is shown once, also if previous answers are loaded after it.
  const positions: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/answers/position?')) positions.push(request.url());
  });
  const { nextCursor } = (await (
    await page.request.get(`/api/questions/${id}/answers?sort=newest`)
  ).json()) as {
    nextCursor: string;
  };
  await open(`answer-999999998`, `${id}?after=${nextCursor}`);
  await expect(page.getByRole('alert').getByText('Answer not found')).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Load previous answers' }).click();
  await expect.poll(() => listShown(page)).toEqual(answers.slice(0, 100));
  expect(positions).toHaveLength(1);

  const commented = await askQuestion(page.request, { title: uniqueText('Which comment?') });
  const lastComment = await addReplies(commented, null);
  await open(`reply-${lastComment}`, commented);
  await expectShown(`reply-${lastComment}`);
});

test('answers stay on a page that begins later while others and the reader answer, accept and delete', async ({
  page,
  browser,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const begin = answers.length - 4;
  const [target = 0, accepted = 0, removed = 0] = answers.slice(begin);
  await page.goto(`/question/${id}#answer-${target}`);
  await expect(page.locator(`#answer-${target}`)).toBeFocused({ timeout: 30_000 });
  const other = await browser.newContext();
  await registerMember(other.request, newMember('Grace Hopper'));
  const heading = (count: number) => page.getByRole('heading', { name: `${count} Answers` });
  const expectAnswers = (expected: number[]) =>
    expect
      .poll(async () => (await listShown(page)).toSorted((a, b) => a - b))
      .toEqual(expected.toSorted((a, b) => a - b));

  const acceptance = { data: { answerId: accepted } };
  expect((await page.request.put(`/api/questions/${id}/accepted-answer`, acceptance)).status()).toBe(200);
  await expect(page.locator(`#answer-${accepted}`).getByText('Accepted answer')).toBeVisible();
  await postAnswer(other.request, id, 'An answer of another member');
  await expect(heading(321)).toBeVisible();
  await expectAnswers(answers.slice(begin));
  expect((await page.request.delete(`/api/answers/${removed}`)).status()).toBe(204);
  await expect(heading(320)).toBeVisible();
  await expectAnswers(answers.slice(begin).filter((answer) => answer !== removed));

  await page.getByRole('textbox', { name: 'Your answer' }).fill('My own answer');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  const own = answersOf(page).filter({ hasText: 'My own answer' });
  await expect(own).toBeInViewport();
  await expect(heading(321)).toBeVisible();
  await postAnswer(other.request, id, 'Another answer');
  await expect(page.getByRole('button', { name: '1 new answer' }).or(heading(322)).first()).toBeVisible();
  await expect(own).toBeVisible();
  await other.close();
});

test('an answer that waited for the connection is linked to from a page that begins later', async ({
  page,
  context,
}) => {
  test.slow();
  const { id, answers } = await createLongQuestion(page);
  const target = answers[279] ?? 0;
  await page.goto(`/question/${id}#answer-${target}`);
  await expect(page.locator(`#answer-${target}`)).toBeFocused({ timeout: 30_000 });
  await waitForTexts(page);
  await context.setOffline(true);
  await writeAnswer(page, 'Written without a connection');
  await expect(queuedAnswer(page)).toBeFocused();
  await context.setOffline(false);
  await expectInView(page.getByText('Your answer was posted.'));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const own = answersOf(page).filter({ hasText: 'Written without a connection' });
  await expect(own).toBeFocused({ timeout: 30_000 });
  await expect(own).toBeInViewport();
});
