import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { formatCount, formatShortCount } from './counts.ts';

afterEach(() => i18n.activate('en'));

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
  expect(formatShortCount(count)).toBe(text);
});

test('other languages write numbers in their own way', () => {
  i18n.activate('de');
  expect(formatCount(1234)).toBe('1.234');
  i18n.activate('ja');
  expect(formatShortCount(19_999)).toBe('1.9万');
});
