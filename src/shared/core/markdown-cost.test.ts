import { expect, test } from 'vitest';
import { isCheapToParse } from './markdown-cost.ts';

/** Texts that the parser takes long for, or makes too many elements of. */
const traps: Record<string, string> = {
  'links that are never closed': '['.repeat(30_000),
  'pictures that are never closed': '!['.repeat(15_000),
  'footnotes that lead nowhere': '[^a]'.repeat(7500),
  'a table whose short rows are filled': `${'|a'.repeat(190)}\n${'|-'.repeat(190)}\n${'|\n'.repeat(205)}`,
  'a long table of two columns': `a|b\n-|-\n${'x\n'.repeat(14_000)}`,
  'a table with thousands of columns': `${'|a'.repeat(3500)}|\n${'|-'.repeat(3500)}|\n${'|\n'.repeat(8000)}`,
};

for (const [name, text] of Object.entries(traps))
  test(`${name}: shows the text as it was typed`, () => {
    expect(isCheapToParse(text)).toBe(false);
  });

test('renders an answer of the maximum length that is written for people', () => {
  const paragraph =
    'A **bold** word, `code`, a [link](https://example.org/a_b) and *more*, at some length.\n'.repeat(5);
  const list = '- one\n- two\n  1. three\n  2. four\n\n';
  const code = '```js\nconst list = [1, 2, 3].map((n) => n * 2); // a_b *c* | d\n```\n\n';
  const table = `| a | b | c |\n|---|---|---|\n${'| 1 | `2` | [3](x) |\n'.repeat(20)}\n`;
  const text = `## Heading\n\n${paragraph}\n${list}${code}${table}> quoted\n> lines\n\n`
    .repeat(40)
    .slice(0, 30_000);
  expect(text.length).toBe(30_000);
  expect(isCheapToParse(text)).toBe(true);
});

test('renders a log of many lines in a code block', () => {
  const log = Array.from({ length: 300 }, (_, at) => `12:00:${at} [main] INFO a.b.C - started in ${at} ms`);
  expect(isCheapToParse(`\`\`\`\n${log.join('\n')}\n\`\`\``)).toBe(true);
});
