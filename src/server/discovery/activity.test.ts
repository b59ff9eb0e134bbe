import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { rebuildStatistics } from '#tests/support/statistics.ts';
import {
  addDays,
  type MemberActivity,
  type MemberReputation,
  getMonday,
  type TagActivity,
} from '#shared/discovery/activity.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const today = () => new Date().toISOString().slice(0, 10);
let ann: Member;
let bob: Member;
beforeEach(async () => {
  [ann, bob] = await server.registerAll('Ann', 'Bob');
});

const yearOf = async (member: Member) =>
  expectOk(await bob.get<MemberActivity>(`/members/${member.id}/activity`));
const reputationOf = async (member: Member) =>
  expectOk(await bob.get<MemberReputation>(`/members/${member.id}/reputation`));
const readTagYear = async (tag: string) => expectOk(await bob.get<TagActivity>(`/tags/${tag}/activity`));

/** Changes the creation time of a post. */
async function date(table: 'question' | 'answer' | 'reply', id: number, at: string): Promise<void> {
  await sql`update ${sql.table(table)} set created_at = ${at} where id = ${id}`.execute(server.db);
  await rebuildStatistics(server.db);
}

/** Changes the time of the votes on a post. */
async function dateVotes(kind: 'question' | 'answer', id: number, at: string): Promise<void> {
  await sql`update vote set created_at = ${at} where ${sql.ref(`${kind}_id`)} = ${id}`.execute(server.db);
  await rebuildStatistics(server.db);
}

describe("a member's year", () => {
  test('counts questions, answers and replies on their days, and not those of others', async () => {
    const question = await ann.ask();
    const answer = await ann.answer(question);
    await ann.replyToAnswer(answer.id);
    await ann.replyToQuestion(question);
    await bob.answer(question);
    const year = await yearOf(ann);
    expect(year.to).toBe(today());
    expect(year.days).toEqual([{ day: today(), questions: 1, answers: 1, replies: 2 }]);
  });

  test('divides days at midnight UTC', async () => {
    const day = addDays(today(), -10);
    const [last, first] = [await ann.answer(await bob.ask()), await ann.answer(await bob.ask())];
    await date('answer', last.id, `${addDays(day, -1)}T23:59:59.999Z`);
    await date('answer', first.id, `${day}T00:00:00.000Z`);
    expect((await yearOf(ann)).days.map((each) => [each.day, each.answers])).toEqual([
      [addDays(day, -1), 1],
      [day, 1],
    ]);
  });

  test('starts on a Monday, has 53 weeks including the current one, and contains nothing older', async () => {
    const { from } = await yearOf(ann);
    expect(from).toBe(addDays(getMonday(today()), -52 * 7));
    const [within, before] = [await ann.answer(await bob.ask()), await ann.answer(await bob.ask())];
    await date('answer', within.id, `${from}T00:00:00Z`);
    await date('answer', before.id, `${addDays(from, -1)}T23:59:59Z`);
    expect((await yearOf(ann)).days).toEqual([{ day: from, questions: 0, answers: 1, replies: 0 }]);
  });

  test('leaves out deleted posts, also a deleted reply that has a placeholder', async () => {
    const answer = await bob.answer(await bob.ask());
    const reply = await ann.replyToAnswer(answer.id);
    await bob.replyToAnswer(answer.id, { to: reply });
    await ann.remove('replies', reply.id);
    expect((await yearOf(ann)).days).toEqual([]);
  });

  test('has one entry per day for an imported member with thousands of posts', async () => {
    await sql`
      insert into import_source (site, license) values ('example.com', 'CC BY-SA 4.0');
      `.execute(server.db);
    const { rows } = await sql<{ id: number }>`
      insert into member (display_name, source_id, source_key, reputation, imported_reputation)
      select 'Imported', id, '7', 4321, 4321 from import_source returning id`.execute(server.db);
    const id = rows[0]!.id;
    const question = await bob.ask();
    await sql`
      insert into answer (question_id, author_id, content, imported_upvotes, upvotes, created_at)
      select ${question}, ${id}, 'Yes', 3, 3, now() - n * interval '1 hour' from generate_series(1, 5000) n`.execute(
      server.db,
    );
    await rebuildStatistics(server.db);
    const { days, from, to } = expectOk(await bob.get<MemberActivity>(`/members/${id}/activity`));
    expect(days.reduce((sum, { answers }) => sum + answers, 0)).toBe(5000);
    expect(days.length).toBeLessThan(212);
    expect(expectOk(await bob.get(`/members/${id}/reputation`))).toEqual({ from, to, start: 4321, days: [] });
  });
});

