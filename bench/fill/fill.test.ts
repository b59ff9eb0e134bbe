import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { createExcerpt } from '#server/posts/excerpt.ts';
import { ApiClient } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { benchPassword, fill } from './fill.ts';
import { createRandom } from './random.ts';
import { getShape } from './shape.ts';
import { createTotals, memberEmail, writeChunk } from './tables.ts';
import { createTextGenerator, readCorpus, tagNames } from './corpus.ts';
import { generateThreads } from './threads.ts';
import { createWordCounter } from './word-counts.ts';

const server = await startTestServer();
afterAll(() => server.stop());

const shape = getShape({ questions: 300, seed: 5, newest: Date.UTC(2026, 0, 1) });
/** Does not exist, so that the texts are those of the demo on every machine. */
const archive = '';
const options = { connection: server.database.connection, shape, archive, log: () => {} };

/** Indexes, keys and triggers as SQL. */
async function schema(): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef(indexrelid) as definition from pg_index
      join pg_class on pg_class.oid = indrelid where relnamespace = 'public'::regnamespace
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all
    select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal`.execute(
    server.db,
  );
  return rows.map(({ definition }) => definition).toSorted();
}

describe('a filled community', () => {
  let before: string[] = [];
  beforeAll(async () => {
    before = await schema();
    await fill(options);
  });

  test('has counts equal to its rows, and all indexes, keys and triggers', async () => {
    expect(await findViolations(server.db)).toEqual([]);
    expect(await schema()).toEqual(before);
  });

  test('has about as many rows of everything as a real one', async () => {
    const { rows } = await sql<Record<string, number>>`
      select (select count(*) from question) as questions, (select count(*) from answer) as answers,
        (select count(*) from reply) as replies, (select count(*) from vote) as votes,
        (select count(*) from question_view) as views, (select count(*) from member) as members,
        (select count(*) from notification) as notifications, (select count(*) from question_follow) as follows,
        (select count(*) from question where accepted_answer_id is not null) as accepted`.execute(server.db);
    expect(rows[0]).toMatchObject({ questions: 300, members: 60 });
    for (const [name, least] of Object.entries({ answers: 450, replies: 450, votes: 1_000, views: 1_500 }))
      expect(rows[0]?.[name]).toBeGreaterThan(least);
    for (const name of ['notifications', 'follows', 'accepted']) expect(rows[0]?.[name]).toBeGreaterThan(10);
  });

  test('has search words for each word of its posts, and no others', async () => {
    const { rows } = await sql<{ word: string }>`
      select word from (
        select word from ts_stat($$select search_words(title || ' ' || tag_text || ' ' || content) from question$$)
        union select word from ts_stat('select search_words(content) from answer')
      ) used where char_length(word) between 3 and 200
      order by word collate "C"`.execute(server.db);
    const known = await sql<{ word: string }>`select word from search_word order by word`.execute(server.db);
    expect(known.rows).toEqual(rows);
  });

  test('has the same data on question cards as normally created questions', async () => {
    const { rows } = await sql<{ content: string; excerpt: string; excerpt_cut: boolean }>`
      select content, excerpt, excerpt_cut from question`.execute(server.db);
    for (const { content, ...shown } of rows)
      expect(shown).toEqual({
        excerpt: createExcerpt(content).excerpt,
        excerpt_cut: createExcerpt(content).cut,
      });
  });

  test('lets its members sign in and write', async () => {
    const member = new ApiClient(server.address);
    expect(await member.signIn(memberEmail(7), benchPassword)).toMatchObject({ status: 200 });
    const asked = await member.post<{ id: number }>('/questions', {
      title: 'And now?',
      content: 'So.',
      tags: [],
    });
    expect(asked).toMatchObject({ status: 201, body: { id: 301 } });
    expect(await findViolations(server.db)).toEqual([]);
  });

  test('cannot be filled a second time', async () => {
    await expect(fill(options)).rejects.toThrow('Only an empty database can be filled');
  });
});

test('the same seed creates the same community, another seed another one', async () => {
  const corpus = await readCorpus(archive);
  const made = (seed: number) => {
    const seeded = { ...shape, seed };
    const random = createRandom(seed);
    let rows = '';
    const parts = {
      shape: seeded,
      random,
      writer: createTextGenerator(random, corpus),
      tags: tagNames(random, corpus, shape.tags),
      totals: createTotals(seeded),
      words: createWordCounter(),
      writeRows: (_: string, text: string) => void (rows += text),
    };
    for (const chunk of generateThreads(seeded)) writeChunk(chunk, parts);
    return rows;
  };
  expect(made(1) === made(1)).toBe(true);
  expect(made(1) === made(2)).toBe(false);
});
