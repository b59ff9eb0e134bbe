import { expect, test } from 'vitest';
import {
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const link = (
  id: number,
  question: number,
  original: number,
  more: Record<string, string | number> = {},
) => ({
  Id: id,
  CreationDate: `2015-01-01T10:00:0${id % 10}.000`,
  PostId: question,
  RelatedPostId: original,
  LinkTypeId: 3,
  ...more,
});
const questions = (count: number) => Array.from({ length: count }, (_, index) => questionRow(index + 1));

/** The originals by the number of the duplicate. */
const readOriginals = async ({ rows }: TestCommunity) =>
  Object.fromEntries(
    (
      await rows(`select duplicate.source_key as key, original.source_key as original
        from question duplicate join question original on original.id = duplicate.duplicate_of order by 1`)
    ).map(({ key, original }) => [Number(key), Number(original)]),
  );

test('a question that was closed as a duplicate is one here, and is not closed otherwise', async () => {
  const community = await createTestCommunity();
  const closed = { ClosedDate: '2015-02-01T00:00:00.000' };
  const { added, files } = await community.import(
    await writeArchive({
      Posts: [questionRow(1), questionRow(2, closed), questionRow(3, closed)],
      PostLinks: [link(1, 2, 1), link(2, 3, 1, { LinkTypeId: 1 })],
    }),
  );
  expect(await readOriginals(community)).toEqual({ 2: 1 });
  expect(added.duplicates).toBe(1);
  expect(files.find(({ file }) => file === 'PostLinks.xml')).toMatchObject({ read: 2, imported: 1 });
  expect(added.closings).toBe(1);
  expect(await community.rows('select reason from question_closing')).toEqual([{ reason: 'other' }]);
});

test('chains lead to the last question, circles and missing questions are left out, and of several the latest counts', async () => {
  const community = await createTestCommunity();
  const { files } = await community.import(
    await writeArchive({
      Posts: questions(9),
      PostLinks: [
        link(1, 3, 2),
        link(2, 2, 1),
        link(3, 4, 5),
        link(4, 5, 4),
        link(5, 6, 99),
        link(6, 7, 8),
        link(7, 7, 1),
        link(8, 9, 9),
        link(9, 6, 5),
      ],
    }),
  );
  expect(await readOriginals(community)).toEqual({ 2: 1, 3: 1, 7: 1 });
  const report = files.find(({ file }) => file === 'PostLinks.xml');
  expect(report).toMatchObject({ read: 9, imported: 3, alreadyImported: 0 });
  expect(report?.skipped.reduce((sum, { rows }) => sum + rows, 0)).toBe(6);
});

test('a later import recognises the marks, and keeps what was changed here', async () => {
  const community = await createTestCommunity();
  const archive = { Posts: questions(3), PostLinks: [link(1, 2, 1)] };
  await community.import(await writeArchive(archive));
  const again = await community.import(await writeArchive(archive));
  expect(again.isUnchanged).toBe(true);
  expect(again.files.find(({ file }) => file === 'PostLinks.xml')).toMatchObject({ alreadyImported: 1 });
  // A moderator opens the question.
  await community.client.query('update question set duplicate_of = null');
  const newer = await community.import(
    await writeArchive({ Posts: questions(4), PostLinks: [link(1, 2, 1), link(2, 4, 2)] }),
  );
  expect(newer.added.duplicates).toBe(1);
  expect(await readOriginals(community)).toEqual({ 4: 2 });
});

test.each([
  ['turned round', [link(1, 2, 1)], [link(2, 1, 2)], { 1: 2 }],
  ['removed where another leads', [link(1, 2, 3)], [link(2, 1, 2)], { 1: 2 }],
])('a mark that the site has %s is so after one import', async (_, before, now, originals) => {
  const community = await createTestCommunity();
  await community.import(await writeArchive({ Posts: questions(3), PostLinks: before }));
  const { files } = await community.import(await writeArchive({ Posts: questions(3), PostLinks: now }));
  expect(await readOriginals(community)).toEqual(originals);
  expect(files.find(({ file }) => file === 'PostLinks.xml')).toMatchObject({ updated: 1, skipped: [] });
});

/** The bytes of temporary files that the database has written. */
async function getTemporaryBytes({ client, rows }: TestCommunity): Promise<number> {
  await client.query('select pg_stat_force_next_flush()');
  const [row] = await rows('select temp_bytes from pg_stat_database where datname = current_database()');
  return Number(row?.['temp_bytes']);
}

test.each([
  ['', []],
  [' into a circle', [link(500, 500, 498)]],
])('a long chain%s needs no space on the disk', async (_, more) => {
  const community = await createTestCommunity();
  const chain = Array.from({ length: 499 }, (__, index) => link(index + 1, index + 1, index + 2));
  const before = await getTemporaryBytes(community);
  await community.import(await writeArchive({ Posts: questions(500), PostLinks: [...chain, ...more] }));
  expect((await getTemporaryBytes(community)) - before).toBe(0);
  expect(await readOriginals(community)).toEqual(
    more.length > 0 ? {} : Object.fromEntries(chain.map(({ PostId }) => [PostId, 500])),
  );
});
