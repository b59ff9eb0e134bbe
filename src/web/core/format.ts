import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long ago something was (docs/product.md 16.2): minutes when under 60, hours when under 24, else days; the date of what
 * is older than 30 days (docs/product.md 16.2). Under a minute, and for a clock that is behind, it is 'just now'.
 * @param time ISO 8601 or a Date. @param now milliseconds since 1970.
 */
export function formatRelativeTime(time: string | Date, now: number): string {
  const elapsed = now - new Date(time).getTime();
  if (elapsed < minute) return t`just now`;
  if (elapsed < hour) return formatAgo(Math.floor(elapsed / minute), 'minute');
  if (elapsed < day) return formatAgo(Math.floor(elapsed / hour), 'hour');
  return elapsed > 30 * day ? formatDate(time) : formatAgo(Math.floor(elapsed / day), 'day');
}

/**
 * The date on a question card (docs/product.md 10.4): days under 7, weeks under 30 days, else the date. On the first day as
 * `relativeTime`.
 */
export function formatCardDate(time: string | Date, now: number): string {
  const date = new Date(time);
  const days = Math.floor((now - date.getTime()) / day);
  if (days < 7) return formatRelativeTime(date, now);
  if (days < 30) return formatAgo(Math.floor(days / 7), 'week');
  return formatDate(date);
}

/** 'Mar 4, 2024', in the reader's language and time zone. */
export function formatDate(time: string | Date): string {
  return new Date(time).toLocaleDateString(i18n.locale, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The exact date and time, for titles: 'Monday, March 4, 2024 at 6:05 PM', in the reader's language and time zone. */
export function formatDateTime(time: string | Date): string {
  return new Date(time).toLocaleString(i18n.locale, { dateStyle: 'full', timeStyle: 'short' });
}

function formatAgo(count: number, unit: 'minute' | 'hour' | 'day' | 'week'): string {
  return new Intl.RelativeTimeFormat(i18n.locale).format(-count, unit);
}

/**
 * A count as it is shown: numbers over 999 read '1.2k', over 999,999 '1.2M'. Never rounded up, so that 1,999 does not
 * read '2k' before it is. Other languages shorten in their own way.
 */
export function formatShortCount(count: number): string {
  if (count < 1000) return formatCount(count);
  const maximumFractionDigits = count < 100_000 || (count >= 1_000_000 && count < 100_000_000) ? 1 : 0;
  const short = new Intl.NumberFormat(i18n.locale, {
    notation: 'compact',
    roundingMode: 'floor',
    maximumFractionDigits,
  });
  return i18n.locale === 'en' ? short.format(count).replace('K', 'k') : short.format(count);
}

/** '1,234', as the reader's language writes it. */
export function formatCount(count: number): string {
  return count.toLocaleString(i18n.locale);
}
