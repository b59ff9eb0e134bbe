import { expect, test } from 'vitest';
import { createMatcher, createSnippet, highlight, toHighlightTerms } from './search-highlights.ts';

const stems = new Map([
  ['happy', 'happi'],
  ['ist', 'ist'],
  ['go', 'go'],
  ['the', null],
]);

/** The text with brackets around what is highlighted. */
function mark(query: string, text: string, { phrases = [], inflections = [] }: Partial<Asked> = {}): string {
  const matcher = createMatcher(toHighlightTerms(query, phrases), stems, inflections);
  return highlight(text, matcher)
    .map((part) => (part.highlighted ? `[${part.text}]` : part.text))
    .join('');
}
type Asked = { phrases: string[]; inflections: string[] };

test.each([
  ['a word inside others, without case', 'happy', 'Unhappy, HAPPY', 'Un[happy], [HAPPY]'],
  ['two letters as a whole word only', 'go', 'Go or going, ago', '[Go] or going, ago'],
  ['not stop words alone', 'the happy', 'The happy and the sad', '[The happy] and the sad'],
  ['words as typed over a line break', 'happy days', 'happy\n  days, happy', '[happy\n  days], [happy]'],
  ['after letters whose lower case is longer', 'ist', 'İİ is in İST', 'İİ is in [İST]'],
])('highlights %s', (_, query, text, marked) => {
  expect(mark(query, text)).toBe(marked);
});

test('highlights inflections as whole words, and joins what overlaps', () => {
  expect(mark('happy', 'Happiness, unhappiness, happily', { inflections: ['happiness'] })).toBe(
    '[Happiness], unhappiness, happily',
  );
  expect(mark('happy', 'so happy days', { phrases: ['so happy', 'happy days'] })).toBe('[so happy days]');
});

test('takes the snippet from the text as typed rather than from an earlier word', () => {
  const text = `happy. ${'Filler words. '.repeat(60)}Then **happy days** came.`;
  const matcher = createMatcher(toHighlightTerms('happy days', []), stems, []);
  const parts = createSnippet(text, matcher) ?? [];
  expect(parts.filter((part) => part.highlighted)).toEqual([{ text: 'happy days', highlighted: true }]);
  expect(parts.at(0)?.text).toBe('… ');
  expect(createSnippet('nothing', matcher)).toBeNull();
});

test('takes the snippet from a later match if the first is the language of a code block', () => {
  const text = `\`\`\`happy\n${'let line = 1;\n'.repeat(60)}\`\`\`\n\nNow everyone is happy.`;
  const matcher = createMatcher(toHighlightTerms('happy', []), stems, []);
  expect(createSnippet(text, matcher)?.filter((part) => part.highlighted)).toEqual([
    { text: 'happy', highlighted: true },
  ]);
  expect(createSnippet('```happy\nlet line = 1;\n```', matcher)).toBeNull();
});
