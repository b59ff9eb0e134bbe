import { z } from 'zod';

/** A day in UTC: '2026-03-04'. */
export const day = z.iso.date();

const count = z.int().nonnegative();
const span = { from: day, to: day };

/** Weeks in a chart: a whole year, and the current week. */
export const weeksShown = 53;

/** A member's posts on each day of a year; days without posts are left out. */
export const memberActivity = z.object({
  ...span,
  days: z.array(z.object({ day, questions: count, answers: count, replies: count })),
});
export type MemberActivity = z.infer<typeof memberActivity>;

/**
 * A member's reputation over a year, from the present votes: the value at the end of each day on which it changed.
 * Never below 0.
 */
export const memberReputation = z.object({
  ...span,
  /** The value before the first day. */
  start: count,
  days: z.array(z.object({ day, reputation: count })),
});
export type MemberReputation = z.infer<typeof memberReputation>;

/** The activity of a tag in each week of a year; weeks start on Monday. Weeks without activity are left out. */
export const tagActivity = z.object({
  ...span,
  weeks: z.array(z.object({ week: day, questions: count, answers: count })),
});
export type TagActivity = z.infer<typeof tagActivity>;

/** Returns the year that ends with the day of `now`, in UTC: from a Monday, 53 weeks including the current one. */
export function getYearUntil(now: Date): { from: string; to: string } {
  const to = now.toISOString().slice(0, 10);
  return { from: addDays(getMonday(to), -7 * (weeksShown - 1)), to };
}

/** Returns the Monday of a day's week. */
export function getMonday(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** Returns the number of days from one to another, inclusive. */
export function countDays(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1;
}
