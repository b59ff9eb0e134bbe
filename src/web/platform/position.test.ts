import { expect, test } from 'vitest';
import { newestPosition, notePosition, safePosition } from './position.ts';

const position = (place: string) => `1.1800000000.${place}.700:700:`;

test('a page listens from the earliest position it was told lately, and wants nothing older than the newest', () => {
  expect([safePosition(), newestPosition()]).toEqual([undefined, undefined]);
  notePosition(position('0/20'));
  // An answer of a streaming replica, which was a little behind.
  notePosition(position('0/1F'));
  expect(safePosition()).toBe(position('0/1F'));
  expect(newestPosition()).toBe(position('0/20'));
  notePosition(position('0/100'));
  expect(safePosition()).toBe(position('0/1F'));
  expect(newestPosition()).toBe(position('0/100'));
});
