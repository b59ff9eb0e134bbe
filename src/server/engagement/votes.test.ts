import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member, PostPath } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { VoteDirection } from '#shared/core/fields.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

/** Creates a post of each kind by `author`, each in a separate question. */
async function postBy(author: Member, kind: PostPath): Promise<number> {
  const questionId = await ann.ask();
  if (kind === 'questions') return author === ann ? questionId : author.ask();
  if (kind === 'answers') return (await author.answer(questionId)).id;
  return (await author.replyToAnswer((await ann.answer(questionId)).id)).id;
}

const reputationOf = async (member: Member) => (await member.me()).reputation;

const kinds: PostPath[] = ['questions', 'answers', 'replies'];

describe.each(kinds)('a vote on %s', (kind) => {
  const none = { upvotes: 0, downvotes: 0, myVote: null };
  const up = { upvotes: 1, downvotes: 0, myVote: 'up' };
  const down = { upvotes: 0, downvotes: 1, myVote: 'down' };

  test.each<[string, (VoteDirection | null)[], object]>([
    ['from none to up', ['up'], up],
    ['from none to down', ['down'], down],
    ['from up to none', ['up', null], none],
    ['from down to none', ['down', null], none],
    ['from up to down', ['up', 'down'], down],
    ['from down to up', ['down', 'up'], up],
    ['from up to up: repeating changes nothing', ['up', 'up', 'up'], up],
    ['from down to down: repeating changes nothing', ['down', 'down'], down],
    ['from none to none: there is nothing to take back', [null], none],
    ['up and down and back without a trace', ['up', 'down', 'up', null], none],
  ])('goes %s', async (_, votes, expected) => {
    const id = await postBy(ann, kind);
    let state;
    for (const vote of votes) state = await bob.vote(kind, id, vote);
    expect(state).toEqual(expected);
  });

  test('counts two members independently', async () => {
    const id = await postBy(ann, kind);
    await bob.vote(kind, id, 'up');
    expect(await eve.vote(kind, id, 'down')).toEqual({ upvotes: 1, downvotes: 1, myVote: 'down' });
    expect(await bob.vote(kind, id, 'up')).toEqual({ upvotes: 1, downvotes: 1, myVote: 'up' });
  });

  test('counts once when one member sends it several times at the same time', async () => {
    const id = await postBy(ann, kind);
    await Promise.all(Array.from({ length: 12 }, () => bob.vote(kind, id, 'up')));
    expect(await eve.vote(kind, id, null)).toEqual({ upvotes: 1, downvotes: 0, myVote: null });
  });
});

test('counts a vote on a reply at every level', async () => {
  const answer = await ann.answer(await ann.ask());
  let reply = await ann.replyToAnswer(answer.id);
  for (let level = 0; level <= 3; level++) {
    expect(reply.level).toBe(level);
    expect(await bob.vote('replies', reply.id, 'up')).toMatchObject({ upvotes: 1 });
    if (level < 3) reply = await ann.replyToAnswer(answer.id, { to: reply });
  }
});

test('shows a vote to the member who cast it and to no one else', async () => {
  const id = await ann.ask();
  await bob.vote('questions', id, 'down');
  expect((await bob.read(id)).question).toMatchObject({ downvotes: 1, myVote: 'down' });
  const { question } = await eve.read(id);
  expect(question).toMatchObject({ downvotes: 1, myVote: null });
  expect(JSON.stringify(question)).not.toContain(bob.name);
});

test.each(kinds)('changes only the post that is voted on (%s)', async (kind) => {
  const [voted, beside] = [await postBy(ann, kind), await postBy(ann, kind)];
  await bob.vote(kind, voted, 'up');
  expect(await eve.vote(kind, beside, null)).toEqual({ upvotes: 0, downvotes: 0, myVote: null });
});

