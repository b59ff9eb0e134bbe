import { expect, test } from 'vitest';
import { formatCountOf, getCountedWord } from './Count.tsx';

test('uses the singular for one and the plural for everything else', () => {
  expect(formatCountOf('upvote', 1, '1')).toBe('1 upvote');
  expect(formatCountOf('view', 0, '0')).toBe('0 views');
  expect(formatCountOf('view', 1500, '1.5k')).toBe('1.5k views');
  expect(getCountedWord('answer', 1)).toBe('answer');
  expect(getCountedWord('answer', 2)).toBe('answers');
});
