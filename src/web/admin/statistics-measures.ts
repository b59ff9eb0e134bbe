import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import type { PeriodStatistics, StatisticsUnit } from '#shared/admin/statistics.ts';
import { formatCount } from '#web/core/format.ts';

/** A number of each period. `valueOf` returns null where there is none, such as a median of nothing. */
export type Measure = {
  key: string;
  label: string;
  valueOf: (period: PeriodStatistics) => number | null;
  format: (value: number) => string;
};

/** The measures of the community; for a topic, only those about questions and answers. */
export function listMeasures(isOfTag: boolean): Measure[] {
  const measure = (
    key: string,
    label: string,
    valueOf: Measure['valueOf'],
    format = formatCount,
  ): Measure => ({
    key,
    label,
    valueOf,
    format,
  });
  const posts = [
    measure('questions', t`Questions`, (each) => each.questions),
    measure('answers', t`Answers`, (each) => each.answers),
    measure('answered', t`Questions answered`, toShare('answeredQuestions'), formatShare),
    measure('accepted', t`Questions with an accepted answer`, toShare('solvedQuestions'), formatShare),
    measure('firstAnswer', t`Time to the first answer`, (each) => each.firstAnswerSeconds, formatDuration),
  ];
  if (isOfTag) return posts;
  return [
    ...posts,
    measure('active', t`Active members`, ({ community }) => community?.activeMembers ?? 0),
    measure('new', t`New members`, ({ community }) => community?.newMembers ?? 0),
    measure('reports', t`Reports`, ({ community }) => community?.reports ?? 0),
    measure(
      'handling',
      t`Time to handle a report`,
      ({ community }) => community?.handlingSeconds ?? null,
      formatDuration,
    ),
    measure('actions', t`Moderation actions`, ({ community }) => community?.moderationActions ?? 0),
  ];
}

const toShare = (part: 'answeredQuestions' | 'solvedQuestions') => (period: PeriodStatistics) =>
  period.questions === 0 ? null : period[part] / period.questions;

export const formatShare = (share: number) =>
  share.toLocaleString(i18n.locale, { style: 'percent', maximumFractionDigits: 0 });

/** '45 min', '3.5 hr', '12 days' in the reader's language: hours from 90 minutes on, days from 48 hours on. */
export function formatDuration(seconds: number): string {
  const unit =
    seconds >= 2 * 86_400 ? 'day' : seconds >= 5_400 ? 'hour' : seconds >= 60 ? 'minute' : 'second';
  const count = seconds / { day: 86_400, hour: 3_600, minute: 60, second: 1 }[unit];
  const text = new Intl.NumberFormat(i18n.locale, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'day' ? 'long' : 'short',
    maximumFractionDigits: unit === 'hour' || unit === 'day' ? 1 : 0,
  }).format(count);
  // The number and its unit stay on one line.
  return text.replaceAll(' ', '\u00A0');
}

/** 'Nov 16, 2026' for days, 'Nov 16 – 22, 2026' for weeks, 'November 2026' for months. */
export function formatPeriod(unit: StatisticsUnit, start: string, lastDay: string): string {
  const form = new Intl.DateTimeFormat(
    i18n.locale,
    unit === 'month'
      ? { month: 'long', year: 'numeric', timeZone: 'UTC' }
      : { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  );
  const [from, to] = [new Date(`${start}T00:00:00Z`), new Date(`${lastDay}T00:00:00Z`)];
  return unit === 'week' ? form.formatRange(from, to) : form.format(from);
}
