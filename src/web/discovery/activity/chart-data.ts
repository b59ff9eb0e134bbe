import {
  addDays,
  countDays,
  type MemberActivity,
  type MemberReputation,
  type TagActivity,
  weeksShown,
} from '#shared/discovery/activity.ts';

/** One day of a year, also without activity. */
export type ActivityDay = { day: string; questions: number; answers: number; replies: number; total: number };

/** Every day of the year, starting on a Monday. */
export function listActivityDays({ from, to, days }: MemberActivity): ActivityDay[] {
  const byDay = new Map(days.map((each) => [each.day, each]));
  return Array.from({ length: countDays(from, to) }, (_, index) => {
    const day = addDays(from, index);
    const { questions = 0, answers = 0, replies = 0 } = byDay.get(day) ?? {};
    return { day, questions, answers, replies, total: questions + answers + replies };
  });
}

/** The level of a day by its share of the maximum, in quarters; 0 only for a count of zero. */
export function toHeatLevel(count: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (count <= 0) return 0;
  const quarter = Math.min(4, Math.ceil((count / most) * 4));
  return quarter === 1 ? 1 : quarter === 2 ? 2 : quarter === 3 ? 3 : 4;
}

/** The positions of the month labels: the first week that begins in each month, without labels that would overlap. */
export function listMonthStarts(from: string): { week: number; day: string }[] {
  const starts: { week: number; day: string }[] = [];
  for (let week = 0; week < weeksShown; week++) {
    const day = addDays(from, week * 7);
    const before = addDays(day, -7);
    if (week > 0 && day.slice(0, 7) === before.slice(0, 7)) continue;
    // The first month may have only a few days in the chart.
    if (starts.length === 1 && week < 3) starts.pop();
    if (week <= weeksShown - 2) starts.push({ week, day });
  }
  return starts;
}

/**
 * The reputation at the end of every day of the year, from the day before the member joined.
 * @param joined the day on which the member joined
 */
export function listDailyReputation({ from, to, start, days }: MemberReputation, joined: string) {
  const byDay = new Map(days.map((each) => [each.day, each.reputation]));
  // Votes can be older than an account that was imported.
  const known = [joined, days[0]?.day ?? joined].toSorted()[0] ?? joined;
  const first = known > from ? addDays(known, -1) : from;
  let reputation = start;
  return Array.from({ length: countDays(first, to) }, (_, index) => {
    const day = addDays(first, index);
    reputation = byDay.get(day) ?? reputation;
    return { day, reputation };
  });
}

/** Every week of the year, including weeks without activity. */
export function listActivityWeeks({ from, weeks }: TagActivity) {
  const byWeek = new Map(weeks.map((each) => [each.week, each]));
  return Array.from({ length: weeksShown }, (_, index) => {
    const week = addDays(from, index * 7);
    const { questions = 0, answers = 0 } = byWeek.get(week) ?? {};
    return { week, questions, answers };
  });
}

/**
 * A line through the values as an SVG path in a box of 1000 by 100, with the maximum at the top; level if all values
 * are equal.
 * @param skipped the number of positions before the first value
 */
export function toLinePath(values: readonly number[], skipped = 0): string {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  const last = Math.max(1, skipped + values.length - 1);
  return values
    .map((value, index) => {
      const x = round(((skipped + index) / last) * 1000);
      const y = round(range === 0 ? 50 : 100 - ((value - least) / range) * 100);
      return `${x} ${y}`;
    })
    .join('L')
    .replace(/^/u, 'M');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
