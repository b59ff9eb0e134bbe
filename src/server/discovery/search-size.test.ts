import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '#server/core/database.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { SearchKind } from '#shared/discovery/search.ts';
import { searchInstantly } from './search-instant.ts';
import { updatePopularity, updateWordUses } from './search-popularity.ts';
import { search } from './search.ts';

// A community of a hundredth of the size that the limits are made for, and one four times as large.
const sizes = { min: 1_000, popular: 100 };
const first = 1_500;

const database = await createTestDatabase();
// One connection: its statistics are then those of all reads.
const open = (): Database => openDatabase({ connection: database.connection, maxConnections: 1 });
let db = open();
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Each query with the number of results in the larger community; 1,001 means more than are counted. */
const queries: readonly [string, string, number][] = [
  ['a frequent word', 'marmot', 1_001],
  ['a frequent word in another form', 'marmots', 1_001],
  ['a rare word', 'quokka', 20],
  ['two words', 'badger marmot', 200],
  ['the inside of words', 'armo', 1_001],
  ['a word that no text has', 'zzqxw', 0],
  ['a question with a word that no text has', "why isn't zzqxw?", 0],
];
const kinds: readonly SearchKind[] = ['questions', 'answers'];

type Asked = { read: number; total: number };
const before = new Map<string, Asked>();
const after = new Map<string, Asked>();

beforeAll(async () => {
  await grow(1, first);
  await askAll(before);
  await grow(first + 1, 4 * first);
  await askAll(after);
}, 120_000);

for (const kind of kinds)
  test.each(queries)(
    `reads about as many rows for %s in ${kind} when there are four times as many posts`,
    (_, query, total) => {
      expect(after.get(`${kind} ${query}`)?.total).toBe(total);
      expect(growthOf(`${kind} ${query}`)).toBeLessThan(most);
    },
  );

test.each(queries)(
  'reads about as many rows for %s while typing when there are four times as many posts',
  (_, query, total) => {
    expect(after.get(`typed ${query}`)?.total).toBe(Math.min(6, total));
    expect(growthOf(`typed ${query}`)).toBeLessThan(most);
  },
);

/** Without the limits, four times as many rows would be read. Counting grows until it reaches 1,001. */
const most = 2.5;

/** Returns by which factor the number of rows read grows. A few hundred rows count as nothing. */
function growthOf(asked: string): number {
  const [small, large] = [before.get(asked), after.get(asked)];
  if (small === undefined || large === undefined) throw new Error('not searched');
  return (large.read + 200) / (small.read + 200);
}

test('finds a name by the two letters at its beginning, and inside the names of the 20,000 newest members', async () => {
  await sql`
    insert into member (display_name)
    select case n when 1 then 'Xq first' when 2 then 'Old xq' when 30000 then 'New xq' else 'Member ' || n end
    from generate_series(1, 30000) n`.execute(db);
  const { users } = await search(db, {
    query: 'xq',
    kind: 'users',
    sort: 'relevance',
    cursor: undefined,
    viewerId: 0,
  });
  expect(users.map(({ displayName }) => displayName)).toEqual(['Xq first', 'New xq']);
});

test('has no pending list in the word indexes that a search would read', async () => {
  const { rows } = await sql<{ name: string; setting: string | null }>`
    select indexrelid::regclass::text as name, array_to_string(pg_class.reloptions, ', ') as setting
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where amname = 'gin' and relnamespace = 'public'::regnamespace`.execute(db);
  expect(rows.length).toBeGreaterThan(5);
  // An answer changes the rows of its tags (docs/decisions/123). At most 8 pages wait in the list.
  expect(rows.filter(({ setting }) => setting?.includes('fastupdate=off') !== true)).toEqual([
    { name: 'tag_trigrams', setting: 'fastupdate=on, gin_pending_list_limit=64' },
  ]);
});

test('plans a search once, regardless of its words', async () => {
  for (let time = 0; time < 8; time++)
    for (const [, query] of queries.slice(0, 3))
      await search(db, { query, kind: 'questions', sort: 'relevance', cursor: undefined, viewerId: 0 });
  const { rows } = await sql<{ custom: number; generic: number }>`
    select custom_plans as custom, generic_plans as generic from pg_prepared_statements
    where statement like '%planned once%' and custom_plans + generic_plans > 5`.execute(db);
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter(({ custom, generic }) => custom > 5 || generic === 0)).toEqual([]);
});

