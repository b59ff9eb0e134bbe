import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '#server/core/database.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { SearchKind, SearchResults } from '#shared/discovery/search.ts';
import { search } from './search.ts';

const database = await createTestDatabase();
const db = openDatabase({ connection: database.connection });
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const posts = 160;

// More posts than are ranked. Their scores differ: the texts are of different lengths and repeat the word differently.
beforeAll(async () => {
  const text = sql`repeat('filler' || n || ' ', 1 + n * 37 % 200) || repeat('marmot ', n * 7 % 5)`;
  await sql`
    insert into question (imported_author_name, title, content, excerpt, excerpt_cut, upvotes)
    select 'Sam', 'About marmot ' || n, ${text}, '', false, n % 13 from generate_series(1, ${sql.lit(posts)}) n`.execute(
    db,
  );
  await sql`
    insert into answer (question_id, imported_author_name, content, upvotes)
    select id, 'Sam', 'A marmot ' || content, upvotes from question`.execute(db);
  await writeAllSortKeys(db);
});

test.each<SearchKind>(['questions', 'answers'])(
  'lists each of the %s once, also behind those that are ranked',
  async (kind) => {
    const ids: number[] = [];
    let cursor: string | null = null;
    do {
      const page: SearchResults = await search(db, {
        query: 'marmot',
        kind,
        sort: 'relevance',
        cursor: cursor ?? undefined,
        viewerId: 0,
      });
      ids.push(...[...page.questions, ...page.answers].map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(ids).toHaveLength(posts);
    expect(new Set(ids).size).toBe(posts);
  },
);
