import { z } from 'zod';
import { time } from '#shared/core/fields.ts';
import { addDays, day, getMonday } from '#shared/discovery/activity.ts';

export const statisticsUnit = z.enum(['day', 'week', 'month']);
export type StatisticsUnit = z.infer<typeof statisticsUnit>;

/** Periods in a chart, including the current one. */
export const periodsShown: Readonly<Record<StatisticsUnit, number>> = { day: 30, week: 26, month: 24 };

/** Days for which searches without results are stored. */
export const emptySearchDays = 90;

const count = z.int().nonnegative();
const seconds = z.int().nonnegative().nullable();

const postCounts = {
  questions: count,
  /** Of these questions, those that have an answer by now. */
  answeredQuestions: count,
  /** Of these questions, those that have an accepted answer by now. */
  solvedQuestions: count,
  /** The median time until the first answer by another author. Null without one. */
  firstAnswerSeconds: seconds,
  answers: count,
};

export const periodStatistics = z.object({
  /** The first day in UTC. Weeks start on Monday. */
  start: day,
  ...postCounts,
  /** What is counted for the whole community only. Null for a tag. */
  community: z
    .object({
      /** Authors of questions, answers and replies. */
      activeMembers: count,
      newMembers: count,
      reports: count,
      handledReports: count,
      /** The median time from a report to the decision. */
      handlingSeconds: seconds,
      moderationActions: count,
    })
    .nullable(),
});
export type PeriodStatistics = z.infer<typeof periodStatistics>;

/** One period more than a chart shows, to compare the first one; the oldest comes first, the last is the current one. */
export const statistics = z.object({
  unit: statisticsUnit,
  /** When the job counted last. Null before the first time. */
  countedAt: time.nullable(),
  periods: z.array(periodStatistics),
});
export type Statistics = z.infer<typeof statistics>;

export const tagStatistics = z.object({
  start: day,
  items: z.array(
    z.object({
      tag: z.string(),
      ...postCounts,
      /** Questions of the period before. */
      questionsBefore: count,
    }),
  ),
});
export type TagStatistics = z.infer<typeof tagStatistics>;

export const emptySearches = z.object({
  items: z.array(z.object({ query: z.string(), searches: count, lastDay: day })),
});
export type EmptySearches = z.infer<typeof emptySearches>;

/** Returns the first day of the period that a day is in. */
export function getPeriodStart(unit: StatisticsUnit, day: string): string {
  if (unit === 'day') return day;
  return unit === 'week' ? getMonday(day) : `${day.slice(0, 7)}-01`;
}

/** Returns the first day of a later period; of an earlier one if `by` is negative. */
export function addPeriods(unit: StatisticsUnit, start: string, by: number): string {
  if (unit !== 'month') return addDays(start, unit === 'week' ? by * 7 : by);
  const date = new Date(`${start}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 10);
}