describe('reputation', () => {
  let author: Member;
  beforeAll(async () => {
    author = await server.register('Author');
  });

  test.each<[PostPath, number]>([
    ['questions', 5],
    ['answers', 10],
    ['replies', 2],
  ])(
    'adds points for an upvote on %s (%i), and subtracts them when the vote is removed',
    async (kind, points) => {
      const id = await postBy(author, kind);
      await bob.vote(kind, id, 'up');
      expect(await reputationOf(author)).toBe(points);
      await bob.vote(kind, id, 'up');
      expect(await reputationOf(author)).toBe(points);
      await bob.vote(kind, id, 'down');
      expect(await reputationOf(author)).toBe(0);
      await eve.vote(kind, id, 'up');
      expect(await reputationOf(author)).toBe(points - 2);
      await bob.vote(kind, id, null);
      await eve.vote(kind, id, null);
      expect(await reputationOf(author)).toBe(0);
    },
  );

  test('shows 0 when it is below 0, and keeps the negative value', async () => {
    const id = await author.ask();
    await Promise.all([bob.vote('questions', id, 'down'), eve.vote('questions', id, 'down')]);
    expect(await reputationOf(author)).toBe(0);
    await bob.vote('questions', id, 'up');
    expect(await reputationOf(author)).toBe(3);
    await author.remove('questions', id);
    expect(await reputationOf(author)).toBe(0);
  });

  test('does not change for the voter', async () => {
    const before = (await bob.me()).reputation;
    await bob.vote('questions', await ann.ask(), 'up');
    expect((await bob.me()).reputation).toBe(before);
  });

  test("loses the points of a deleted post's votes, and no others", async () => {
    const remaining = await author.ask();
    await bob.vote('questions', remaining, 'up');
    for (const kind of kinds) {
      const id = await postBy(author, kind);
      await bob.vote(kind, id, 'up');
      await author.remove(kind, id);
      expect(await reputationOf(author)).toBe(5);
    }
    await author.remove('questions', remaining);
  });
});

describe("a vote on the member's own post", () => {
  test.each(kinds)('counts on %s and earns no reputation', async (kind) => {
    const member = await server.register('Self');
    const id = await postBy(member, kind);
    expect(await member.vote(kind, id, 'up')).toEqual({ upvotes: 1, downvotes: 0, myVote: 'up' });
    expect((await member.me()).reputation).toBe(0);
    await member.remove(kind, id);
    expect((await member.me()).reputation).toBe(0);
  });

  test('can be switched off by the operator; an earlier one can still be removed', async () => {
    const id = await ann.ask();
    await ann.vote('questions', id, 'up');
    const strict = await server.startSecondNode({ allowsSelfVotes: false });
    try {
      const there = ann.onServer(strict.address);
      const refused = await there.put(`/questions/${id}/vote`, { vote: 'down' });
      expect(refused).toMatchObject({ status: 403, kind: 'not-allowed' });
      expect((await ann.read(id)).question).toMatchObject({ upvotes: 1, downvotes: 0, myVote: 'up' });
      expect(await there.vote('questions', id, null)).toEqual({ upvotes: 0, downvotes: 0, myVote: null });
      const other = bob.onServer(strict.address);
      expect(await other.vote('questions', id, 'up')).toMatchObject({ upvotes: 1 });
    } finally {
      await strict.stop();
    }
  });
});

test.each(kinds)('refuses a vote on one of the %s that does not exist', async (kind) => {
  const missing = {
    questions: 'Question not found',
    answers: 'Answer not found',
    replies: 'Reply not found',
  };
  const refused = await bob.put(`/${kind}/999999999/vote`, { vote: 'up' });
  expect(refused).toMatchObject({ status: 404, kind: 'not-found', detail: missing[kind] });
});

test('refuses a vote on a deleted reply that still has its place', async () => {
  const answer = await ann.answer(await ann.ask());
  const reply = await ann.replyToAnswer(answer.id);
  await bob.replyToAnswer(answer.id, { to: reply });
  await ann.remove('replies', reply.id);
  expect(await bob.put(`/replies/${reply.id}/vote`, { vote: 'up' })).toMatchObject({ status: 404 });
});
