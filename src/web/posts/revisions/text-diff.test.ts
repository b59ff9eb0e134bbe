import { describe, expect, test } from 'vitest';
import { diffParagraphs, type DiffRun, diffWords } from './text-diff.ts';

const marks = { same: ['', ''], out: ['[-', ']'], in: ['[+', ']'] } as const;
const marked = (runs: readonly DiffRun[]) =>
  runs.map(({ kind, text }) => marks[kind][0] + text + marks[kind][1]).join('');

describe('diffWords', () => {
  test.each([
    ['I dried it. It worked.', 'I dried it on paper. It worked.', 'I dried it[+ on paper]. It worked.'],
    ['Written on a train.', 'Written at home.', 'Written [-on a train][+at home].'],
    ['كتبته في القطار أمس', 'كتبته في البيت أمس', 'كتبته في [-القطار][+البيت] أمس'],
    ['我昨天在火车上写的', '我昨天在家里写的', '我昨天在[-火车上][+家里]写的'],
    ['Flour, water, salt', 'How to get a passport', '[-Flour, water, salt][+How to get a passport]'],
    ['The same', 'The same', 'The same'],
  ])('compares %j with %j: %j', (before, after, expected) => {
    expect(marked(diffWords(before, after))).toBe(expected);
  });
});

describe('diffParagraphs', () => {
  const shown = (before: readonly string[], after: readonly string[]) =>
    diffParagraphs(before.join('\n\n'), after.join('\n\n')).map(marked);
  const unchanged = 'Later I put the flakes into a jar.';

  test('shows a rewritten paragraph as a whole, below the one it replaces', () => {
    const [before, after] = ['I dried it on baking paper.', 'Do not bother: ask a neighbour to feed it.'];
    expect(shown([before, unchanged], [after, unchanged])).toEqual([
      `[-${before}]`,
      `[+${after}]`,
      unchanged,
    ]);
  });

  test('shows changed words in a paragraph that remains while others are removed and added', () => {
    expect(
      shown(['Gone.', unchanged], ['Before it all came this.', 'Later I put the crumbs into a jar.']),
    ).toEqual(['[-Gone.]', '[+Before it all came this.]', 'Later I put the [-flakes][+crumbs] into a jar.']);
    expect(shown([unchanged], [unchanged, 'A last word.'])).toEqual([unchanged, '[+A last word.]']);
  });

  test('shows no change of text when a paragraph is split', () => {
    const [one, two] = ['First I dried it.', 'Then I froze it.'];
    expect(shown([`${one}\n${two}`], [one, two])).toEqual([`${one}\n[+\n]${two}`]);
  });
});
