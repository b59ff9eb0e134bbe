/** A word (a stem) of a text, and in how many questions of the community it stands. */
export type WordCount = {
  word: string;
  /** Occurrences, those in the title counted `titleWeight` times. */
  used: number;
  questions: number;
};

/** Words of one weight, so that PostgreSQL's ranking, which knows no weights of words, ranks them together. */
export type WeighedWords = { query: string; weight: number };

export type SimilarityQuery = {
  /** A tsquery that few enough questions match; the candidates. */
  candidates: string;
  weighed: WeighedWords[];
};

/** What a title says counts as if it stood so many times in the text. */
export const titleWeight = 3;

/** BM25's k1: how soon a word that is used again stops to count more. 1.2 is the usual value. */
const k1 = 1.2;

/** Words that say most about a text; more of them find nothing else (docs/similar-questions.md). */
const maxWords = 32;

/** Each weight is a fifth to a quarter smaller than the one before; words in between are rounded. */
const weightStepsPerE = 4;

/** Questions that the rarest words together may stand in, so that a query takes its time at any size. */
const maxQuestions = 200;

/**
 * Which words of a text to compare by, and how much each counts: by how rare it is among `total` questions (the inverse
 * document frequency of BM25), times how much the text uses it. Null where the community knows none of the words.
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
 * A question that has one of the rare words. Common words are looked for in pairs: they say something together, and the
 * index finds pairs without reading the questions that have one of the two.
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
  // All of the words are common ones: then those that have the best of them together, as many as are looked at.
  if (parts.length === 0)
    parts.push(
      `(${some
        .slice(0, 3)
        .map(({ word }) => quoted(word))
        .join(' & ')})`,
    );
  return parts.join(' | ');
}

function groupByWeight(words: readonly (WordCount & { weight: number })[], most: number): WeighedWords[] {
  const levels = new Map<number, string[]>();
  for (const { word, weight } of words) {
    const level = Math.round(Math.log(most / weight) * weightStepsPerE);
    levels.set(level, [...(levels.get(level) ?? []), quoted(word)]);
  }
  // `ts_rank` gives the mean of the words of a query.
  return [...levels].map(([level, inLevel]) => ({
    query: inLevel.join(' | '),
    weight: most * Math.exp(-level / weightStepsPerE) * inLevel.length,
  }));
}

/** A word as a tsquery has it. */
function quoted(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`;
}
