import { describe, expect, test } from 'vitest';
import { diffParagraphs, type DiffRun, diffWords } from './text-diff.ts';

const marks = { same: ['', ''], out: ['[-', ']'], in: ['[+', ']'] } as const;
const marked = (runs: readonly DiffRun[]) =>
  runs.map(({ kind, text }) => marks[kind][0] + text + marks[kind][1]).join('');

describe('what changed in a line', () => {
  test.each([
    ['I dried it. It worked.', 'I dried it on paper. It worked.', 'I dried it[+ on paper]. It worked.'],
    ['Written on a train.', 'Written at home.', 'Written [-on a train][+at home].'],
    ['كتبته في القطار أمس', 'كتبته في البيت أمس', 'كتبته في [-القطار][+البيت] أمس'],
    ['我昨天在火车上写的', '我昨天在家里写的', '我昨天在[-火车上][+家里]写的'],
    ['Flour, water, salt', 'How to get a passport', '[-Flour, water, salt][+How to get a passport]'],
    ['The same', 'The same', 'The same'],
  ])('%j to %j: %j', (before, after, shown) => {
    expect(marked(diffWords(before, after))).toBe(shown);
  });
});

describe('what changed in a text', () => {
  const shown = (before: readonly string[], after: readonly string[]) =>
    diffParagraphs(before.join('\n\n'), after.join('\n\n')).map(marked);
  const kept = 'Later I put the flakes into a jar.';

  test('shows a rewritten paragraph as a whole, below the one it replaces, and nothing else', () => {
    const [before, after] = ['I dried it on baking paper.', 'Do not bother: ask a neighbour to feed it.'];
    expect(shown([before, kept], [after, kept])).toEqual([`[-${before}]`, `[+${after}]`, kept]);
  });

  test('shows the words that changed in a paragraph that stays, beside others that come and go', () => {
    expect(
      shown(['Gone.', kept], ['Before it all came this.', 'Later I put the crumbs into a jar.']),
    ).toEqual(['[-Gone.]', '[+Before it all came this.]', 'Later I put the [-flakes][+crumbs] into a jar.']);
    expect(shown([kept], [kept, 'A last word.'])).toEqual([kept, '[+A last word.]']);
  });

  test('a paragraph that is parted in two is no other text', () => {
    const [one, two] = ['First I dried it.', 'Then I froze it.'];
    expect(shown([`${one}\n${two}`], [one, two])).toEqual([`${one}\n[+\n]${two}`]);
  });
});
