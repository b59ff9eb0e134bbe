import {
  addDays,
  countDays,
  type MemberActivity,
  type MemberReputation,
  type TagActivity,
  weeksShown,
} from '#shared/discovery/activity.ts';

/** One day of a year, also where nothing happened. */
export type ActivityDay = { day: string; questions: number; answers: number; replies: number; total: number };

/** Every day of the year, from a Monday on. */
export function listActivityDays({ from, to, days }: MemberActivity): ActivityDay[] {
  const byDay = new Map(days.map((each) => [each.day, each]));
  return Array.from({ length: countDays(from, to) }, (_, index) => {
    const day = addDays(from, index);
    const { questions = 0, answers = 0, replies = 0 } = byDay.get(day) ?? {};
    return { day, questions, answers, replies, total: questions + answers + replies };
  });
}

/** How much of the most of a year's days a day has, in quarters; 0 only for nothing. */
export function toHeatLevel(count: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (count <= 0) return 0;
  const quarter = Math.min(4, Math.ceil((count / most) * 4));
  return quarter === 1 ? 1 : quarter === 2 ? 2 : quarter === 3 ? 3 : 4;
}

/** Where the names of months stand: the first week that begins in each, but for two that would run into each other. */
export function listMonthStarts(from: string): { week: number; day: string }[] {
  const starts: { week: number; day: string }[] = [];
  for (let week = 0; week < weeksShown; week++) {
    const day = addDays(from, week * 7);
    const before = addDays(day, -7);
    if (week > 0 && day.slice(0, 7) === before.slice(0, 7)) continue;
    // The first one may hold a few days of its month only.
    if (starts.length === 1 && week < 3) starts.pop();
    if (week <= weeksShown - 2) starts.push({ week, day });
  }
  return starts;
}

/** The reputation at the end of every day of the year. */
export function listDailyReputation({ from, to, start, days }: MemberReputation) {
  const byDay = new Map(days.map((each) => [each.day, each.reputation]));
  let reputation = start;
  return Array.from({ length: countDays(from, to) }, (_, index) => {
    const day = addDays(from, index);
    reputation = byDay.get(day) ?? reputation;
    return { day, reputation };
  });
}

/** Every week of the year, also those in which nothing happened. */
export function listActivityWeeks({ from, weeks }: TagActivity) {
  const byWeek = new Map(weeks.map((each) => [each.week, each]));
  return Array.from({ length: weeksShown }, (_, index) => {
    const week = addDays(from, index * 7);
    const { questions = 0, answers = 0 } = byWeek.get(week) ?? {};
    return { week, questions, answers };
  });
}

/** A line through values as an SVG path in a box of 1000 by 100, highest at the top; level where all are the same. */
export function toLinePath(values: readonly number[]): string {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  const last = Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const x = round((index / last) * 1000);
      const y = round(range === 0 ? 50 : 100 - ((value - least) / range) * 100);
      return `${x} ${y}`;
    })
    .join('L')
    .replace(/^/u, 'M');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
