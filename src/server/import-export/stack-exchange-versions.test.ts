import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { RevisionsPage } from '#shared/posts/revisions.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import {
  answerRow,
  type ArchiveContent,
  questionRow,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { limits } from '#shared/core/limits.ts';
import { type ImportOptions, importStackExchange } from './stack-exchange-import.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const bob = await server.register('Bob');

async function importInto(files: ArchiveContent, options: Partial<ImportOptions> = {}) {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  const directory = await writeArchive(files);
  return importStackExchange({ directory, client, site: 'beer.stackexchange.com', ...options });
}

const idOf = async (kind: 'question' | 'answer', key: number) => {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(kind)} where source_key = ${String(key)}`.execute(server.db);
  return rows[0]?.id ?? 0;
};
const historyOf = async (path: string) => {
  const { items } = expectOk<RevisionsPage>(await bob.get(`${path}/revisions`));
  return items.map(({ number, editor }) => [
    number,
    editor === null ? null : [editor.name, editor.summary, editor.approvedBy],
  ]);
};
const day = (number: number) => `2015-03-${String(number).padStart(2, '0')}T10:00:00.000`;
/** One action of the history: entries with the same RevisionGUID. */
const action = (
  id: number,
  post: number,
  texts: Readonly<Record<number, string>>,
  more: Record<string, string | number> = {},
) =>
  Object.entries(texts).map(([kind, text], index) =>
    versionRow(id * 10 + index, post, text, {
      PostHistoryTypeId: kind,
      RevisionGUID: `guid-${id}`,
      CreationDate: day(id),
      UserId: 1,
      ...more,
    }),
  );

const archive = {
  Users: [userRow(1), userRow(2, { DisplayName: 'Editor' }), userRow(3, { DisplayName: 'Approver' })],
  Posts: [
    questionRow(1, {
      Title: 'Third title',
      Body: '<p>Third</p>',
      Tags: '<beer><malt>',
      LastEditDate: day(4),
    }),
    answerRow(2, 1, { Body: '<p>Newer</p>', LastEditDate: day(6) }),
    answerRow(3, 1),
  ],
  PostHistory: [
    ...action(1, 1, { 2: 'First', 1: 'First title', 3: '<beer>' }),
    ...action(2, 1, { 5: 'Second' }, { UserId: 2, Comment: 'Clearer' }),
    ...action(2, 1, { 24: '' }, { Comment: 'Proposed by 2 approved by 3, 1 edit id of 7' }).map((row) => ({
      ...row,
      Id: 29,
      UserId: '',
    })),
    ...action(3, 1, { 6: '|beer|malt|', 4: 'Third title' }, { Comment: 'Own edit' }),
    ...action(4, 1, { 5: 'Third' }, { UserId: '', UserDisplayName: 'Someone' }),
    ...action(5, 2, { 2: 'Older' }, { UserId: 2 }),
    ...action(6, 2, { 5: 'Newer' }, { UserId: 2 }),
    ...action(7, 3, { 2: 'Answer 3' }, { UserId: 2 }),
  ],
} satisfies ArchiveContent;

test('imports the versions of posts with editors, summaries and approvals', async () => {
  const { added, files } = await importInto(archive);
  expect(added.versions).toBe(4);
  expect(files.find(({ file }) => file === 'PostHistory.xml')).toMatchObject({
    read: 11,
    imported: 11,
    skipped: [],
  });
  const question = `/questions/${await idOf('question', 1)}`;
  expect(await historyOf(question)).toEqual([
    [4, ['Someone', '', null]],
    [3, ['Member 1', 'Own edit', null]],
    [2, ['Editor', 'Clearer', 'Approver']],
    [1, null],
  ]);
  const versions = await Promise.all(
    [1, 2, 3, 4].map(async (number) => expectOk(await bob.get(`${question}/revisions/${number}`))),
  );
  expect(versions).toEqual([
    { number: 1, title: 'First title', content: 'First', tags: ['beer'], createdAt: expect.any(String) },
    { number: 2, title: 'First title', content: 'Second', tags: ['beer'], createdAt: expect.any(String) },
    {
      number: 3,
      title: 'Third title',
      content: 'Second',
      tags: ['beer', 'malt'],
      createdAt: expect.any(String),
    },
    {
      number: 4,
      title: 'Third title',
      content: 'Third',
      tags: ['beer', 'malt'],
      createdAt: expect.any(String),
    },
  ]);
  expect(await historyOf(`/answers/${await idOf('answer', 2)}`)).toEqual([
    [2, null],
    [1, null],
  ]);
  expect(await historyOf(`/answers/${await idOf('answer', 3)}`)).toEqual([[1, null]]);
  expect(await findViolations(server.db)).toEqual([]);
  expect((await importInto(archive)).isUnchanged).toBe(true);
});

test('a newer archive adds versions, except to a post that was edited here', async () => {
  const answer = await idOf('answer', 2);
  // An edit here: a version without the mark of an import.
  await sql`
    insert into revision (answer_id, number, content, created_at, replaced_at) values (${answer}, 2, 'Newer', now(), now())`.execute(
    server.db,
  );
  await sql`update answer set content = 'Edited here', edited_at = now() where id = ${answer}`.execute(
    server.db,
  );
  const newer = await importInto({
    ...archive,
    Posts: [
      questionRow(1, {
        Title: 'Third title',
        Body: '<p>Fourth</p>',
        Tags: '<beer><malt>',
        LastEditDate: day(8),
      }),
      answerRow(2, 1, { Body: '<p>Newest</p>', LastEditDate: day(9) }),
      answerRow(3, 1),
    ],
    PostHistory: [
      ...archive.PostHistory,
      ...action(8, 1, { 8: 'Fourth' }, { UserId: 2, Comment: 'Rolled back' }),
      ...action(9, 2, { 5: 'Newest' }, { UserId: 2 }),
    ],
  });
  expect(newer.changes.counts).toMatchObject({ histories: 1, texts: 1 });
  expect((await historyOf(`/questions/${await idOf('question', 1)}`))[0]).toEqual([
    5,
    ['Editor', 'Rolled back', null],
  ]);
  expect((await historyOf(`/answers/${answer}`)).map(([number]) => number)).toEqual([3, 2, 1]);
  const { rows } = await sql<{ content: string }>`select content from answer where id = ${answer}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ content: 'Edited here' }]);
});

test('stores the first and the latest of many versions, and none without the history', async () => {
  const count = limits.revisions + 20;
  const many = (from: number): ArchiveContent => ({
    Posts: [questionRow(from, { Body: `<p>Text ${count}</p>` })],
    PostHistory: Array.from({ length: count }, (_, index) =>
      versionRow(from * 1000 + index, from, `Text ${index + 1}`, {
        PostHistoryTypeId: index === 0 ? 2 : 5,
        RevisionGUID: `guid-${from}-${index}`,
        CreationDate: `2015-05-01T${String(10 + Math.floor(index / 60))}:${String(index % 60).padStart(2, '0')}:00.000`,
      }),
    ),
  });
  await importInto(many(100), { addOnly: true });
  const numbersOf = async (key: number) =>
    (
      await sql<{ number: number }>`
        select number from revision where question_id = ${await idOf('question', key)} order by number`.execute(
        server.db,
      )
    ).rows.map(({ number }) => number);
  const numbers = await numbersOf(100);
  expect(numbers).toHaveLength(limits.revisions);
  expect([numbers[0], numbers[1], numbers.at(-1)]).toEqual([1, 21, count - 1]);
  await importInto(many(200), { addOnly: true, withHistory: false });
  expect(await numbersOf(200)).toEqual([]);
});
