import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { repairViolations } from '#server/operations/integrity-repair.ts';
import { addToStatistics, removeFromStatistics } from '#server/posts/statistics-changes.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { MemberActivity, MemberReputation, TagActivity } from '#shared/discovery/activity.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import { updateStatistics } from './statistics.ts';

const server = await startTestServer();
afterAll(() => server.stop());
let ann: Member;
let bob: Member;
let tag: string;
beforeEach(async () => {
  [ann, bob] = await server.registerAll('Ann', 'Bob');
  tag = `bread-${ann.id}`;
});

const add = () => updateStatistics(server.db, Number.POSITIVE_INFINITY);

/** Reads all statistics of Ann and of the tag she uses. */
async function shown() {
  const { upvotes, views, reputation } = expectOk(await bob.get<Profile>(`/members/${ann.id}`));
  const { days } = expectOk(await bob.get<MemberActivity>(`/members/${ann.id}/activity`));
  const points = expectOk(await bob.get<MemberReputation>(`/members/${ann.id}/reputation`)).days;
  const { weeks } = expectOk(await bob.get<TagActivity>(`/tags/${tag}/activity`));
  return { upvotes, views, reputation, days, points, weeks };
}

/** Ann posts a question, an answer and a reply, and receives votes and a view. */
async function write() {
  const question = await ann.ask({ tags: [tag] });
  const answer = await ann.answer(question);
  const reply = await ann.replyToAnswer(answer.id);
  await bob.vote('questions', question, 'up');
  await bob.vote('answers', answer.id, 'up');
  await bob.vote('replies', reply.id, 'down');
  expectOk(await bob.put(`/questions/${question}/view`));
  return { question, answer, reply };
}

async function left(): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from member_statistics_change) + (select count(*) from tag_statistics_change) as left`.execute(
    server.db,
  );
  return rows[0]?.left ?? Number.NaN;
}

test('shows new posts in a profile and its charts immediately, and the same after the changes are added', async () => {
  await write();
  const before = await shown();
  expect(before).toMatchObject({
    upvotes: 2,
    views: 1,
    reputation: 13,
    days: [{ questions: 1, answers: 1, replies: 1 }],
    points: [{ reputation: 13 }],
    weeks: [{ questions: 1, answers: 1 }],
  });
  await add();
  expect(await left()).toBe(0);
  expect(await shown()).toEqual(before);
  const more = await write();
  await add();
  await bob.vote('answers', more.answer.id, 'down');
  await ann.remove('replies', more.reply.id);
  const [today] = (await shown()).days;
  expect(today).toMatchObject({ questions: 2, answers: 2, replies: 1 });
  expect(await shown()).toMatchObject({ upvotes: 3, views: 2, points: [{ reputation: 5 + 10 - 2 + 5 - 2 }] });
  expect(await findViolations(server.db)).toEqual([]);
});

test('moves the answers of a question to its new tag, and out of the old one', async () => {
  const { question } = await write();
  await bob.answer(question);
  await add();
  const other = `cake-${ann.id}`;
  expectOk(await ann.put(`/questions/${question}`, { title: 'Why?', content: 'So.', tags: [other] }));
  expect((await shown()).weeks).toEqual([]);
  tag = other;
  expect((await shown()).weeks).toMatchObject([{ questions: 1, answers: 2 }]);
  await add();
  expect((await shown()).weeks).toMatchObject([{ questions: 1, answers: 2 }]);
});

test('finds and repairs damaged statistics', async () => {
  await write();
  await add();
  const before = await shown();
  for (const damage of [
    sql`update member_daily_statistics set points = points + 1, replies = 9`,
    sql`update member_statistics set upvotes = 7, views = 7`,
    sql`delete from tag_weekly_statistics`,
    sql`insert into member_statistics_change (member_id, day, upvotes, questions) select id, current_date, 1, 1 from member`,
  ])
    await damage.execute(server.db);
  const broken = await findViolations(server.db);
  expect([...new Set(broken.map(({ rule }) => rule))].toSorted()).toEqual([
    'member_daily_statistics',
    'member_statistics.upvotes',
    'member_statistics.views',
    'tag_weekly_statistics',
  ]);
  await repairViolations(server.db, broken);
  expect(await findViolations(server.db)).toEqual([]);
  expect(await shown()).toEqual(before);
});

describe('days that no chart shows', () => {
  test('are deleted', async () => {
    const { answer } = await write();
    await add();
    await sql`
      insert into member_daily_statistics (member_id, day, questions, answers, replies, points)
      values (${ann.id}, current_date - 1000, 0, 1, 0, 0)`.execute(server.db);
    await transaction(server.db, async (tx) => {
      const posts = { questionIds: [], answerIds: [answer.id], replyIds: [] };
      await removeFromStatistics(tx, posts);
      await sql`update answer set created_at = now() - interval '900 days' where id = ${answer.id}`.execute(
        tx,
      );
      await addToStatistics(tx, posts);
    });
    await writeAllSortKeys(server.db);
    await add();
    const { rows } = await sql<{ days: number }>`
      select count(*) as days from member_daily_statistics where member_id = ${ann.id}`.execute(server.db);
    expect(rows[0]?.days).toBe(1);
    expect(await shown()).toMatchObject({
      upvotes: 2,
      days: [{ questions: 1, answers: 0 }],
      weeks: [{ questions: 1, answers: 0 }],
    });
    expect(await findViolations(server.db)).toEqual([]);
  });
});
