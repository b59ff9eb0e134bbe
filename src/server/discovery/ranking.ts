/** A word of a text to rank by. Queries are the text form of a `tsquery`. */
export type Term = {
  /** What a post must match to have the word. */
  match: string;
  /** Its lexemes, exact words and stems, joined by '|'. */
  lexemes: string;
  /** Longer words that it is a part of; null for none. */
  longer: string | null;
  /** Number of questions that have the word itself. */
  questions: number;
  /** Estimated number of questions that match, with those that have longer words only. */
  most: number;
  /** Number of uses in the text; those in a title count `titleWeight` times. */
  used: number;
};

/** A term with its weights: inverse document frequency, alone and times the use in the text. */
export type WeightedTerm = Term & { rarity: number; weight: number };

/** What `findRanked` (ranking-queries.ts) compares posts with. */
export type Ranking = {
  terms: readonly WeightedTerm[];
  /** A tsquery for posts that have all words. */
  all: string;
  /** A tsquery for posts that have some of the rarest words; it matches few enough. Null for a single word. */
  some: string | null;
  /** Number of questions that have the rarest word: at least as many as have all words. */
  atMost: number;
  /** Estimated share of the questions that have all words, if these are independent of each other. */
  share: number;
  /** Number of questions. */
  total: number;
};

/** A word in the title counts as if it occurred this many times in the text. */
export const titleWeight = 3;

/** BM25's k1: how soon repeated words stop to count more. 1.2 is the usual value. */
const k1 = 1.2;

/** Words compared at most. */
const maxTerms = 48;

/** Questions that the query for some of the words may match. This bounds the time at any size. */
const maxQuestions = 300;

/** Common words that are combined in pairs. */
const maxPaired = 6;

/** Questions with the rarer word of a pair: the index reads all of them. */
const maxReadForPair = 5_000;

/**
 * Weights the words of a text by their rarity among `total` questions (the inverse document frequency of BM25) times
 * their use in the text. Returns null for a text without words.
 */
export function createRanking(words: readonly Term[], total: number): Ranking | null {
  const terms = words
    .map((term) => {
      const rarity = inverseDocumentFrequency(term.questions, total);
      return { ...term, rarity, weight: rarity * ((term.used * (1 + k1)) / (term.used + k1)) };
    })
    .toSorted((a, b) => b.weight - a.weight || (a.match < b.match ? -1 : 1))
    .slice(0, maxTerms);
  if (terms.length === 0) return null;
  return {
    terms,
    all: terms.map(({ match }) => match).join(' & '),
    some: selectSome(
      terms.filter(({ most }) => most > 0),
      total,
    ),
    atMost: Math.min(...terms.map(({ most }) => most)),
    share: terms.reduce((rest, { most }) => rest * Math.min(1, most / Math.max(total, 1)), 1),
    total,
  };
}

function inverseDocumentFrequency(questions: number, total: number): number {
  return Math.log(1 + (Math.max(total - questions, 0) + 0.5) / (questions + 0.5));
}

/**
 * Matches questions that have one of the rare words. Common words are combined in pairs: a pair is more specific, and
 * the index finds it without reading the questions that have only one of them.
 */
function selectSome(terms: readonly WeightedTerm[], total: number): string | null {
  const parts: string[] = [];
  const common: WeightedTerm[] = [];
  let expected = 0;
  for (const term of terms) {
    const fits = expected + term.most <= maxQuestions;
    if (!fits) common.push(term);
    else {
      parts.push(term.match);
      expected += term.most;
    }
  }
  const paired = common.slice(0, maxPaired);
  for (const [index, one] of paired.entries())
    for (const other of paired.slice(index + 1)) {
      const both = (one.most * other.most) / Math.max(total, 1);
      if (expected + both > maxQuestions || Math.min(one.most, other.most) > maxReadForPair) continue;
      parts.push(`(${one.match} & ${other.match})`);
      expected += both;
    }
  if (parts.length > 0) return parts.join(' | ');
  // All are common: the best ones together, as many as are compared.
  const best = paired.slice(0, 3).map(({ match }) => match);
  return best.length === 0 ? null : best.join(' & ');
}

/** Quotes a lexeme for a tsquery. */
export function quoteLexeme(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}

export const joinAll = (queries: readonly string[]): string => joinQueries(queries, ' & ');
export const joinAny = (queries: readonly string[]): string => joinQueries(queries, ' | ');

function joinQueries(queries: readonly string[], operator: string): string {
  const distinct = [...new Set(queries)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `(${distinct.join(operator)})`;
}