describe("a member's reputation", () => {
  test('changes with the votes of others on the days they were cast, and ends at the present value', async () => {
    const question = await ann.ask();
    const answer = await ann.answer(question);
    await bob.vote('questions', question, 'up');
    await bob.vote('answers', answer.id, 'up');
    await ann.vote('answers', answer.id, 'up');
    const [early, late] = [addDays(today(), -100), addDays(today(), -3)];
    await dateVotes('question', question, `${early}T12:00:00Z`);
    await dateVotes('answer', answer.id, `${late}T12:00:00Z`);
    expect(await reputationOf(ann)).toMatchObject({
      start: 0,
      days: [
        { day: early, reputation: 5 },
        { day: late, reputation: 15 },
      ],
    });
    expect(await reputationOf(bob)).toMatchObject({ start: 0, days: [] });
  });

  test('includes older votes from the start', async () => {
    const question = await ann.ask();
    await bob.vote('questions', question, 'up');
    await dateVotes('question', question, `${addDays(today(), -500)}T12:00:00Z`);
    expect(await reputationOf(ann)).toMatchObject({ start: 5, days: [] });
  });

  test('never shows below 0, and rises from the stored value', async () => {
    const [bad, good] = [await ann.ask(), await ann.ask()];
    await bob.vote('questions', bad, 'down');
    await bob.vote('questions', good, 'up');
    const [early, late] = [addDays(today(), -9), addDays(today(), -1)];
    await dateVotes('question', bad, `${early}T12:00:00Z`);
    await dateVotes('question', good, `${late}T12:00:00Z`);
    expect((await reputationOf(ann)).days).toEqual([
      { day: early, reputation: 0 },
      { day: late, reputation: 3 },
    ]);
  });

  test('leaves out a removed vote', async () => {
    const question = await ann.ask();
    await bob.vote('questions', question, 'up');
    await bob.vote('questions', question, null);
    expect(await reputationOf(ann)).toMatchObject({ start: 0, days: [] });
  });
});

describe("a tag's year", () => {
  test('counts its questions and all their answers by week, and none of other tags', async () => {
    const tag = `bread-${ann.id}`;
    const question = await ann.ask({ tags: [tag] });
    await ann.answer(question);
    await bob.answer(question);
    await bob.answer(await ann.ask({ tags: ['cake'] }));
    const { weeks, to } = await readTagYear(tag);
    expect({ weeks, to }).toEqual({
      weeks: [{ week: getMonday(today()), questions: 1, answers: 2 }],
      to: today(),
    });
  });

  test('counts answers of the year to older questions', async () => {
    const tag = `oven-${ann.id}`;
    const question = await ann.ask({ tags: [tag] });
    await bob.answer(question);
    const older = `${addDays(today(), -500)}T12:00:00Z`;
    await sql`delete from question_tag where question_id = ${question}`.execute(server.db);
    await date('question', question, older);
    await sql`
      insert into question_tag (question_id, question_created_at, tag_id, position)
      select ${question}, ${older}, id, 0 from tag where key = ${tag}`.execute(server.db);
    await rebuildStatistics(server.db);
    expect((await readTagYear(tag)).weeks).toEqual([{ week: getMonday(today()), questions: 0, answers: 1 }]);
  });
});

test('lets the browser reuse a chart while it is current, and sends a new one as soon as it changes', async () => {
  const path = `/members/${ann.id}/activity`;
  await ann.ask();
  const { headers } = await bob.get(path);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('vary')?.toLowerCase()).toContain('cookie');
  const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
  expect(await bob.send('GET', path, again)).toMatchObject({ status: 304, body: '' });
  await ann.ask();
  expect(await bob.send('GET', path, again)).toMatchObject({
    status: 200,
    body: { days: [{ questions: 2 }] },
  });
  const refused = await bob.get('/members/999999999/activity');
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([404, 'no-store']);
});

test('responds 404 for a member or a tag that does not exist', async () => {
  for (const path of ['members/999999999/activity', 'members/999999999/reputation', 'tags/none/activity'])
    expect(await bob.get(`/${path}`)).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await server.visitor().get(`/members/${ann.id}/activity`)).toMatchObject({ status: 401 });
});
