import { expect, test } from 'vitest';
import { getNewestPosition, recordPosition, getSafePosition } from './live-position.ts';

const position = (place: string) => `1.1800000000.${place}.700:700:`;

test('listens from the earliest position of the last seconds and requires at least the newest', () => {
  expect([getSafePosition(), getNewestPosition()]).toEqual([undefined, undefined]);
  recordPosition(position('0/20'));
  // A response of a streaming replica, which lags slightly behind.
  recordPosition(position('0/1F'));
  expect(getSafePosition()).toBe(position('0/1F'));
  expect(getNewestPosition()).toBe(position('0/20'));
  recordPosition(position('0/100'));
  expect(getSafePosition()).toBe(position('0/1F'));
  expect(getNewestPosition()).toBe(position('0/100'));
});
