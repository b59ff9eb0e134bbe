import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { AnswerCards } from '#shared/identity/profiles.ts';
import type { SearchResults } from '#shared/discovery/search.ts';

const server = await startTestServer();
const secondNode = await server.startSecondNode();
afterAll(async () => {
  await secondNode.stop();
  await server.stop();
});
const title = 'Does bread freeze?';
let ann: Member;
let bob: Member;
let eve: Member;
beforeEach(async () => {
  [ann, bob, eve] = await server.registerAll('Ann', 'Bob', 'Eve');
});

const accept = (member: Member, questionId: number, answerId: number | null) =>
  member.put<{ acceptedAnswerId: number | null }>(`/questions/${questionId}/accepted-answer`, { answerId });
const acceptedOf = async (questionId: number) => (await eve.read(questionId)).question.acceptedAnswerId;
const readNotifications = async (member: Member) =>
  (await member.get<Notifications>('/notifications')).body.items.filter(({ type }) => type === 'other');
const follow = (member: Member, id: number) => member.put(`/questions/${id}/follow`, { following: true });

/** The acceptance events published for a question's page and the lists, in order. */
async function events(questionId: number): Promise<unknown[]> {
  const { rows } = await sql<{ event: unknown }>`
    select event from event where event ->> 'kind' in ('accepted', 'question-solved', 'answer-accepted')
      and (topic = ${`question:${questionId}`} or event ->> 'questionId' = ${String(questionId)})
    order by id`.execute(server.db);
  return rows.map(({ event }) => event);
}

describe('accepting an answer', () => {
  test('shows it to every member on the page, in the feed and in search, and can be changed and undone', async () => {
    const id = await ann.ask({ title: `${title} ${crypto.randomUUID()}` });
    const [first, second] = [await bob.answer(id), await eve.answer(id)];
    const cards = async () => {
      const { question } = await eve.read(id);
      const query = `q=${encodeURIComponent(question.title)}`;
      const found = await bob.get<SearchResults>(`/search?${query}`);
      return [(await bob.feed('recent')).items[0], found.body.questions[0]];
    };
    expect(await cards()).toMatchObject([{ solved: false }, { solved: false }]);
    expect(await accept(ann, id, first.id)).toMatchObject({
      status: 200,
      body: { acceptedAnswerId: first.id },
    });
    expect(await acceptedOf(id)).toBe(first.id);
    expect(await cards()).toMatchObject([
      { id, solved: true },
      { id, solved: true },
    ]);
    await accept(ann, id, second.id);
    expect(await acceptedOf(id)).toBe(second.id);
    await accept(ann, id, null);
    expect(await acceptedOf(id)).toBeNull();
    expect(await cards()).toMatchObject([{ solved: false }, { solved: false }]);
  });

  test('marks only the card of this answer in search and on the profile', async () => {
    const word = `loaf${crypto.randomUUID().replaceAll('-', '')}`;
    const id = await ann.ask();
    const [first, second] = [await bob.answer(id, `${word} once.`), await bob.answer(id, `${word} twice.`)];
    const cards = async () => {
      const found = await eve.get<SearchResults>(`/search?in=answers&q=${word}`);
      const profile = await eve.get<AnswerCards>(`/members/${bob.id}/answers`);
      return [found.body.answers, profile.body.items].map((list) =>
        Object.fromEntries(list.map((card) => [card.id, card.accepted])),
      );
    };
    const both = (expected: object) => [expected, expected];
    expect(await cards()).toEqual(both({ [first.id]: false, [second.id]: false }));
    await accept(ann, id, first.id);
    expect(await cards()).toEqual(both({ [first.id]: true, [second.id]: false }));
    await accept(ann, id, second.id);
    expect(await cards()).toEqual(both({ [first.id]: false, [second.id]: true }));
    await accept(ann, id, null);
    expect(await cards()).toEqual(both({ [first.id]: false, [second.id]: false }));
  });

  test('moves the answer to the top and changes no reputation', async () => {
    const id = await ann.ask();
    const older = await bob.answer(id);
    const newer = await eve.answer(id);
    await accept(ann, id, older.id);
    expect((await bob.read(id)).answers.items.map((answer) => answer.id)).toEqual([older.id, newer.id]);
    expect(await bob.me()).toMatchObject({ reputation: 0 });
    expect(await ann.me()).toMatchObject({ reputation: 0 });
  });

  test('is refused for anyone but the author of the question, including the author of the answer', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    for (const other of [bob, eve])
      expect(await accept(other, id, answer.id)).toMatchObject({ status: 403, kind: 'not-author' });
    await accept(ann, id, answer.id);
    for (const other of [bob, eve])
      expect(await accept(other, id, null)).toMatchObject({ status: 403, kind: 'not-author' });
    expect(await acceptedOf(id)).toBe(answer.id);
  });

  test("works for an answer of the question's author, who is not notified", async () => {
    const id = await ann.ask();
    await follow(ann, id);
    const answer = await ann.answer(id);
    expect(await accept(ann, id, answer.id)).toMatchObject({ status: 200 });
    expect(await readNotifications(ann)).toEqual([]);
  });

  test('is refused for an answer to another question or a deleted one, and changes nothing', async () => {
    const [id, beside] = [await ann.ask(), await ann.ask()];
    const [answer, elsewhere] = [await bob.answer(id), await bob.answer(beside)];
    await accept(ann, id, answer.id);
    for (const wrong of [elsewhere.id, 999_999_999])
      expect(await accept(ann, id, wrong)).toMatchObject({ status: 404, detail: 'Answer not found' });
    expect(await acceptedOf(id)).toBe(answer.id);
    expect(await accept(ann, 999_999_999, answer.id)).toMatchObject({ status: 404 });
    await expect(
      sql`update question set accepted_answer_id = ${elsewhere.id} where id = ${id}`.execute(server.db),
    ).rejects.toMatchObject({ constraint: 'question_accepted_answer' });
  });

  test('publishes one event to the page and the lists when it is repeated', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    await accept(ann, id, answer.id);
    await accept(ann, id, answer.id);
    await accept(ann, id, null);
    await accept(ann, id, null);
    expect(await events(id)).toEqual([
      { kind: 'accepted', acceptedAnswerId: answer.id },
      { kind: 'question-solved', questionId: id, solved: true },
      { kind: 'answer-accepted', questionId: id, acceptedAnswerId: answer.id },
      { kind: 'accepted', acceptedAnswerId: null },
      { kind: 'question-solved', questionId: id, solved: false },
      { kind: 'answer-accepted', questionId: id, acceptedAnswerId: null },
    ]);
  });

  test('ends when the answer is deleted, and the lists receive an event', async () => {
    const id = await ann.ask();
    const [remaining, gone] = [await bob.answer(id), await bob.answer(id)];
    await accept(ann, id, gone.id);
    await bob.remove('answers', remaining.id);
    expect(await acceptedOf(id)).toBe(gone.id);
    await bob.remove('answers', gone.id);
    expect(await acceptedOf(id)).toBeNull();
    expect((await events(id)).slice(3)).toEqual([
      { kind: 'accepted', acceptedAnswerId: null },
      { kind: 'question-solved', questionId: id, solved: false },
      { kind: 'answer-accepted', questionId: id, acceptedAnswerId: null },
    ]);
    expect(await readNotifications(bob)).toEqual([]);
  });

  test('allows the question to be deleted', async () => {
    const id = await ann.ask();
    await accept(ann, id, (await bob.answer(id)).id);
    await ann.remove('questions', id);
    expect(await eve.get(`/questions/${id}`)).toMatchObject({ status: 404 });
  });
});

