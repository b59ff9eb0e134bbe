import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';

/** A word of the vocabulary, and in how many posts it is, about. */
export type UsedWord = { word: string; uses: number };

/** What search knows of a community before it looks for anything. */
export type Vocabulary = {
  commonWords: CommonWords;
  /** Whether some posts are known best (`popularity`, schema section Posts), and whether there are many more than the known ones. */
  popularity: Record<'question' | 'answer', { best: boolean; known: boolean }>;
};

/** The most used words: in so many parts of words are looked for. */
const maxWords = 20_000;

/** Milliseconds for which it is taken as known: how often words are used is learnt once an hour (known.ts). */
const cacheMs = 10 * 60_000;

type CachedVocabulary = { vocabulary: Promise<Vocabulary>; readAt: number };

/** By where it is read from, for as long as that is there. */
const vocabularies = new WeakMap<Reader, CachedVocabulary>();

/** The most used words, kept so that those with a part are found at once. `count` is how many are given at most. */
export type CommonWords = {
  /** Words that have the part in them and more, most used first. */
  containing: (part: string, count: number) => UsedWord[];
  beginning: (part: string, count: number) => UsedWord[];
  ending: (part: string, count: number) => UsedWord[];
};

/**
 * What is kept in memory: to read it with each search took longer than all else it does. Words that have come since are
 * missing, and have to be looked for in the table.
 */
export function getVocabulary(db: Reader): Promise<Vocabulary> {
  const cached = vocabularies.get(db);
  if (cached === undefined) return readAndCache(db);
  if (performance.now() - cached.readAt < cacheMs) return cached.vocabulary;
  // Nobody waits for what changes that little; if it cannot be read now, it is tried again with a later search.
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

/** Among hardly more than the known posts, to look through those first would only take longer. */
async function readPopularity(db: Reader, table: 'question' | 'answer') {
  const { rows } = await sql<{ known: number; all: number }>`
    select (select count(*) from ${sql.table(table)} where popularity <= 1) as known,
      (select reltuples::float8 from pg_class where oid = ${table}::regclass) as all`.execute(db);
  const { known, all } = rows[0] ?? { known: 0, all: 0 };
  return { best: known > 0, known: all > 2 * known };
}

/** @param words most used first. */
export function createCommonWords(words: readonly UsedWord[]): CommonWords {
  const uses = new Map(words.map((each) => [each.word, each.uses]));
  // One text with each word in a line of its own: the fastest way to look through many short texts.
  const lines = `\n${words.map(({ word }) => word).join('\n')}\n`;
  const having = (part: string, found: string, count: number) => {
    const result: UsedWord[] = [];
    for (let at = lines.indexOf(found); at !== -1 && result.length < count;) {
      const start = lines.lastIndexOf('\n', found.startsWith('\n') ? at : at - 1) + 1;
      const end = lines.indexOf('\n', start);
      const word = lines.slice(start, end);
      if (word !== part) result.push({ word, uses: uses.get(word) ?? 0 });
      at = lines.indexOf(found, end);
    }
    return result;
  };
  return {
    containing: (part, count) => having(part, part, count),
    beginning: (part, count) => having(part, `\n${part}`, count),
    ending: (part, count) => having(part, `${part}\n`, count),
  };
}
