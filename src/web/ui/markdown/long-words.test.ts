import { expect, test } from 'vitest';
import { splitLongWords } from './long-words.ts';

test('a text of usual words stays in one piece', () => {
  const text = 'usual words '.repeat(500);
  expect(splitLongWords(text)).toEqual([{ from: 0, part: text }]);
});

test('a word that is far too long can break, and nothing of it is lost', () => {
  const text = `before ${'🎉x'.repeat(1000)} after`;
  const parts = splitLongWords(text).map(({ part }) => part);
  expect(parts.length).toBe(5);
  expect(parts.join('')).toBe(text);
  expect(parts.every((part) => part.isWellFormed())).toBe(true);
});
