import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { formatCount } from '#web/core/format.ts';

/** The texts of the charts. Days are dates like '2026-03-04' in UTC. */

export function formatDay(day: string, style: 'full' | 'medium' | 'month' = 'medium'): string {
  const date = new Date(`${day}T00:00:00Z`);
  const form: Intl.DateTimeFormatOptions = style === 'month' ? { month: 'short' } : { dateStyle: style };
  return date.toLocaleDateString(i18n.locale, { ...form, timeZone: 'utc' });
}

export function contributionsText({ day, total }: { day: string; total: number }): string {
  const on = formatDay(day, 'full');
  if (total === 0) return t`No contributions on ${on}`;
  return plural(total, { one: `# contribution on ${on}`, other: `# contributions on ${on}` });
}

export function summarizeYear(days: readonly { day: string; total: number }[]): string {
  const all = days.reduce((sum, { total }) => sum + total, 0);
  const active = days.filter(({ total }) => total > 0);
  const [busiest] = active.toSorted((a, b) => b.total - a.total);
  if (busiest === undefined) return t`No activity in the last year`;
  const on = formatDay(busiest.day);
  if (active.length === 1)
    return plural(all, {
      one: `# contribution in the last year, on ${on}`,
      other: `# contributions in the last year, on ${on}`,
    });
  const dayCount = formatCount(active.length);
  return plural(all, {
    one: `# contribution on ${dayCount} days in the last year, the most on ${on}`,
    other: `# contributions on ${dayCount} days in the last year, the most on ${on}`,
  });
}

export function reputationText({ day, reputation }: { day: string; reputation: number }): string {
  const on = formatDay(day, 'full');
  const formatted = formatCount(reputation);
  return t`${formatted} reputation on ${on}`;
}

export function summarizeReputation(start: number, end: number): string {
  const [from, to] = [formatCount(start), formatCount(end)];
  if (start === end) return t`Reputation stayed at ${to} over the last year`;
  return end > start
    ? t`Reputation rose from ${from} to ${to} in the last year`
    : t`Reputation fell from ${from} to ${to} in the last year`;
}

type Week = { week: string; questions: number; answers: number };

export function describeWeek({ week, questions, answers }: Week): string {
  const on = formatDay(week);
  const questionCount = questionsText(questions);
  const answerCount = answersText(answers);
  return t`Week of ${on}: ${questionCount}, ${answerCount}`;
}

export function summarizeTagActivity(weeks: readonly Week[]): string {
  const sum = (part: 'questions' | 'answers') => weeks.reduce((total, week) => total + week[part], 0);
  const [questions, answers] = [sum('questions'), sum('answers')];
  if (questions + answers === 0) return t`No questions or answers in the last year`;
  const questionCount = questionsText(questions);
  const answerCount = answersText(answers);
  return t`In the last year: ${questionCount}, ${answerCount}`;
}

const questionsText = (count: number) => plural(count, { one: '# question', other: '# questions' });
const answersText = (count: number) => plural(count, { one: '# answer', other: '# answers' });
