import { expect, test } from 'vitest';
import { countText, wordFor } from './count-text.ts';

test('one is singular, everything else plural', () => {
  expect(countText('upvote', 1, '1')).toBe('1 upvote');
  expect(countText('view', 0, '0')).toBe('0 views');
  expect(countText('view', 1500, '1.5k')).toBe('1.5k views');
  expect(wordFor('answer', 1)).toBe('answer');
  expect(wordFor('answer', 2)).toBe('answers');
});
