import { LRUCache } from 'lru-cache';
import type { Reader } from '#server/core/database.ts';
import {
  type CommunityWords,
  countPostsWith,
  findLongerWords,
  type Lexemes,
  readCommunityWords,
  readLexemes,
  type WordPattern,
} from './vocabulary-queries.ts';

/** Longer words that a part stands for, at most; the most used ones. */
const maxLongerWords = 24;

/** Posts that are counted at most for a word that is not among the common ones. */
const maxCounted = 100;

/** From this number of questions on, what is known about words is cached. */
const manyQuestions = 5_000;

/** Milliseconds for which it is cached. */
const cacheMs = 10 * 60_000;

/** The dictionary never changes. */
const lexemes = new LRUCache<string, Lexemes>({ max: 50_000 });

/** What a node remembers about the words of a community. */
type Vocabulary = {
  community: CommunityWords;
  counts: WordCache<number>;
  longer: WordCache<readonly string[]>;
};

type WordCache<Value> = Pick<Map<string, Value>, 'get' | 'has'> & {
  set: (word: string, value: Value) => unknown;
};

/** One vocabulary per connection pool, released with it. */
const vocabularies = new WeakMap<Reader, { vocabulary: Promise<Vocabulary>; until: number }>();

function getVocabulary(db: Reader): Promise<Vocabulary> {
  const cached = vocabularies.get(db);
  if (cached !== undefined && performance.now() < cached.until) return cached.vocabulary;
  const vocabulary = readVocabulary(db);
  vocabularies.set(db, { vocabulary, until: performance.now() + cacheMs });
  const forget = () => vocabularies.delete(db);
  // In a small community, each new post changes the frequencies.
  vocabulary.then(({ community }) => community.questions < manyQuestions && forget(), forget);
  return vocabulary;
}

async function readVocabulary(db: Reader): Promise<Vocabulary> {
  const community = await readCommunityWords(db);
  // An LRU cache allocates all its entries at once, which takes milliseconds.
  return community.questions < manyQuestions
    ? { community, counts: new Map(), longer: new Map() }
    : { community, counts: new LRUCache({ max: 50_000 }), longer: new LRUCache({ max: 20_000 }) };
}

/** Returns the lexemes of texts without spaces. */
export async function lookUpLexemes(db: Reader, texts: readonly string[]): Promise<Map<string, Lexemes>> {
  const missing = texts.filter((text) => !lexemes.has(text));
  const read = new Map(missing.length === 0 ? [] : await readLexemes(db, missing));
  for (const [text, found] of read) lexemes.set(text, found);
  return new Map(
    texts.map((text) => [text, read.get(text) ?? lexemes.get(text) ?? { exact: [], stems: [], stem: null }]),
  );
}

/** The number of questions with each word, estimated for common ones, and what is known about the community. */
export type WordCounts = { community: CommunityWords; counts: ReadonlyMap<string, number> };

export async function countQuestionsWith(db: Reader, words: readonly string[]): Promise<WordCounts> {
  const vocabulary = await getVocabulary(db);
  const { community } = vocabulary;
  const { shares, questions } = community;
  const distinct = [...new Set(words)];
  const missing = distinct.filter((word) => !shares.has(word) && !vocabulary.counts.has(word));
  const counted = new Map(
    missing.length === 0 ? [] : await countPostsWith(db, { words: missing, most: maxCounted }),
  );
  for (const [word, posts] of counted) vocabulary.counts.set(word, posts);
  const leastShare = Math.min(...shares.values(), 1);
  const countOf = (word: string) => {
    const share = shares.get(word);
    if (share !== undefined) return share * questions;
    const posts = counted.get(word) ?? vocabulary.counts.get(word) ?? 0;
    return posts < maxCounted || shares.size === 0 ? posts : Math.max(posts, leastShare * questions);
  };
  return { community, counts: new Map(distinct.map((word) => [word, countOf(word)])) };
}

/** Returns the most used words that a part of a word stands for. */
export async function lookUpLongerWords(db: Reader, pattern: WordPattern): Promise<readonly string[]> {
  const { longer } = await getVocabulary(db);
  const key = `${pattern.where} ${pattern.part}`;
  const cached = longer.get(key);
  if (cached !== undefined) return cached;
  const words = await findLongerWords(db, pattern, maxLongerWords);
  longer.set(key, words);
  return words;
}
