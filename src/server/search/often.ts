import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';

/** A word of the vocabulary, and in how many posts it is, about. */
export type UsedWord = { word: string; uses: number };

/** The most used words: in so many parts of words are looked for. */
const most = 20_000;

/** Milliseconds for which they are taken as known: how often they are used is learnt once an hour (known.ts). */
const knownFor = 10 * 60_000;

type Kept = { words: Promise<readonly UsedWord[]>; readAt: number };

/** By where they are read from, for as long as that is there. */
const kept = new WeakMap<Reader, Kept>();

/**
 * The most used words, most used first. They are kept in memory: to read them with each search took longer than all else
 * it does. Words that have come since are missing, and have to be looked for in the table.
 */
export function oftenUsed(db: Reader): Promise<readonly UsedWord[]> {
  const known = kept.get(db);
  if (known === undefined) return readAgain(db);
  if (performance.now() - known.readAt < knownFor) return known.words;
  // Nobody waits for what changes that little; if it cannot be read now, it is tried again with a later search.
  known.readAt = performance.now();
  void read(db).then(
    (words) => kept.set(db, { words: Promise.resolve(words), readAt: performance.now() }),
    () => {},
  );
  return known.words;
}

function readAgain(db: Reader): Promise<readonly UsedWord[]> {
  const words = read(db);
  kept.set(db, { words, readAt: performance.now() });
  words.catch(() => kept.delete(db));
  return words;
}

async function read(db: Reader): Promise<readonly UsedWord[]> {
  const { rows } = await sql<UsedWord>`
    select word, uses from search_word order by uses desc, word limit ${sql.lit(most)}`.execute(db);
  return rows;
}
