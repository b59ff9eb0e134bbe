import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';

/** A word of the vocabulary, with the estimated number of posts that use it. */
export type UsedWord = { word: string; uses: number };

/** What search reads about a community before it runs a query. */
export type Vocabulary = {
  commonWords: CommonWords;
  /**
   * `hasLevels`: whether posts have popularity levels. `hasManyMore`: whether there are many more posts than the popular ones
   * (`popularity`, schema section Posts).
   */
  popularity: Record<'question' | 'answer', { hasLevels: boolean; hasManyMore: boolean }>;
};

/** The most used words, which are searched for parts of words in memory. */
const maxWords = 20_000;

/** Milliseconds for which the vocabulary is cached. search-popularity.ts updates it once an hour. */
const cacheMs = 10 * 60_000;

type CachedVocabulary = { vocabulary: Promise<Vocabulary>; readAt: number };

/** One cache per database connection pool, released with it. */
const vocabularies = new WeakMap<Reader, CachedVocabulary>();

/** The most used words, prepared for a fast search of parts. `count` is the maximum number of results. */
export type CommonWords = {
  /** Longer words that contain the part, most used first. */
  containing: (part: string, count: number) => UsedWord[];
  beginning: (part: string, count: number) => UsedWord[];
  ending: (part: string, count: number) => UsedWord[];
};

/**
 * Returns the cached vocabulary, because reading it for each search took longer than the rest of the search. Words
 * added since are missing; the table has them.
 */
export function getVocabulary(db: Reader): Promise<Vocabulary> {
  const cached = vocabularies.get(db);
  if (cached === undefined) return readAndCache(db);
  if (performance.now() - cached.readAt < cacheMs) return cached.vocabulary;
  // The search does not wait for this refresh, because the data changes little. If it fails, a later search tries
  // again.
  cached.readAt = performance.now();
  void readVocabulary(db).then(
    (vocabulary) =>
      vocabularies.set(db, { vocabulary: Promise.resolve(vocabulary), readAt: performance.now() }),
    () => {},
  );
  return cached.vocabulary;
}

function readAndCache(db: Reader): Promise<Vocabulary> {
  const vocabulary = readVocabulary(db);
  vocabularies.set(db, { vocabulary, readAt: performance.now() });
  vocabulary.catch(() => vocabularies.delete(db));
  return vocabulary;
}

async function readVocabulary(db: Reader): Promise<Vocabulary> {
  const [{ rows: words }, question, answer] = await Promise.all([
    sql<UsedWord>`select word, uses from search_word order by uses desc, word limit ${sql.lit(maxWords)}`.execute(
      db,
    ),
    readPopularity(db, 'question'),
    readPopularity(db, 'answer'),
  ]);
  return { commonWords: createCommonWords(words), popularity: { question, answer } };
}

/** If there are hardly more than the popular posts, reading those first would only take longer. */
async function readPopularity(db: Reader, table: 'question' | 'answer') {
  const { rows } = await sql<{ popular: number; all: number }>`
    select (select count(*) from ${sql.table(table)} where popularity <= 1) as popular,
      (select reltuples::float8 from pg_class where oid = ${`base_${table}`}::regclass) as all`.execute(db);
  const { popular, all } = rows[0] ?? { popular: 0, all: 0 };
  return { hasLevels: popular > 0, hasManyMore: all > 2 * popular };
}

/** @param words most used first. */
export function createCommonWords(words: readonly UsedWord[]): CommonWords {
  const uses = new Map(words.map((each) => [each.word, each.uses]));
  // One string with a word per line is the fastest way to search many short words.
  const lines = `\n${words.map(({ word }) => word).join('\n')}\n`;
  const findWords = (part: string, line: string, count: number) => {
    const result: UsedWord[] = [];
    for (let at = lines.indexOf(line); at !== -1 && result.length < count;) {
      const start = lines.lastIndexOf('\n', line.startsWith('\n') ? at : at - 1) + 1;
      const end = lines.indexOf('\n', start);
      const word = lines.slice(start, end);
      if (word !== part) result.push({ word, uses: uses.get(word) ?? 0 });
      at = lines.indexOf(line, end);
    }
    return result;
  };
  return {
    containing: (part, count) => findWords(part, part, count),
    beginning: (part, count) => findWords(part, `\n${part}`, count),
    ending: (part, count) => findWords(part, `${part}\n`, count),
  };
}
