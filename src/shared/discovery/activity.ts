import { z } from 'zod';

/** A day in UTC: '2026-03-04'. */
export const day = z.iso.date();

const count = z.int().nonnegative();
const span = { from: day, to: day };

/** Weeks a picture shows: a whole year, and the one that is going on. */
export const weeksShown = 53;

/** What a member wrote on each day of a year; days without anything are left out. */
export const memberActivity = z.object({
  ...span,
  days: z.array(z.object({ day, questions: count, answers: count, replies: count })),
});
export type MemberActivity = z.infer<typeof memberActivity>;

/**
 * A member's reputation over a year, as the votes that stand today give it: at the end of each day on which it changed.
 * Never below 0.
 */
export const memberReputation = z.object({
  ...span,
  /** Before the first day. */
  start: count,
  days: z.array(z.object({ day, reputation: count })),
});
export type MemberReputation = z.infer<typeof memberReputation>;

/** The questions looked at for the picture of a topic whose sums are still to be made: its newest. */
export const maxTagQuestionsCounted = 20_000;

/** What happened in a topic in each week of a year, which begin on Mondays; weeks without anything are left out. */
export const tagActivity = z.object({
  ...span,
  weeks: z.array(z.object({ week: day, questions: count, answers: count })),
  /** False where the topic has more questions than are looked at, for a while after an upgrade. */
  complete: z.boolean(),
});
export type TagActivity = z.infer<typeof tagActivity>;

/** The year that ends with the day of `now`, in UTC: from a Monday on, 53 weeks of which the last may be going on. */
export function getYearUntil(now: Date): { from: string; to: string } {
  const to = now.toISOString().slice(0, 10);
  return { from: addDays(getMonday(to), -7 * (weeksShown - 1)), to };
}

/** The Monday of a day's week. */
export function getMonday(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The days from one to another, both included. */
export function countDays(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1;
}
