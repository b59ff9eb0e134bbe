import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#server/core/database.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { addWithPendingLists, endLeftPendingLists } from './pending-lists.ts';

const database = await createTestDatabase();
const db = openDatabase({ connection: database.connection });
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database.connection);
  client.on('error', () => {});
  await client.connect();
  return client;
}

const indexes = ['answer_search', 'member_name_trigrams', 'question_search', 'search_word_trigrams'];

/** The indexes that collect entries in a list. */
async function listCollecting(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where 'fastupdate=on' = any(reloptions) and relname <> 'tag_trigrams' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Empties the lists. Returns how many pages they had. */
async function emptyLists(): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select sum(gin_clean_pending_list(name::regclass))::int as pages from unnest(${indexes}::text[]) as name`.execute(
    db,
  );
  return rows[0]?.pages ?? -1;
}

const addMember = (client: pg.Client) =>
  client.query(`insert into member (display_name) values ('Marmot of the mountains')`);

test('collects the words of many rows in lists, which are empty and not used any more afterwards', async () => {
  const client = await connect();
  await addWithPendingLists(client, async () => {
    expect(await listCollecting()).toEqual(indexes);
    await addMember(client);
    expect(await emptyLists()).toBeGreaterThan(0);
    await addMember(client);
  });
  expect(await listCollecting()).toEqual([]);
  expect(await emptyLists()).toBe(0);

  const failure = addWithPendingLists(client, async () => {
    await addMember(client);
    throw new Error('failed');
  });
  await expect(failure).rejects.toThrow('failed');
  expect(await listCollecting()).toEqual([]);
  const { rows } = await client.query('show gin_pending_list_limit');
  expect(rows).toEqual([{ gin_pending_list_limit: '4MB' }]);
  await client.end();
});

test('does not wait for an index that is in use, and adds the rows all the same', async () => {
  const reader = await connect();
  await reader.query('begin');
  await reader.query(`select from base_answer where search_vector @@ 'marmot'::tsquery`);
  const client = await connect();
  await addWithPendingLists(client, async () => {
    expect(await listCollecting()).toEqual(indexes.filter((name) => name !== 'answer_search'));
    await addMember(client);
  });
  await reader.end();
  await client.end();
  expect(await listCollecting()).toEqual([]);
});

test('ends the lists of an import that lost its connection, but not those of one that runs', async () => {
  const client = await connect();
  await addWithPendingLists(client, async () => {
    await addMember(client);
    await client.end();
  });
  expect(await listCollecting()).toEqual(indexes);

  const running = await connect();
  await running.query(`select pg_advisory_lock(hashtextextended('parley import', 0))`);
  await endLeftPendingLists(db);
  expect(await listCollecting()).toEqual(indexes);

  await running.end();
  await expect
    .poll(async () => {
      await endLeftPendingLists(db);
      return listCollecting();
    })
    .toEqual([]);
  expect(await emptyLists()).toBe(0);
});
