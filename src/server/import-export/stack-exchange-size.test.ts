import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

it('reads a few rows of the database for each row of an archive although its tables were empty, and writes each post once', async () => {
  const count = 600;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const posts = [...ids, ...ids.map((id) => count + id)];
  const archive = {
    Users: ids.map((id) => userRow(id)),
    Posts: [
      ...ids.map((id) =>
        questionRow(id, { AcceptedAnswerId: count + id, OwnerUserId: id, Tags: `<tag-${id % 50}>` }),
      ),
      ...ids.map((id) => answerRow(count + id, id, { OwnerUserId: count + 1 - id })),
    ],
    Comments: posts.map((id) => commentRow(id, id, { UserId: ((id - 1) % count) + 1 })),
    Votes: posts.map((id) => voteRow(id, id, 2)),
    Badges: ids.map((id) => ({ Id: id, UserId: id, Name: 'Student', Date: '2015-01-01T00:00:00' })),
  };
  const community = await createTestCommunity();
  const before = await countReadRows(community.client);
  await community.import(await writeArchive(archive));
  const read = (await countReadRows(community.client)) - before;
  const rows = Object.values(archive).flat().length;
  // About 11. Plans for empty tables compare each row with each, and read 460.
  expect(read / rows).toBeLessThan(30);
  // An update would write all index entries of a question again, also those of the search.
  const { rows: writes } = await community.client.query(
    `select relname, n_tup_ins::int as added, n_tup_upd::int as updated from pg_stat_user_tables
     where relname in ('base_answer', 'base_question') order by relname`,
  );
  expect(writes).toEqual([
    { relname: 'base_answer', added: count, updated: 0 },
    { relname: 'base_question', added: count, updated: 0 },
  ]);
});

it('reads a few rows of the database for each row of JSON lines, although its tables were empty before', async () => {
  const count = 600;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const files = {
    members: ids.map((id) => ({ id, name: `Member ${id}` })),
    questions: ids.map((id) => ({
      id,
      title: `Title ${id}`,
      content: `Question ${id}`,
      authorId: id,
      acceptedAnswerId: id,
      tags: [`tag-${id % 50}`],
    })),
    answers: ids.map((id) => ({ id, questionId: id, content: `Answer ${id}`, authorId: count + 1 - id })),
    replies: ids.map((id) => ({ id, questionId: id, answerId: id, content: `Reply ${id}`, authorId: id })),
    votes: ids.map((id) => ({ post: 'answer', postId: id, vote: 'up', memberId: id })),
  };
  const directory = await mkdtemp(path.join(tmpdir(), 'parley-jsonl-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [kind, rows] of Object.entries(files))
    await writeFile(path.join(directory, `${kind}.jsonl`), rows.map((row) => JSON.stringify(row)).join('\n'));
  const community = await createTestCommunity();
  const before = await countReadRows(community.client);
  await importJsonLines({ directory, client: community.client, site: 'forum.example.org' });
  const read = (await countReadRows(community.client)) - before;
  expect(read / Object.values(files).flat().length).toBeLessThan(30);
});

/** The rows of tables and entries of indexes that were read in the database so far. */
async function countReadRows(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ count: string }>(`
    select (select sum(seq_tup_read) from pg_stat_user_tables)
      + (select sum(idx_tup_read) from pg_stat_user_indexes) as count`);
  return Number(rows[0]?.count);
}
