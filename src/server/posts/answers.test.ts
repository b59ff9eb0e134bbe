import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type { Answer, AnswersPage } from '#shared/posts/answers.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

describe('posting an answer', () => {
  test('shows the answer, and counts it on the question and its author only', async () => {
    const answerer = await server.register('Answerer');
    const [id, beside] = [await ann.ask(), await ann.ask()];
    const answer = await answerer.answer(id, ' Three days. ');
    expect(answer).toMatchObject({
      questionId: id,
      content: 'Three days.',
      authorId: answerer.id,
      authorName: 'Answerer',
      editedAt: null,
      upvotes: 0,
      downvotes: 0,
      myVote: null,
      replies: { items: [], nextCursor: null },
      source: null,
    });
    const { question, answers } = await bob.read(id);
    expect(question.answerCount).toBe(1);
    expect(answers.items).toEqual([answer]);
    expect((await answerer.me()).answersCount).toBe(1);
    expect((await ann.me()).answersCount).toBe(0);
    expect((await bob.read(beside)).question.answerCount).toBe(0);
  });

  test.each([
    ['a blank text', ' \n\t '],
    ['invisible characters', '\u200B\n\u202E'],
    ['30,001 characters', 'x'.repeat(30_001)],
    ['a NUL', 'a\0b'],
    ['half a character', 'a\ud800b'],
  ])('is refused for %s and counts nothing', async (_, content) => {
    const id = await ann.ask();
    expect(await bob.post(`/questions/${id}/answers`, { content })).toMatchObject({
      status: 400,
      kind: 'invalid',
    });
    expect((await bob.read(id)).question.answerCount).toBe(0);
  });

  test('accepts 30,000 four-byte characters', async () => {
    const content = '🍞'.repeat(30_000);
    expect((await bob.answer(await ann.ask(), content)).content).toBe(content);
  });

  test('is refused for a question that does not exist', async () => {
    expect(await bob.post('/questions/999999999/answers', { content: 'Hello?' })).toMatchObject({
      status: 404,
    });
  });

  test('counts each answer when many post at the same time', async () => {
    const id = await ann.ask();
    await Promise.all(
      [ann, bob, eve].flatMap((member) => [1, 2, 3, 4].map((n) => member.answer(id, `Answer ${n}`))),
    );
    const { question, answers } = await bob.read(id);
    expect(question.answerCount).toBe(12);
    expect(answers.items).toHaveLength(12);
  });
});

test('lists answers newest first, fifty per page, without gaps or duplicates', async () => {
  const id = await ann.ask();
  const posted: number[] = [];
  for (let n = 0; n < 53; n++) posted.unshift((await bob.answer(id, `Answer ${n}`)).id);
  const { answers } = await ann.read(id);
  expect(answers.items.map((answer) => answer.id)).toEqual(posted.slice(0, 50));
  await bob.answer(id, 'One that arrives between two pages');
  const rest = await ann.get<AnswersPage>(`/questions/${id}/answers?cursor=${answers.nextCursor}`);
  expect(rest.body.items.map((answer) => answer.id)).toEqual(posted.slice(50));
  expect(rest.body.nextCursor).toBeNull();
  const page = `/questions/${id}?sort=newest&after=${answers.nextCursor}`;
  const later = await ann.get<QuestionDocument>(page);
  expect(later.body.question.id).toBe(id);
  expect(later.body.answers.items.map((answer) => answer.id)).toEqual(posted.slice(50));
  expect(later.body.answers.nextCursor).toBeNull();
  expect((await ann.get(`/viewer${page}`)).status).toBe(200);
  expect((await ann.get(`/questions/${id}?after=x`)).status).toBe(400);
});

describe('editing an answer', () => {
  test('shows the new text and the time, and the earlier versions to every member', async () => {
    const answer = await bob.answer(await ann.ask(), 'Two days.');
    const { body } = await bob.put<Answer>(`/answers/${answer.id}`, { content: 'Three days.' });
    expect(body).toMatchObject({ content: 'Three days.', editedAt: expect.any(String) });
    const items = await eve.revisions(`/answers/${answer.id}`);
    expect(items).toMatchObject([
      { number: 2, content: 'Three days.', title: null, tags: null, createdAt: body.editedAt },
      { number: 1, content: 'Two days.', createdAt: answer.createdAt },
    ]);
  });

  test('creates no revision without a change', async () => {
    const answer = await bob.answer(await ann.ask());
    expect(
      (await bob.put<Answer>(`/answers/${answer.id}`, { content: `${answer.content} ` })).body.editedAt,
    ).toBeNull();
  });

  test('is refused for other members, including the author of the question', async () => {
    const answer = await bob.answer(await ann.ask());
    for (const other of [ann, eve])
      expect(await other.put(`/answers/${answer.id}`, { content: 'Mine' })).toMatchObject({
        status: 403,
        kind: 'not-author',
      });
    expect(await bob.get(`/answers/${answer.id}/revisions`)).toMatchObject({
      body: { items: [{ number: 1 }] },
    });
  });
});

describe('deleting an answer', () => {
  test('deletes its replies and votes and corrects the counts, without affecting other answers', async () => {
    const [answerer, replier] = [await server.register('Answerer'), await server.register('Replier')];
    const id = await ann.ask();
    const [gone, remaining] = [await answerer.answer(id), await answerer.answer(id)];
    const reply = await replier.replyToAnswer(gone.id);
    const remainingReply = await replier.replyToAnswer(remaining.id);
    for (const answer of [gone, remaining]) await bob.vote('answers', answer.id, 'up');
    for (const { id } of [reply, remainingReply]) await bob.vote('replies', id, 'up');
    await answerer.remove('answers', gone.id);
    expect(await answerer.me()).toMatchObject({ answersCount: 1, reputation: 10 });
    expect(await replier.me()).toMatchObject({ reputation: 2 });
    const { question, answers } = await bob.read(id);
    expect(question.answerCount).toBe(1);
    expect(answers.items).toMatchObject([
      { id: remaining.id, upvotes: 1, replies: { items: [{ id: remainingReply.id }] } },
    ]);
    expect(await bob.get(`/answers/${gone.id}/replies`)).toMatchObject({
      status: 404,
      detail: 'Answer not found',
    });
  });

  test('is refused for other members, including the author of the question', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    expect(await ann.delete(`/answers/${answer.id}`)).toMatchObject({ status: 403, kind: 'not-author' });
    expect((await bob.read(id)).question.answerCount).toBe(1);
  });

  test('counts once when it is repeated at the same time', async () => {
    const id = await ann.ask();
    await bob.answer(id);
    const answer = await bob.answer(id);
    const both = await Promise.all([
      bob.delete(`/answers/${answer.id}`),
      bob.delete(`/answers/${answer.id}`),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404]);
    expect((await bob.read(id)).question.answerCount).toBe(1);
  });

  test('lists the question as unanswered again', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    expect((await ann.feed('unanswered')).items.map((card) => card.id)).not.toContain(id);
    await bob.remove('answers', answer.id);
    expect((await ann.feed('unanswered')).items[0]?.id).toBe(id);
  });
});
