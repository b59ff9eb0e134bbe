import { afterEach, describe, expect, test } from 'vitest';
import {
  formatCardDate,
  formatCount,
  formatDate,
  formatDateTime,
  formatRelativeTime,
  formatShortCount,
} from './format.ts';
import { i18n } from '@lingui/core';

const now = Date.UTC(2026, 5, 15, 12, 0, 0);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const before = (ms: number) => new Date(now - ms).toISOString();

describe('formatRelativeTime', () => {
  test.each([
    [0, 'just now'],
    [59 * second, 'just now'],
    [minute, '1 minute ago'],
    [2 * minute, '2 minutes ago'],
    [hour - 1, '59 minutes ago'],
    [hour, '1 hour ago'],
    [2 * hour - 1, '1 hour ago'],
    [day - 1, '23 hours ago'],
    [day, '1 day ago'],
    [2 * day, '2 days ago'],
    [30 * day, '30 days ago'],
    [30 * day + minute, 'May 16, 2026'],
    [400 * day, 'May 11, 2025'],
  ])('formats %d ms ago as "%s"', (elapsed, text) => {
    expect(formatRelativeTime(before(elapsed), now)).toBe(text);
  });

  test('formats a time ahead of the clock as "just now"', () => {
    expect(formatRelativeTime(before(-3 * hour), now)).toBe('just now');
    expect(formatCardDate(before(-3 * day), now)).toBe('just now');
  });
});

describe('formatCardDate', () => {
  test.each([
    [30 * second, 'just now'],
    [59 * minute, '59 minutes ago'],
    [hour, '1 hour ago'],
    [day - 1, '23 hours ago'],
    [day, '1 day ago'],
    [2 * day, '2 days ago'],
    [7 * day - 1, '6 days ago'],
    [7 * day, '1 week ago'],
    [14 * day - 1, '1 week ago'],
    [14 * day, '2 weeks ago'],
    [29 * day, '4 weeks ago'],
    [30 * day - 1, '4 weeks ago'],
    [30 * day, 'May 16, 2026'],
    [400 * day, 'May 11, 2025'],
  ])('formats %d ms ago as "%s"', (elapsed, text) => {
    expect(formatCardDate(before(elapsed), now)).toBe(text);
  });
});

test('formats the exact time with weekday, date and time', () => {
  const noon = new Date(2024, 2, 4, 18, 5);
  expect(formatDate(noon)).toBe('Mar 4, 2024');
  expect(formatDateTime(noon).replaceAll(/\s/gu, ' ')).toBe('Monday, March 4, 2024 at 6:05 PM');
});

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
])('shortens %d to %s', (count, text) => {
  expect(formatShortCount(count)).toBe(text);
});

test('formats numbers as the language does', () => {
  i18n.activate('de');
  expect(formatCount(1234)).toBe('1.234');
  i18n.activate('ja');
  expect(formatShortCount(19_999)).toBe('1.9万');
});
