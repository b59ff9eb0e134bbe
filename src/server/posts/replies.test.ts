import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

const newAnswer = async () => ann.answer(await ann.ask());

/** The replies to an answer as every member sees them: id, level and text. */
async function repliesOn(answerId: number) {
  const { items } = (await eve.get<RepliesPage>(`/answers/${answerId}/replies`)).body;
  return items.map(({ id, level, content, deleted }) => ({
    id,
    level,
    text: deleted ? 'Reply deleted' : content,
  }));
}

/** Replies in a chain, one level deeper each, by two members in turn. */
async function chainOn(answerId: number, length = 4): Promise<Reply[]> {
  const chain: Reply[] = [];
  for (let level = 0; level < length; level++) {
    const to = chain.at(-1);
    const author = level % 2 ? eve : bob;
    chain.push(await author.replyToAnswer(answerId, { content: `Level ${level}`, ...(to && { to }) }));
  }
  return chain;
}

describe('replying', () => {
  test('to an answer has level 0, and each reply to a reply is one level deeper, down to 3', async () => {
    const answer = await newAnswer();
    const chain = await chainOn(answer.id);
    expect(chain.map(({ level }) => level)).toEqual([0, 1, 2, 3]);
    expect(chain.map(({ parentReplyId }) => parentReplyId)).toEqual([
      null,
      ...chain.slice(0, 3).map(({ id }) => id),
    ]);
    expect(chain[3]).toMatchObject({ questionId: answer.questionId, answerId: answer.id, deleted: false });
  });

  test('to a level-3 reply is refused and changes nothing', async () => {
    const answer = await newAnswer();
    const chain = await chainOn(answer.id);
    const refused = await bob.post(`/answers/${answer.id}/replies`, {
      content: 'Deeper',
      parentReplyId: chain[3]?.id,
    });
    expect(refused).toMatchObject({ status: 400, kind: 'invalid', errors: [{ field: 'parentReplyId' }] });
    expect(await repliesOn(answer.id)).toHaveLength(4);
  });

  test('to a question follows the same rules, and is listed apart from the answers', async () => {
    const answer = await newAnswer();
    const first = await bob.replyToQuestion(answer.questionId, { content: 'Which?' });
    const second = await eve.replyToQuestion(answer.questionId, { to: first, content: 'That one.' });
    expect(first).toMatchObject({ answerId: null, level: 0, questionId: answer.questionId });
    const { replies, answers } = await eve.read(answer.questionId);
    expect(replies.items).toEqual([first, second]);
    expect(answers.items[0]?.replies.items).toEqual([]);
  });

  test.each([
    ['nothing but spaces', ' \n '],
    ['invisible characters', '\u200D\u2800'],
    ['1001 characters', '𝒳'.repeat(1001)],
    ['a control character', 'a\u0008b'],
  ])('is refused for %s', async (_, content) => {
    const answer = await newAnswer();
    expect(await bob.post(`/answers/${answer.id}/replies`, { content })).toMatchObject({ status: 400 });
    expect(await repliesOn(answer.id)).toEqual([]);
  });

  test('accepts 1,000 four-byte characters', async () => {
    const content = '𝒳'.repeat(1000);
    expect(await bob.replyToAnswer((await newAnswer()).id, { content })).toMatchObject({ content });
  });

  test('to a reply of another answer, another question or none is refused', async () => {
    const [here, elsewhere] = [await newAnswer(), await newAnswer()];
    const foreign = await bob.replyToAnswer(elsewhere.id);
    const comment = await bob.replyToQuestion(here.questionId);
    for (const parentReplyId of [foreign.id, comment.id, 999_999_999])
      expect(await eve.post(`/answers/${here.id}/replies`, { content: 'Hi', parentReplyId })).toMatchObject({
        status: 404,
      });
    const refused = await eve.post(`/questions/${here.questionId}/replies`, {
      content: 'Hi',
      parentReplyId: foreign.id,
    });
    expect(refused).toMatchObject({ status: 404 });
    expect(await repliesOn(here.id)).toEqual([]);
  });

  test('changes no count of any member', async () => {
    const [before, answer] = [await bob.me(), await newAnswer()];
    await bob.replyToAnswer(answer.id);
    expect(await bob.me()).toEqual(before);
  });
});

test('lists replies oldest first, a hundred per page, without gaps or duplicates', async () => {
  const answer = await newAnswer();
  const posted: number[] = [];
  for (let n = 0; n < 103; n++)
    posted.push((await [ann, bob][n % 2]!.replyToAnswer(answer.id, { content: `${n}` })).id);
  const [shownAnswer] = (await eve.read(answer.questionId)).answers.items;
  expect(shownAnswer?.replies.items.map(({ id }) => id)).toEqual(posted.slice(0, 100));
  const rest = await eve.get<RepliesPage>(
    `/answers/${answer.id}/replies?cursor=${shownAnswer?.replies.nextCursor}`,
  );
  expect(rest.body.items.map(({ id }) => id)).toEqual(posted.slice(100));
  expect(rest.body.nextCursor).toBeNull();
});

