import { expect, test } from 'vitest';
import { addDays, countDays, getMonday, getYearUntil } from '#shared/discovery/activity.ts';
import {
  contributionsText,
  summarizeReputation,
  summarizeTagActivity,
  summarizeYear,
} from './activity-messages.ts';
import {
  listDailyReputation,
  toHeatLevel,
  toLinePath,
  listMonthStarts,
  listActivityDays,
  listActivityWeeks,
} from './chart-data.ts';

test.each([
  ['a Saturday', '2026-11-21T21:00:00Z', '2025-11-17'],
  ['a Monday, of which the week has just begun', '2026-11-23T00:00:00Z', '2025-11-24'],
  ['a Sunday, of which the week is full', '2026-11-22T23:59:59Z', '2025-11-17'],
  ['a leap day', '2028-02-29T12:00:00Z', '2027-03-01'],
])('starts the year until %s on a Monday', (_, now, from) => {
  const year = getYearUntil(new Date(now));
  expect(year).toEqual({ from, to: now.slice(0, 10) });
  expect(getMonday(from)).toBe(from);
  expect(countDays(year.from, year.to)).toBeGreaterThan(364);
  expect(countDays(year.from, year.to)).toBeLessThanOrEqual(371);
});

test('lists every day of the year, including days without activity', () => {
  const year = {
    from: '2025-11-17',
    to: '2026-11-21',
    days: [{ day: '2026-03-29', questions: 1, answers: 2, replies: 4 }],
  };
  const days = listActivityDays(year);
  expect(days).toHaveLength(370);
  expect([days[0]?.day, days.at(-1)?.day]).toEqual(['2025-11-17', '2026-11-21']);
  expect(days.filter(({ total }) => total > 0)).toEqual([
    { day: '2026-03-29', questions: 1, answers: 2, replies: 4, total: 7 },
  ]);
  expect(new Set(days.map(({ day }) => day)).size).toBe(370);
});

test('computes the level from the share of the maximum, and level 0 only for zero', () => {
  expect([0, 1, 10, 11, 20, 30, 40].map((count) => toHeatLevel(count, 40))).toEqual([0, 1, 1, 2, 2, 3, 4]);
  expect(toHeatLevel(1, 1)).toBe(4);
  expect(toHeatLevel(1, 10_000)).toBe(1);
});

test('labels months at their first week, without overlaps', () => {
  for (let offset = 0; offset < 400; offset++) {
    const { from } = getYearUntil(new Date(`${addDays('2026-01-01', offset)}T12:00:00Z`));
    const weeks = listMonthStarts(from).map(({ week }) => week);
    const gaps = weeks.slice(1).map((week, index) => week - (weeks[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3);
    expect(weeks.length).toBeGreaterThanOrEqual(11);
  }
});

const week = {
  from: '2026-01-05',
  to: '2026-01-09',
  start: 10,
  days: [{ day: '2026-01-07', reputation: 15 }],
};

test('repeats the reputation until it changes', () => {
  const days = listDailyReputation(week, '2025-03-01');
  expect(days.map(({ reputation }) => reputation)).toEqual([10, 10, 15, 15, 15]);
});

test('begins the reputation on the day before the member joined, or before the first vote if that is earlier', () => {
  const startOf = (joined: string) => listDailyReputation(week, joined)[0];
  expect(startOf('2026-01-06')).toEqual({ day: '2026-01-05', reputation: 10 });
  expect(startOf('2026-01-07')).toEqual({ day: '2026-01-06', reputation: 10 });
  expect(startOf('2026-01-09')).toEqual({ day: '2026-01-06', reputation: 10 });
  expect(listDailyReputation(week, '2026-01-05')).toHaveLength(5);
});

test('draws a line from the minimum at the bottom to the maximum at the top, and a level line for equal values', () => {
  expect(toLinePath([0, 5, 10])).toBe('M0 100L500 50L1000 0');
  expect(toLinePath([7, 7])).toBe('M0 50L1000 50');
  expect(toLinePath([7])).toBe('M0 50');
  expect(toLinePath([0, 10], 2)).toBe('M666.67 100L1000 0');
});

test('lists every week of a tag', () => {
  const weeks = listActivityWeeks({
    from: '2025-11-17',
    to: '2026-11-21',
    weeks: [{ week: '2025-11-24', questions: 1, answers: 3 }],
  });
  expect(weeks).toHaveLength(53);
  expect(weeks.slice(0, 2)).toEqual([
    { week: '2025-11-17', questions: 0, answers: 0 },
    { week: '2025-11-24', questions: 1, answers: 3 },
  ]);
  expect(weeks.at(-1)?.week).toBe('2026-11-16');
});

test('sums up the charts in sentences', () => {
  const days = [
    { day: '2026-03-04', total: 1 },
    { day: '2026-03-05', total: 1200 },
  ];
  expect(summarizeYear(days)).toBe('1,201 contributions on 2 days in the last year, the most on Mar 5, 2026');
  expect(summarizeYear(days.slice(0, 1))).toBe('1 contribution in the last year, on Mar 4, 2026');
  expect(summarizeYear([{ day: '2026-03-04', total: 0 }])).toBe('No activity in the last year');
  expect(contributionsText({ day: '2026-03-04', total: 0 })).toBe(
    'No contributions on Wednesday, March 4, 2026',
  );
  expect(summarizeReputation(0, 1200)).toBe('Reputation rose from 0 to 1,200 in the last year');
  expect(summarizeReputation(5, 3)).toBe('Reputation fell from 5 to 3 in the last year');
  expect(summarizeReputation(5, 5)).toBe('Reputation stayed at 5 over the last year');
  expect(summarizeTagActivity([{ week: '2026-03-02', questions: 1, answers: 0 }])).toBe(
    'In the last year: 1 question, 0 answers',
  );
  expect(summarizeTagActivity([])).toBe('No questions or answers in the last year');
});
