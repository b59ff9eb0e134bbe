import { diffArrays } from 'diff';

/** A run of text: unchanged, removed or added. */
export type DiffRun = { kind: 'same' | 'out' | 'in'; text: string };

/** The maximum number of changed words. Comparing more takes longer than reading the text. */
const maxEditLength = 2000;

/** Texts that share less than this part of their letters count as different. */
const minSimilarity = 0.5;

/** Above this similarity, only the division into paragraphs changed. */
const sameTextSimilarity = 0.8;

/** Segments words in every language, including those without spaces. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The changes between two texts by paragraph: the changed words of a similar paragraph, or the whole paragraph removed
 * and added.
 */
export function diffParagraphs(before: string, after: string): DiffRun[][] {
  const changes: DiffRun[][] = [];
  let out: string[] = [];
  let into: string[] = [];
  const settle = () => {
    changes.push(...matchParagraphs(out, into));
    out = [];
    into = [];
  };
  for (const { added, removed, value } of diffArrays(paragraphsOf(before), paragraphsOf(after))) {
    if (removed) out.push(...value);
    else if (added) into.push(...value);
    else {
      settle();
      changes.push(...value.map((text): DiffRun[] => [{ kind: 'same', text }]));
    }
  }
  settle();
  return changes;
}

/** The changed words within a line or paragraph; the whole text if little is unchanged or too much changed. */
export function diffWords(before: string, after: string): DiffRun[] {
  if (before === after) return [{ kind: 'same', text: after }];
  const old = wordsOf(before);
  const now = wordsOf(after);
  const parts =
    textSimilarity(old, now) < minSimilarity ? undefined : diffArrays(old, now, { maxEditLength });
  if (parts === undefined) return replacement(before, after);
  return joinRuns(
    parts.map(({ added, removed, value }) => ({
      kind: added ? 'in' : removed ? 'out' : 'same',
      text: value.join(''),
    })),
  );
}

/** Matches each added paragraph with the first similar removed one, in the order of both. */
function matchParagraphs(out: readonly string[], into: readonly string[]): DiffRun[][] {
  const [before, after] = [out, into].map((paragraphs) => paragraphs.join('\n\n')) as [string, string];
  if (out.length !== into.length && textSimilarity(wordsOf(before), wordsOf(after)) >= sameTextSimilarity)
    return [diffWords(before, after)];
  const changes: DiffRun[][] = [];
  const remaining = out.map((text) => ({ text, words: wordsOf(text) }));
  let pendingAdditions: DiffRun[][] = [];
  for (const text of into) {
    const words = wordsOf(text);
    const index = remaining.findIndex((old) => textSimilarity(old.words, words) >= minSimilarity);
    if (index === -1) {
      pendingAdditions.push([{ kind: 'in', text }]);
      continue;
    }
    const skipped = remaining.splice(0, index + 1);
    const counterpart = skipped.pop()?.text ?? '';
    changes.push(...removedParagraphs(skipped), ...pendingAdditions, diffWords(counterpart, text));
    pendingAdditions = [];
  }
  return [...changes, ...removedParagraphs(remaining), ...pendingAdditions];
}

const removedParagraphs = (paragraphs: readonly { text: string }[]) =>
  paragraphs.map(({ text }): DiffRun[] => [{ kind: 'out', text }]);

/** Merges adjacent replacements into one, which reads better. */
function joinRuns(runs: readonly DiffRun[]): DiffRun[] {
  const whole: DiffRun[] = [];
  let out = '';
  let into = '';
  const settle = () => {
    whole.push(...replacement(out, into));
    out = '';
    into = '';
  };
  for (const [index, { kind, text }] of runs.entries()) {
    if (kind === 'out') out += text;
    else if (kind === 'in') into += text;
    else if (out !== '' && into !== '' && text.trim() === '' && index < runs.length - 1) {
      out += text;
      into += text;
    } else {
      settle();
      whole.push({ kind, text });
    }
  }
  settle();
  return whole;
}

function replacement(out: string, into: string): DiffRun[] {
  const runs: DiffRun[] = [
    { kind: 'out', text: out },
    { kind: 'in', text: into },
  ];
  return runs.filter(({ text }) => text !== '');
}

/** The share of letters in words that two texts have in common, at any position: from 0 to 1. */
function textSimilarity(one: readonly string[], other: readonly string[]): number {
  const remaining = new Map<string, number>();
  for (const word of one) remaining.set(word, (remaining.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const count = remaining.get(word) ?? 0;
    if (count > 0) common += lengthOf(word);
    remaining.set(word, count - 1);
  }
  const totalLength = [...one, ...other].reduce((sum, word) => sum + lengthOf(word), 0);
  return totalLength === 0 ? 1 : (2 * common) / totalLength;
}

const lengthOf = (word: string) => word.trim().length;

const wordsOf = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);

const paragraphsOf = (text: string) => text.split(/\n{2,}/u);