describe('deleting a reply', () => {
  test('removes one without replies', async () => {
    const answer = await newAnswer();
    const [remaining, gone] = [await bob.replyToAnswer(answer.id), await bob.replyToAnswer(answer.id)];
    await bob.remove('replies', gone.id);
    expect((await repliesOn(answer.id)).map(({ id }) => id)).toEqual([remaining.id]);
  });

  test('leaves a placeholder for one with replies, and keeps the replies', async () => {
    const answer = await newAnswer();
    const [first] = await chainOn(answer.id, 2);
    await bob.vote('replies', first!.id, 'up');
    await ann.vote('replies', first!.id, 'up');
    await bob.put(`/replies/${first!.id}`, { content: 'Never said that' });
    await bob.remove('replies', first!.id);
    const { items } = (await eve.get<RepliesPage>(`/answers/${answer.id}/replies`)).body;
    expect(items).toMatchObject([
      { id: first!.id, deleted: true, content: '', upvotes: 0, downvotes: 0, editedAt: null },
      { deleted: false, content: 'Level 1' },
    ]);
    expect(JSON.stringify(items)).not.toMatch(/Level 0|Never said/);
    expect(await eve.get(`/replies/${first!.id}/revisions`)).toMatchObject({ status: 404 });
  });

  test('removes deleted ancestors whose last child it was, up to the first visible one', async () => {
    const answer = await newAnswer();
    const [living, second, third, last] = await chainOn(answer.id);
    await eve.remove('replies', second!.id);
    await bob.remove('replies', third!.id);
    expect((await repliesOn(answer.id)).map(({ text }) => text)).toEqual([
      'Level 0',
      'Reply deleted',
      'Reply deleted',
      'Level 3',
    ]);
    await eve.remove('replies', last!.id);
    expect((await repliesOn(answer.id)).map(({ id }) => id)).toEqual([living!.id]);
  });

  test('keeps a deleted ancestor that has another child', async () => {
    const answer = await newAnswer();
    const [first, second] = await chainOn(answer.id, 2);
    const sibling = await ann.replyToAnswer(answer.id, { to: first!, content: 'Beside' });
    await bob.remove('replies', first!.id);
    await eve.remove('replies', second!.id);
    expect((await repliesOn(answer.id)).map(({ text }) => text)).toEqual(['Reply deleted', 'Beside']);
    await ann.remove('replies', sibling.id);
    expect(await repliesOn(answer.id)).toEqual([]);
  });

  test('removes a deleted parent when its last two children are deleted at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const answer = await newAnswer();
      const [first, second] = await chainOn(answer.id, 2);
      const sibling = await ann.replyToAnswer(answer.id, { to: first!, content: 'Beside' });
      await bob.remove('replies', first!.id);
      await Promise.all([eve.remove('replies', second!.id), ann.remove('replies', sibling.id)]);
      expect(await repliesOn(answer.id)).toEqual([]);
    }
  });

  test('never loses a reply that is posted at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const answer = await newAnswer();
      const reply = await bob.replyToAnswer(answer.id, { content: 'First' });
      const [, answered] = await Promise.all([
        bob.delete(`/replies/${reply.id}`),
        eve.post(`/answers/${answer.id}/replies`, { content: 'Second', parentReplyId: reply.id }),
      ]);
      const expected = answered.status === 201 ? ['Reply deleted', 'Second'] : [];
      expect((await repliesOn(answer.id)).map(({ text }) => text)).toEqual(expected);
    }
  });

  test('leaves a placeholder without reply, edit, vote or second deletion', async () => {
    const answer = await newAnswer();
    const [first] = await chainOn(answer.id, 2);
    await bob.remove('replies', first!.id);
    const tries = [
      eve.post(`/answers/${answer.id}/replies`, { content: 'Hello?', parentReplyId: first!.id }),
      bob.put(`/replies/${first!.id}`, { content: 'Back again' }),
      eve.put(`/replies/${first!.id}/vote`, { vote: 'down' }),
      bob.delete(`/replies/${first!.id}`),
    ];
    for (const refused of await Promise.all(tries)) expect(refused).toMatchObject({ status: 404 });
  });

  test('is refused for other members, including the author of the answer', async () => {
    const answer = await newAnswer();
    const reply = await bob.replyToAnswer(answer.id);
    expect(await ann.delete(`/replies/${reply.id}`)).toMatchObject({ status: 403, kind: 'not-author' });
    expect(await repliesOn(answer.id)).toHaveLength(1);
  });

  test('reverses the reputation from its votes, once', async () => {
    const replier = await server.register('Replier');
    const answer = await newAnswer();
    const [remaining, gone] = [
      await replier.replyToAnswer(answer.id),
      await replier.replyToAnswer(answer.id),
    ];
    await bob.replyToAnswer(answer.id, { to: gone });
    for (const { id } of [remaining, gone]) await bob.vote('replies', id, 'up');
    expect((await replier.me()).reputation).toBe(4);
    await replier.remove('replies', gone.id);
    expect((await replier.me()).reputation).toBe(2);
    await ann.remove('answers', answer.id);
    expect((await replier.me()).reputation).toBe(0);
  });
});

describe('editing a reply', () => {
  test('shows the new text and the time, and the earlier versions to every member', async () => {
    const reply = await bob.replyToAnswer((await newAnswer()).id, { content: 'Thx' });
    const { body } = await bob.put<Reply>(`/replies/${reply.id}`, { content: 'Thank you' });
    expect(body).toMatchObject({
      content: 'Thank you',
      editedAt: expect.any(String),
      updatedAt: body.editedAt,
    });
    const items = await eve.revisions(`/replies/${reply.id}`);
    expect(items.map(({ number, content }) => [number, content])).toEqual([
      [2, 'Thank you'],
      [1, 'Thx'],
    ]);
  });

  test('is refused for other members and changes nothing', async () => {
    const answer = await newAnswer();
    const reply = await bob.replyToAnswer(answer.id, { content: 'Mine' });
    expect(await eve.put(`/replies/${reply.id}`, { content: 'Hers' })).toMatchObject({ status: 403 });
    expect(await repliesOn(answer.id)).toMatchObject([{ text: 'Mine' }]);
  });
});
