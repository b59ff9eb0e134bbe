import { expect, test } from 'vitest';
import { getLaterPosition } from './positions.ts';

const position = (timeline: number, place: string) => `${timeline}.1800000000.${place}.700:705:701,702`;

test.each([
  ['the place in the log decides', position(1, '0/FFFFFFFF'), position(1, '1/0')],
  ['as a number, whatever its length', position(1, '0/9'), position(1, '0/10')],
  ['a later timeline wins over any place', position(1, '9/0'), position(2, '1/0')],
  ['what is no position loses', 'nonsense', position(1, '0/1')],
])('of two positions, %s', (_, earlier, later) => {
  expect(getLaterPosition(earlier, later)).toBe(later);
  expect(getLaterPosition(later, earlier)).toBe(later);
});
