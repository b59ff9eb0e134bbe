import { expect, test } from 'vitest';
import { splitLongWords } from './long-words.ts';

test('leaves a text of normal words in one piece', () => {
  const text = 'usual words '.repeat(500);
  expect(splitLongWords(text)).toEqual([{ from: 0, part: text }]);
});

test('splits a very long word without losing characters', () => {
  const text = `before ${'🎉x'.repeat(1000)} after`;
  const parts = splitLongWords(text).map(({ part }) => part);
  expect(parts.length).toBe(5);
  expect(parts.join('')).toBe(text);
  expect(parts.every((part) => part.isWellFormed())).toBe(true);
});
