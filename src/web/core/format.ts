import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The relative time (docs/product.md 16.2): minutes below 60, hours below 24, days up to 30, then the date. Below one
 * minute, and for times in the future, it is 'just now'.
 * @param time ISO 8601 or a Date.
 * @param now milliseconds since 1970.
 * @param timeZone of dates, such as 'UTC'; by default that of the reader.
 */
export function formatRelativeTime(time: string | Date, now: number, timeZone?: string): string {
  const elapsed = now - new Date(time).getTime();
  if (elapsed < minute) return t`just now`;
  if (elapsed < hour) return formatAgo(Math.floor(elapsed / minute), 'minute');
  if (elapsed < day) return formatAgo(Math.floor(elapsed / hour), 'hour');
  return elapsed > 30 * day ? formatDate(time, timeZone) : formatAgo(Math.floor(elapsed / day), 'day');
}

/**
 * The date on a question card (docs/product.md 10.4): days below 7, weeks below 30 days, then the date. On the first
 * day like `formatRelativeTime`.
 */
export function formatCardDate(time: string | Date, now: number, timeZone?: string): string {
  const date = new Date(time);
  const days = Math.floor((now - date.getTime()) / day);
  if (days < 7) return formatRelativeTime(date, now, timeZone);
  if (days < 30) return formatAgo(Math.floor(days / 7), 'week');
  return formatDate(date, timeZone);
}

/** 'Mar 4, 2024' in the reader's language and, by default, time zone. */
export function formatDate(time: string | Date, timeZone?: string): string {
  return getFormats().date(timeZone).format(new Date(time));
}

/** 'June 2016' in the reader's language, of a day such as '2016-06-03'. */
export function formatMonth(day: string): string {
  return getFormats().month().format(new Date(day));
}

/** The exact date and time for titles: 'Monday, March 4, 2024 at 6:05 PM', in the reader's language and time zone. */
export function formatDateTime(time: string | Date): string {
  return getFormats().dateTime().format(new Date(time));
}

function formatAgo(count: number, unit: 'minute' | 'hour' | 'day' | 'week'): string {
  return getFormats().ago().format(-count, unit);
}

/**
 * A short count: '1.2k' above 999, '1.2M' above 999,999, rounded down, so that 1,999 does not read '2k'. Other
 * languages shorten in their own way.
 */
export function formatShortCount(count: number): string {
  if (count < 1000) return formatCount(count);
  const digits = count < 100_000 || (count >= 1_000_000 && count < 100_000_000) ? 1 : 0;
  const short = getFormats().shortCount(digits).format(count);
  return i18n.locale === 'en' ? short.replace('K', 'k') : short;
}

/** '1,234' in the format of the reader's language. */
export function formatCount(count: number): string {
  return getFormats().count().format(count);
}

/** The formats of the current language. Each is created once, because that takes longer than its use. */
function getFormats(): Formats {
  if (formats?.locale !== i18n.locale) formats = createFormats(i18n.locale);
  return formats;
}

let formats: Formats | undefined;

type Formats = ReturnType<typeof createFormats>;

function createFormats(locale: string) {
  return {
    locale,
    date: once(
      (timeZone: string | undefined) =>
        new Intl.DateTimeFormat(locale, {
          day: 'numeric',
          month: 'short',
          year: 'numeric',
          ...(timeZone !== undefined && { timeZone }),
        }),
    ),
    month: once(() => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })),
    dateTime: once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' })),
    ago: once(() => new Intl.RelativeTimeFormat(locale)),
    count: once(() => new Intl.NumberFormat(locale)),
    shortCount: once(
      (maximumFractionDigits: number) =>
        new Intl.NumberFormat(locale, { notation: 'compact', roundingMode: 'floor', maximumFractionDigits }),
    ),
  };
}

/** Remembers the result for each argument. */
function once<Arguments extends [] | [string | number | undefined], Result>(
  create: (...of: Arguments) => Result,
): (...of: Arguments) => Result {
  const results = new Map<Arguments[0], Result>();
  return (...of) => {
    const known = results.get(of[0]) ?? create(...of);
    results.set(of[0], known);
    return known;
  };
}
