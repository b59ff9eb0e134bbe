import { expect, test } from 'vitest';
import { countOf, shortCount } from './counts.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1249, '1.2k'],
  [1999, '1.9k'],
  [99_999, '99.9k'],
  [123_456, '123k'],
  [999_999, '999k'],
  [1_000_000, '1M'],
  [2_560_000, '2.5M'],
])('%d reads %s', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test('one is singular, everything else plural', () => {
  expect(countOf(1, 'upvote')).toBe('1 upvote');
  expect(countOf(0, 'view')).toBe('0 views');
  expect(countOf(2, 'reply', 'replies')).toBe('2 replies');
  expect(countOf(1500, 'view')).toBe('1.5k views');
});