describe('the notifications about an accepted answer', () => {
  test("go to its author and the followers of the question, once per answer, but not to the question's author", async () => {
    const id = await ann.ask({ title });
    const [first, second] = [await bob.answer(id), await bob.answer(id)];
    for (const member of [ann, bob, eve]) await follow(member, id);
    await accept(ann, id, first.id);
    expect(await readNotifications(bob)).toMatchObject([
      {
        type: 'other',
        message: `Ann accepted your answer to "${title}"`,
        link: `/question/${id}/does-bread-freeze#answer-${first.id}`,
        entityId: first.id,
        entityType: 'answer',
      },
    ]);
    expect(await readNotifications(eve)).toMatchObject([
      {
        message: `Ann accepted an answer to a question you follow: "${title}"`,
        link: `/question/${id}/does-bread-freeze#answer-${first.id}`,
      },
    ]);
    for (const answerId of [second.id, first.id, null, second.id, first.id]) await accept(ann, id, answerId);
    expect((await readNotifications(bob)).map(({ entityId }) => entityId)).toEqual([second.id, first.id]);
    expect((await readNotifications(eve)).map(({ entityId }) => entityId)).toEqual([second.id, first.id]);
    expect(await readNotifications(ann)).toEqual([]);
    expect(await findViolations(server.db)).toEqual([]);
  });

  test('are sent once when two nodes accept it at the same time', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    const both = await Promise.all(
      [ann, ann.onServer(secondNode.address), ann, ann.onServer(secondNode.address)].map((node) =>
        accept(node, id, answer.id),
      ),
    );
    for (const response of both) expect(expectOk(response)).toEqual({ acceptedAnswerId: answer.id });
    expect(await readNotifications(bob)).toHaveLength(1);
    expect(await events(id)).toHaveLength(3);
  });

  test('are not sent when the answer is deleted at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await ann.ask();
      const answer = await bob.answer(id);
      const [accepted, deleted] = await Promise.all([
        accept(ann, id, answer.id),
        bob.delete(`/answers/${answer.id}`),
      ]);
      expect([200, 404]).toContain(accepted.status);
      expect(deleted.status).toBe(204);
      expect(await acceptedOf(id)).toBeNull();
    }
    expect(await readNotifications(bob)).toEqual([]);
    expect(await findViolations(server.db)).toEqual([]);
  });
});
