import { expect, test } from 'vitest';
import { isCheapForMicromark } from './micromark-cost.ts';

/** At 30,000 characters, each makes the parser take from a quarter of a second to minutes. */
const traps: Record<string, string> = {
  'brackets that are never opened': ']'.repeat(30_000),
  'quotes in quotes in quotes': '>'.repeat(30_000),
  'lists in lists in lists': '1. '.repeat(10_000),
  'emphasis that never closes': '*a_ '.repeat(7500),
  'headings underlined by the thousand': 'a\n-\n'.repeat(7500),
  'a table with thousands of columns': `${'|a'.repeat(3500)}|\n${'|-'.repeat(3500)}|\n${'|\n'.repeat(8000)}`,
  'words behind a bracket that stays open': `[_${'|a'.repeat(15_000)}`,
  'addresses behind a bracket that stays open': `[__${'a@b.c&amp;\nb'.repeat(2500)}`,
  'footnotes that lead nowhere': '[^a]'.repeat(7500),
  'lines that might all be tables': '- 1. |-|-|\n('.repeat(2500),
};

for (const [name, text] of Object.entries(traps))
  test(`${name}: leaves the text`, () => {
    expect(isCheapForMicromark(text)).toBe(false);
  });

test('reads an answer of the maximum length that is written for people', () => {
  const paragraph =
    'A **bold** word, `code`, a [link](https://example.org/a_b) and *more*, at some length.\n'.repeat(5);
  const list = '- one\n- two\n  1. three\n  2. four\n\n';
  const code = '```js\nconst list = [1, 2, 3].map((n) => n * 2); // a_b *c* | d\n```\n\n';
  const table = `| a | b | c |\n|---|---|---|\n${'| 1 | `2` | [3](x) |\n'.repeat(20)}\n`;
  const text = `## Heading\n\n${paragraph}\n${list}${code}${table}> quoted\n> lines\n\n`
    .repeat(40)
    .slice(0, 30_000);
  expect(text.length).toBe(30_000);
  expect(isCheapForMicromark(text)).toBe(true);
});

test('reads a log of many lines in a code block', () => {
  const log = Array.from({ length: 300 }, (_, at) => `12:00:${at} [main] INFO a.b.C - started in ${at} ms`);
  expect(isCheapForMicromark(`\`\`\`\n${log.join('\n')}\n\`\`\``)).toBe(true);
});
