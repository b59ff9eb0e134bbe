import { expect, test } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  answerRow,
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const at = (day: number) => `2015-02-0${day}T10:00:00.000`;
const entry = (id: number, post: number, kind: number, more: Record<string, string | number> = {}) => ({
  Id: id,
  PostHistoryTypeId: kind,
  PostId: post,
  RevisionGUID: `guid-${id}`,
  CreationDate: at(id % 10),
  ...more,
});
const voters = (...ids: number[]) =>
  JSON.stringify({ Voters: ids.map((id) => ({ Id: id, DisplayName: `Member ${id}` })) });
const closed = { ClosedDate: at(3) };

const first = {
  Users: [userRow(1), userRow(2), userRow(3)],
  Posts: [
    questionRow(1, closed),
    questionRow(2, closed),
    questionRow(3),
    questionRow(4, closed),
    questionRow(5, closed),
    answerRow(6, 3),
    questionRow(7, closed),
    questionRow(8),
  ],
  PostLinks: [{ Id: 1, CreationDate: at(3), PostId: 5, RelatedPostId: 3, LinkTypeId: 3 }],
  PostHistory: [
    entry(1, 1, 10, { Comment: 104, Text: voters(1) }),
    entry(2, 1, 11),
    entry(3, 1, 10, { Comment: 105, Text: voters(2, 3, 99) }),
    // The old format.
    entry(4, 2, 10, { CloseReasonId: 4, Text: '[{"Id":1,"DisplayName":"Member 1"}]' }),
    entry(5, 3, 10, { Comment: 102, Text: voters(1) }),
    entry(6, 3, 11),
    // The original is not in the archive.
    entry(7, 4, 10, { Comment: 101, Text: '{"OriginalQuestionIds":[99],"Voters":[{"Id":2}]}' }),
    entry(8, 5, 10, { Comment: 101, Text: voters(3) }),
    entry(9, 7, 10, { Comment: 'Some text', Text: 'not JSON' }),
    entry(11, 8, 14),
    entry(12, 6, 14),
  ],
} satisfies ArchiveContent;

const readClosings = async ({ rows }: TestCommunity) =>
  Object.fromEntries(
    (
      await rows(`
        select question.source_key as key, reason, lock_reason, (
          select string_agg(display_name, ', ' order by member_id) from question_closer join member on member.id = member_id
          where question_id = question.id) as closers
        from question left join question_closing on question_id = question.id`)
    ).map(({ key, reason, closers, lock_reason: lock }) => [Number(key), [reason, closers, lock]]),
  );
const reportOf = (files: readonly { file: string }[]) => files.find(({ file }) => file === 'PostHistory.xml');

test('questions show the last reason for which they are closed, and who closed them', async () => {
  const community = await createTestCommunity();
  const { added, files } = await community.import(await writeArchive(first));
  expect(added.closings).toBe(4);
  expect(await readClosings(community)).toEqual({
    1: ['opinion-based', 'Member 2, Member 3', null],
    2: ['not-a-question', 'Member 1', null],
    3: [null, null, null],
    4: ['duplicate', 'Member 2', null],
    5: [null, 'Member 3', null],
    7: ['other', null, null],
    8: [null, null, 'Locked on beer.stackexchange.com'],
  });
  expect(reportOf(files)).toMatchObject({
    read: 11,
    imported: 6,
    skipped: expect.arrayContaining([
      { reason: 'reopenings', rows: 2 },
      { reason: 'earlier closings', rows: 2 },
      { reason: 'locks of answers, which Parley does not have', rows: 1 },
    ]),
  });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
  expect((await community.import(await writeArchive(first))).isUnchanged).toBe(true);
});

test('a newer archive closes, opens and unlocks questions, and changes no locked ones', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await community.client.query(`update question set lock_reason = 'By a moderator' where source_key = '2'`);
  const newer = await community.import(
    await writeArchive({
      ...first,
      Posts: [questionRow(1), questionRow(2), questionRow(3, closed), ...first.Posts.slice(3)],
      PostHistory: [
        ...first.PostHistory,
        entry(13, 1, 11),
        entry(14, 2, 11),
        entry(17, 3, 10, { Comment: 103, Text: voters(2) }),
        entry(18, 8, 15),
      ],
    }),
  );
  expect(newer.changes.counts).toEqual({ closings: 2, unlocked: 1 });
  expect(await readClosings(community)).toMatchObject({
    1: [null, null, null],
    2: ['not-a-question', 'Member 1', 'By a moderator'],
    3: ['unclear', 'Member 2', null],
    4: ['duplicate', 'Member 2', null],
    8: [null, null, null],
  });
  expect(reportOf(newer.files)).toMatchObject({ updated: 1 });
  const entries = `select action, reason, source_key as key from moderation_log join question on question.id = post_id
    where post_kind = 'question'`;
  expect(await community.rows(entries)).toEqual([
    { action: 'unlock', reason: 'Unlocked on beer.stackexchange.com', key: '8' },
  ]);
});

test('a newer archive changes and removes a question that is locked on the site, and it stays locked', async () => {
  const community = await createTestCommunity();
  const changed = { Title: 'Better', ViewCount: 999, Score: 4, LastEditDate: at(9) };
  const archive = (posts: typeof first.Posts, users = first.Users) =>
    writeArchive({ ...first, Users: users, Posts: posts });
  await community.import(await archive(first.Posts));
  await community.import(
    await archive([...first.Posts.slice(0, 7), questionRow(8, changed), answerRow(9, 8)]),
  );
  const read = async () =>
    community.rows(`select title, views::int, answer_count::int, lock_reason, hidden_by is not null as hidden
      from base_question where source_key = '8'`);
  const locked = {
    views: 999,
    answer_count: 1,
    title: 'Better',
    lock_reason: 'Locked on beer.stackexchange.com',
  };
  expect(await read()).toEqual([{ ...locked, hidden: false }]);
  await community.import(
    await archive(first.Posts.slice(0, 7), [...first.Users, userRow(4, { LastAccessDate: at(9) })]),
  );
  expect(await read()).toEqual([{ ...locked, hidden: true }]);
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
});

test('adding only what is new closes no existing question, and a closing goes with its question', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive({ ...first, Posts: [questionRow(1), questionRow(3)] }));
  await community.import(await writeArchive(first), { addOnly: true });
  expect(await readClosings(community)).toMatchObject({
    1: [null, null, null],
    2: ['not-a-question', 'Member 1', null],
  });
  await community.client.query('delete from base_question');
  expect(await community.rows('select from question_closing union all select from question_closer')).toEqual(
    [],
  );
});
