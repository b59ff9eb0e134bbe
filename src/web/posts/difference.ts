import { diffArrays } from 'diff';

/** A run of a text: as it was, taken out, or put in. */
export type Run = { kind: 'same' | 'out' | 'in'; text: string };

/** Beyond this many words changed, comparing takes longer than reading. */
const maxEditLength = 2000;

/** A text that keeps less of itself than this share of its letters is another text. */
const alike = 0.5;

/** Above it, the same was only parted otherwise into paragraphs. */
const sameText = 0.8;

/** Every language's words, those of languages that write no spaces as well. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * What changed from one text to another, by paragraphs: of one that was changed by words, which ones; one that has
 * little in common with what was there is taken out and put in as a whole.
 */
export function paragraphChanges(before: string, after: string): Run[][] {
  const changes: Run[][] = [];
  let out: string[] = [];
  let into: string[] = [];
  const settle = () => {
    changes.push(...matched(out, into));
    out = [];
    into = [];
  };
  for (const { added, removed, value } of diffArrays(paragraphsOf(before), paragraphsOf(after))) {
    if (removed) out.push(...value);
    else if (added) into.push(...value);
    else {
      settle();
      changes.push(...value.map((text): Run[] => [{ kind: 'same', text }]));
    }
  }
  settle();
  return changes;
}

/** What changed within a line or a paragraph, by words; the whole of it where little stayed, or too much changed. */
export function wordChanges(before: string, after: string): Run[] {
  if (before === after) return [{ kind: 'same', text: after }];
  const old = wordsOf(before);
  const now = wordsOf(after);
  const parts = likeness(old, now) < alike ? undefined : diffArrays(old, now, { maxEditLength });
  if (parts === undefined) return replacement(before, after);
  return joined(
    parts.map(({ added, removed, value }) => ({
      kind: added ? 'in' : removed ? 'out' : 'same',
      text: value.join(''),
    })),
  );
}

/** Each paragraph that was put in beside the first one taken out that it is like, in the order of both. */
function matched(out: readonly string[], into: readonly string[]): Run[][] {
  const [before, after] = [out, into].map((paragraphs) => paragraphs.join('\n\n')) as [string, string];
  if (out.length !== into.length && likeness(wordsOf(before), wordsOf(after)) >= sameText)
    return [wordChanges(before, after)];
  const changes: Run[][] = [];
  const left = out.map((text) => ({ text, words: wordsOf(text) }));
  let waiting: Run[][] = [];
  for (const text of into) {
    const words = wordsOf(text);
    const found = left.findIndex((old) => likeness(old.words, words) >= alike);
    if (found === -1) {
      waiting.push([{ kind: 'in', text }]);
      continue;
    }
    const skipped = left.splice(0, found + 1);
    const counterpart = skipped.pop()?.text ?? '';
    changes.push(...takenOut(skipped), ...waiting, wordChanges(counterpart, text));
    waiting = [];
  }
  return [...changes, ...takenOut(left), ...waiting];
}

const takenOut = (paragraphs: readonly { text: string }[]) =>
  paragraphs.map(({ text }): Run[] => [{ kind: 'out', text }]);

/** Words that were replaced one after the other read better as one replacement. */
function joined(runs: readonly Run[]): Run[] {
  const whole: Run[] = [];
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

function replacement(out: string, into: string): Run[] {
  const runs: Run[] = [
    { kind: 'out', text: out },
    { kind: 'in', text: into },
  ];
  return runs.filter(({ text }) => text !== '');
}

/** The share of letters that two texts have in common by words, wherever those stand: from 0 to 1. */
function likeness(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const count = left.get(word) ?? 0;
    if (count > 0) common += lengthOf(word);
    left.set(word, count - 1);
  }
  const letters = [...one, ...other].reduce((sum, word) => sum + lengthOf(word), 0);
  return letters === 0 ? 1 : (2 * common) / letters;
}

const lengthOf = (word: string) => word.trim().length;

const wordsOf = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);

const paragraphsOf = (text: string) => text.split(/\n{2,}/u);
