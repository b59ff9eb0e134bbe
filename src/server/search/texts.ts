import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Reader } from '#server/platform/database.ts';

/** What the dictionary says never changes, so it is asked once. '' stands for words it does not regard. */
const stemCache = new LRUCache<string, string>({ max: 50_000 });

/** The stem of each word, as the search has it; null for words it does not regard. */
export async function getStems(db: Reader, words: readonly string[]): Promise<Map<string, string | null>> {
  const missing = words.filter((word) => !stemCache.has(word));
  const found = new Map(missing.length === 0 ? [] : await readStems(db, missing));
  return new Map(
    words.map((word) => {
      const stem = found.get(word) ?? stemCache.get(word) ?? '';
      return [word, stem === '' ? null : stem];
    }),
  );
}

async function readStems(db: Reader, words: readonly string[]): Promise<[string, string][]> {
  const { rows } = await sql<{ word: string; stem: string }>`
    select word, coalesce((ts_lexize('english_stem', word))[1], '') as stem
    from unnest(${[...words]}::text[]) as word`.execute(db);
  for (const { word, stem } of rows) stemCache.set(word, stem);
  return rows.map(({ word, stem }) => [word, stem]);
}
