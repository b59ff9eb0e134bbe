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

test('reads an answer of 700 paragraphs with links, and 2,100 lines of code', () => {
  const answer = 'See [the *manual*](https://example.org/a_b) of `a | b`.\n\n'.repeat(700);
  const code = `\`\`\`\n${'const [a, b] = list[0] || [];\n'.repeat(2100)}\`\`\`\n`;
  expect(isCheapForMicromark(answer + code)).toBe(true);
});
