import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { exportAs } from '#tests/support/export-and-convert.ts';
import {
  answerRow,
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const wiki = { CommunityOwnedDate: '2015-02-01T10:00:00.000' };
const bounty = (id: number, post: number, kind: 8 | 9, amount: number, day = '2016-06-03') =>
  voteRow(id, post, kind, { BountyAmount: amount, CreationDate: `${day}T00:00:00.000` });

const first = {
  Users: [userRow(1), userRow(2)],
  Posts: [questionRow(1, wiki), answerRow(2, 1), answerRow(3, 1, wiki), questionRow(4)],
  Votes: [
    voteRow(1, 1, 2),
    bounty(2, 1, 8, 50),
    bounty(3, 2, 9, 50, '2016-06-10'),
    bounty(4, 1, 8, 100, '2017-01-01'),
    bounty(4, 1, 8, 100, '2017-01-01'),
    bounty(5, 99, 8, 50),
    voteRow(6, 4, 8),
  ],
} satisfies ArchiveContent;

/** What each post shows, by its number. */
async function readNotes({ rows }: TestCommunity): Promise<Record<string, unknown[]>> {
  const found = await rows(`
    select coalesce(question.source_key, answer.source_key) as key, since, amount, day::text from (
      select question_id, answer_id, since, null::integer as amount, null::date as day from imported_wiki
      union all select question_id, answer_id, null, amount, day from imported_bounty) noted
    left join question on question.id = question_id left join answer on answer.id = answer_id
    order by day nulls first, amount`);
  const notes: Record<string, unknown[]> = {};
  for (const { key, since, amount, day } of found)
    (notes[String(key)] ??= []).push(since === null ? `${String(amount)} on ${String(day)}` : 'wiki');
  return notes;
}
const reportOf = (files: readonly { file: string }[], file: string) =>
  files.find((each) => each.file === file);

test('questions and answers show that they are community wikis, and their bounties', async () => {
  const community = await createTestCommunity();
  const { added, files } = await community.import(await writeArchive(first));
  expect(added).toMatchObject({ wikis: 2, bounties: 3 });
  expect(await readNotes(community)).toEqual({
    1: ['wiki', '50 on 2016-06-03', '100 on 2017-01-01'],
    2: ['50 on 2016-06-10'],
    3: ['wiki'],
  });
  expect(reportOf(files, 'Votes.xml')).toMatchObject({
    read: 7,
    imported: 4,
    skipped: expect.arrayContaining([
      { reason: 'repeated', rows: 1 },
      { reason: 'on posts that are not in the archive or were skipped', rows: 1 },
      { reason: 'bounties without an amount (type 8)', rows: 1 },
    ]),
  });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
  const again = await community.import(await writeArchive(first));
  expect(again.isUnchanged).toBe(true);
  expect(reportOf(again.files, 'Votes.xml')).toMatchObject({ imported: 0, updated: 0, alreadyImported: 4 });
  await community.client.query('delete from base_question');
  expect(await readNotes(community)).toEqual({});
});

const newer = {
  ...first,
  Posts: [questionRow(1), answerRow(2, 1, wiki), answerRow(3, 1, wiki), questionRow(4, wiki)],
  Votes: [
    voteRow(1, 1, 2),
    bounty(2, 1, 8, 50),
    bounty(3, 2, 9, 50, '2016-06-10'),
    bounty(7, 4, 8, 200, '2017-01-01'),
  ],
} satisfies ArchiveContent;

test('a newer archive brings them up to date, except on questions that are locked here', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const only = await community.import(await writeArchive(newer), { addOnly: true });
  expect(only.isUnchanged).toBe(true);
  expect(reportOf(only.files, 'Votes.xml')).toMatchObject({
    skipped: [{ reason: 'newer bounties: not taken over', rows: 1 }],
  });
  await community.rows(`update question set lock_reason = 'By a moderator' where source_key = '4'`);
  const { changes, files } = await community.import(await writeArchive(newer));
  expect(changes.counts).toEqual({ notes: 2 });
  expect(await readNotes(community)).toEqual({
    1: ['50 on 2016-06-03'],
    2: ['wiki', '50 on 2016-06-10'],
    3: ['wiki'],
  });
  expect(reportOf(files, 'Votes.xml')).toMatchObject({
    updated: 2,
    skipped: [{ reason: 'kept: on questions that are locked here', rows: 1 }],
  });
  await community.rows('update question set lock_reason = null');
  expect((await community.import(await writeArchive(newer))).changes.counts).toEqual({ notes: 1 });
  expect(await readNotes(community)).toMatchObject({ 4: ['wiki', '200 on 2017-01-01'] });
  // An archive without votes says nothing about bounties.
  const { Votes: _, ...without } = newer;
  await community.import(await writeArchive(without));
  expect(await readNotes(community)).toMatchObject({ 4: ['wiki', '200 on 2017-01-01'] });
});

test('exports have them, and reading them back gives the same', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const before = await readNotes(community);
  const lines = await exportAs(community.client, 'jsonl');
  const archive = await exportAs(community.client, 'stackexchange');
  expect(await readFile(path.join(archive, 'Votes.xml'), 'utf8')).toMatch(
    /VoteTypeId="9" CreationDate="2016-06-10T00:00:00.000" BountyAmount="50"/u,
  );
  const other = await createTestCommunity();
  await importJsonLines({ directory: lines, client: other.client });
  expect(await readNotes(other)).toEqual(before);
  const third = await createTestCommunity();
  const { added } = await third.import(archive, { site: 'ask.example.org' });
  expect(added).toMatchObject({ wikis: 2, bounties: 3 });
});
