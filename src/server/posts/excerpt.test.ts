import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints } from '#shared/core/text.ts';
import { createExcerpt, toPlainText } from './excerpt.ts';

describe('the excerpt on a question card', () => {
  it('shows a short text unchanged, without its Markdown syntax', () => {
    expect(createExcerpt('Is **this** _really_ ~~not~~ `the` [way](https://example.org/)?')).toEqual({
      excerpt: 'Is this really not the way?',
      cut: false,
    });
  });

  it('puts headings, paragraphs, quotes and lists on one line', () => {
    const text = '# Title\n\nFirst line\nsecond line\n\n> quoted\n\n- one\n- two\n\n1. three\n2. [x] four';
    expect(createExcerpt(text).excerpt).toBe('Title First line second line quoted one two three four');
  });

  it('ends after 200 characters and reports that there is more', () => {
    const { excerpt: shown, cut } = createExcerpt('a'.repeat(201));
    expect(shown).toBe('a'.repeat(200));
    expect(cut).toBe(true);
    expect(createExcerpt('a'.repeat(200))).toEqual({ excerpt: 'a'.repeat(200), cut: false });
  });

  it('counts the code points of an emoji and never cuts one', () => {
    const family = '👩‍👩‍👧';
    expect(createExcerpt(`${'a'.repeat(198)}${family}`).excerpt).toBe('a'.repeat(198));
    expect(createExcerpt('😀'.repeat(300)).excerpt).toBe('😀'.repeat(200));
  });

  it('shows the text around a code block, and code only if there is nothing else', () => {
    expect(createExcerpt('Why?\n\n```js\nlet a = 1;\n```\n\nIt fails.')).toEqual({
      excerpt: 'Why? It fails.',
      cut: true,
    });
    expect(createExcerpt('```js\nlet a =\n  1;\n```')).toEqual({ excerpt: 'let a = 1;', cut: false });
    expect(createExcerpt('    indented()')).toEqual({ excerpt: 'indented()', cut: false });
  });

  it('shows the description of an image and reports that there is more', () => {
    expect(createExcerpt('Look: ![a broken pump](https://example.org/a.png), here.')).toEqual({
      excerpt: 'Look: a broken pump, here.',
      cut: true,
    });
    expect(createExcerpt('![](https://example.org/a.png)')).toEqual({ excerpt: '', cut: true });
    const imported = '[![enter image description here][1]][1] Why?\n\n [1]: https://example.org/a.png';
    expect(createExcerpt(imported)).toEqual({ excerpt: 'Why?', cut: true });
  });

  it('shows the text of links whose targets are defined far below', () => {
    const text = `See [the manual][1] and [there].\n\n${'word '.repeat(2000)}\n\n  [1]: https://example.org/\n [There]: /x\n`;
    expect(createExcerpt(text).excerpt).toMatch(/^See the manual and there\. word/u);
  });

  it('omits paragraphs that are comments, and shows other raw HTML as text', () => {
    expect(createExcerpt('<!-- language: lang-js -->\n\nA vector<int> is <b>it</b>').excerpt).toBe(
      'A vector<int> is <b>it</b>',
    );
    expect(createExcerpt('`<!-- a -->` is one, <!-- b --> too').excerpt).toBe(
      '<!-- a --> is one, <!-- b --> too',
    );
    expect(createExcerpt('<!-- a -->\nA text.\n<!-- b -->').excerpt).toBe('<!-- a --> A text. <!-- b -->');
  });

  it('omits tables and footnotes next to prose', () => {
    const text = 'Before[^1]\n\n| a | b |\n| - | - |\n| c | d |\n\n[^1]: The note.';
    expect(createExcerpt(text)).toEqual({ excerpt: 'Before', cut: true });
    expect(createExcerpt('| a | b |\n| - | - |\n| c | d |').excerpt).toBe('a b c d');
  });

  it('is well-formed text without control characters for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        const { excerpt: shown } = createExcerpt(text);
        expect(countCodePoints(shown)).toBeLessThanOrEqual(200);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(/[\p{Cc}\n]/u);
        expect(shown).toBe(shown.trim());
      }),
    );
  });

  // Parsing some of these texts takes minutes. The excerpt limits how much is parsed.
  it('parses only the beginning of hostile texts of 30,000 characters', () => {
    for (const hostile of hostileTexts()) {
      const { excerpt: shown, cut } = createExcerpt(hostile);
      expect(countCodePoints(shown)).toBeLessThanOrEqual(200);
      expect(cut).toBe(hostile.trim() !== '');
    }
  });
});

function hostileTexts(): string[] {
  const patterns = [
    '>',
    '> - ',
    '- ',
    '1. ',
    '*a_ ',
    'a**b*c_ ',
    '[',
    '![',
    '`a',
    '<',
    '&',
    '|a',
    '|a|b|\n|-|-|\n',
  ];
  patterns.push(
    '[a](',
    '[a](<b',
    '[a]: b\n',
    '[^1]',
    '~~a~',
    '\\',
    '\n',
    '- a\n',
    ' ',
    '👨‍👩‍👧',
    'e\u0301\u0301',
    '\u0301',
  );
  // Texts that hang some Markdown parsers. They are in a directory next to the checkout where real data is available.
  const corpus = join(import.meta.dirname, '../../../../shared/data/corpora/markdown');
  const files = existsSync(corpus) ? readdirSync(corpus).filter((file) => file.startsWith('redos-')) : [];
  return [...patterns, ...files.map((file) => readFileSync(join(corpus, file), 'utf8'))].map((pattern) =>
    pattern.repeat(Math.ceil(30_000 / pattern.length)).slice(0, 30_000),
  );
}

it('reads a text without syntax characters as the parser would', () => {
  const pieces = [
    'word',
    'Two words.',
    ' ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '\r',
    '-',
    '- ',
    '1. ',
    '=',
    '# ',
    ':',
    '!',
    '@',
  ];
  const others = [
    'a@b.org',
    'www.a.org',
    'http://a.org/b',
    'é',
    '\u00a0',
    '。',
    '"',
    '(',
    ')',
    '^',
    '$',
    '+',
    '...',
    '3)',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...others), { maxLength: 12 }), (parts) => {
      const text = `Begin${parts.join('')}`;
      // The syntax character at the end makes the parser read the whole text.
      const parsed = toPlainText(`${text}\n\n&amp;`);
      const { prose, blocks } = toPlainText(text);
      expect({ prose: `${prose} &`.trim(), blocks }).toEqual(parsed);
    }),
    { numRuns: 1000 },
  );
});
