const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long ago something was (SPEC section 9): minutes when under 60, hours when under 24, else days.
 * Under a minute, and for a clock that is behind, it is 'just now'.
 * @param time ISO 8601 or a Date. @param now milliseconds since 1970.
 */
export function relativeTime(time: string | Date, now: number): string {
  const elapsed = now - new Date(time).getTime();
  if (elapsed < minute) return 'just now';
  if (elapsed < hour) return ago(Math.floor(elapsed / minute), 'minute');
  if (elapsed < day) return ago(Math.floor(elapsed / hour), 'hour');
  return ago(Math.floor(elapsed / day), 'day');
}

/**
 * The date on a question card (SPEC section 9): days under 7, weeks under 30 days, else the date. On the first day as
 * `relativeTime`.
 */
export function cardDate(time: string | Date, now: number, locale = 'en'): string {
  const date = new Date(time);
  const days = Math.floor((now - date.getTime()) / day);
  if (days < 7) return relativeTime(date, now);
  if (days < 30) return ago(Math.floor(days / 7), 'week');
  return shortDate(date, locale);
}

/** 'Mar 4, 2024', in the reader's time zone. */
export function shortDate(time: string | Date, locale = 'en'): string {
  return new Date(time).toLocaleDateString(locale, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The exact date and time, for titles: 'Monday, March 4, 2024 at 6:05 PM', in the reader's time zone. */
export function exactTime(time: string | Date, locale = 'en'): string {
  return new Date(time).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' });
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}