test('updates the most popular questions and answers after votes', async () => {
  const { rows } = await sql<{ id: number }>`select id from question where popularity = 2 limit 1`.execute(
    db,
  );
  const id = rows[0]?.id ?? 0;
  const popularity = async () =>
    (await sql<{ popularity: number }>`select popularity from question where id = ${id}`.execute(db)).rows[0]
      ?.popularity;
  await sql`update question set upvotes = 1000000 where id = ${id}`.execute(db);
  await writeAllSortKeys(db);
  expect(await updatePopularity(db, sizes)).toBe(true);
  expect(await popularity()).toBe(0);
  await sql`update question set upvotes = 0 where id = ${id}`.execute(db);
  await writeAllSortKeys(db);
  await updatePopularity(db, sizes);
  expect(await popularity()).toBe(2);
});

/** Every third question has the frequent word, every tenth the medium one, twenty have the rare one. */
async function grow(from: number, to: number): Promise<void> {
  const words = sql`
    case when n % 3 = 0 then 'marmot ' else '' end || case when n % 10 = 0 then 'badger ' else '' end
    || case when n <= 100 and n % 5 = 0 then 'quokka ' else '' end || 'word' || n % 997 || ' in ' || n`;
  await sql`
    insert into question (imported_author_name, title, content, excerpt, excerpt_cut, upvotes, created_at)
    select 'Sam', 'About ' || ${words}, 'It is ' || ${words} || repeat(' and so on', 20), '', false,
      10000 / (1 + n * 7919 % 12011), '2020-01-01'::timestamptz + n * interval '1 minute'
    from generate_series(${sql.lit(from)}, ${sql.lit(to)}) n`.execute(db);
  await sql`
    insert into answer (question_id, imported_author_name, content, upvotes, created_at)
    select id, 'Sam', title || repeat(' and so on', 20), upvotes, created_at from question
    where id > coalesce((select max(question_id) from answer), 0)`.execute(db);
  await writeAllSortKeys(db);
  await updatePopularity(db, sizes);
  await updateWordUses(db);
  for (const table of ['base_question', 'base_answer', 'question_sort_key', 'search_word'])
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  // A connection caches the size and the words of a community for some minutes.
  await db.destroy();
  db = open();
}

async function askAll(into: Map<string, Asked>): Promise<void> {
  for (const [, query] of queries) {
    for (const kind of kinds) {
      const asked = { query, kind, sort: 'relevance', cursor: undefined, viewerId: 0 } as const;
      // The first search of a connection also reads the catalogues and the index pages, which must not count.
      await search(db, asked);
      into.set(`${kind} ${query}`, await rowsReadBy(async () => (await search(db, asked)).total));
    }
    into.set(
      `typed ${query}`,
      await rowsReadBy(async () => (await searchInstantly(db, query)).questions.length),
    );
  }
}

/** Counts the rows of questions and answers that the work reads. */
async function rowsReadBy(work: () => Promise<number>): Promise<Asked> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ read: number }>`
      select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::float8 as read
      from pg_stat_user_tables where relname in ('base_question', 'base_answer')`.execute(db);
    return rows[0]?.read ?? 0;
  };
  const start = await read();
  const total = await work();
  return { total, read: (await read()) - start };
}

test('compares a part with signs with the newest and most popular posts, with a tag or a day with the newest', async () => {
  await sql`
    insert into question (imported_author_name, title, content, excerpt, excerpt_cut, upvotes, created_at)
    select 'Sam', title, 'It says zzq_x.zzz', '', false, upvotes, created_at
    from (values ('Old', 0, '2011-01-01'::timestamptz), ('Old and popular', 1000000, '2012-01-01'), ('New', 0, '2025-01-01'))
      asked (title, upvotes, created_at)`.execute(db);
  await sql`insert into tag (name, key) values ('big', 'big')`.execute(db);
  await sql`
    insert into question_tag (question_id, question_created_at, tag_id, position)
    select id, created_at, (select id from tag where key = 'big'), 0 from question`.execute(db);
  await writeAllSortKeys(db);
  const titlesOf = async (query: string) => {
    const asked = { query, kind: 'questions', sort: 'recent', cursor: undefined, viewerId: 0 } as const;
    const { questions, total } = await search(db, asked);
    expect(total).toBe(questions.length);
    return questions.map(({ title }) => title);
  };
  expect(await titlesOf('zq_x.zz')).toEqual(['New', 'Old and popular']);
  expect(await titlesOf('[big] zq_x.zz')).toEqual(['New']);
  expect(await titlesOf('created:2010.. zq_x.zz')).toEqual(['New']);
  expect(await titlesOf('[big] created:..2019 zq_x.zz')).toEqual(['Old and popular', 'Old']);
});
