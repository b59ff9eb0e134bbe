/** A word (a stem) of a text, with the number of questions that have it. */
export type WordCount = {
  word: string;
  /** Number of occurrences; those in the title count `titleWeight` times. */
  used: number;
  questions: number;
};

/** Words of one weight. PostgreSQL cannot rank words by different weights, so each weight is a separate query. */
export type WeighedWords = { query: string; weight: number };

export type SimilarityQuery = {
  /** A tsquery that selects the candidates; it matches few enough questions. */
  candidates: string;
  weighed: WeighedWords[];
};

/** A word in the title counts as if it occurred this many times in the text. */
export const titleWeight = 3;

/** BM25's k1: how soon repeated words stop to count more. 1.2 is the usual value. */
const k1 = 1.2;

/** Words compared at most; more words do not change the results (docs/similar-questions.md). */
const maxWords = 32;

/** Weights are rounded to this many steps per factor of e; each step is 22 % smaller than the one before. */
const weightStepsPerE = 4;

/** Questions that the rarest words together may match. This bounds the time of a query at any size. */
const maxQuestions = 200;

/**
 * Selects the words of a text to compare and their weights: the inverse document frequency of BM25 among `total`
 * questions, times the use in the text. Returns null if no question has any of the words.
 */
export function buildSimilarityQuery(words: readonly WordCount[], total: number): SimilarityQuery | null {
  const compared = words
    .filter(({ questions }) => questions > 0)
    .map((each) => ({
      ...each,
      weight: inverseDocumentFrequency(each.questions, total) * saturateTermFrequency(each.used),
    }))
    .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords);
  const [first] = compared;
  if (first === undefined) return null;
  return { candidates: buildCandidateQuery(compared, total), weighed: groupByWeight(compared, first.weight) };
}

function inverseDocumentFrequency(questions: number, total: number): number {
  return Math.log(1 + (Math.max(total - questions, 0) + 0.5) / (questions + 0.5));
}

function saturateTermFrequency(used: number): number {
  return (used * (1 + k1)) / (used + k1);
}

/**
 * Matches questions that have one of the rare words. Common words are combined in pairs: a pair is more specific, and
 * the index finds it without reading the questions that have only one of them.
 */
function buildCandidateQuery(words: readonly WordCount[], total: number): string {
  const [rare, common]: WordCount[][] = [[], []];
  let expected = 0;
  for (const word of words) {
    const fits = expected + word.questions <= maxQuestions;
    (fits ? rare : common)?.push(word);
    if (fits) expected += word.questions;
  }
  const parts = (rare ?? []).map(({ word }) => quoted(word));
  const some = (common ?? []).slice(0, 6);
  for (const [index, one] of some.entries())
    for (const other of some.slice(index + 1)) {
      const both = (one.questions * other.questions) / Math.max(total, 1);
      if (expected + both > maxQuestions) continue;
      parts.push(`(${quoted(one.word)} & ${quoted(other.word)})`);
      expected += both;
    }
  // If all words are common, the best ones together, as many as are compared.
  if (parts.length === 0)
    parts.push(
      `(${some
        .slice(0, 3)
        .map(({ word }) => quoted(word))
        .join(' & ')})`,
    );
  return parts.join(' | ');
}

function groupByWeight(
  words: readonly (WordCount & { weight: number })[],
  maxWeight: number,
): WeighedWords[] {
  const levels = new Map<number, string[]>();
  for (const { word, weight } of words) {
    const level = Math.round(Math.log(maxWeight / weight) * weightStepsPerE);
    levels.set(level, [...(levels.get(level) ?? []), quoted(word)]);
  }
  // `ts_rank` returns the mean over the words of a query.
  return [...levels].map(([level, inLevel]) => ({
    query: inLevel.join(' | '),
    weight: maxWeight * Math.exp(-level / weightStepsPerE) * inLevel.length,
  }));
}

/** Quotes a word for a tsquery. */
function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}
