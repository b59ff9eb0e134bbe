/** Reads a time of a forum. Returns null for a text that is none. */
type ReadTime = (text: string) => string | null;

/** Unix times are in seconds up to this number (the year 5138), above in milliseconds. */
const maxSeconds = 99_999_999_999;

/** Parts of a format, with the digits that they take. */
const parts = { YYYY: 4, YY: 2, MM: 2, DD: 2, HH: 2, mm: 2, ss: 2 } as const;
type Part = keyof typeof parts;

/**
 * Creates a reader of times. Without a format, it reads Unix times and ISO 8601, also with a space: '2020-01-31 10:00:00'. A
 * format names the parts: 'DD.MM.YYYY HH:mm'. Times without a zone are in UTC.
 */
export function createTimeReader(format: string | undefined): ReadTime {
  if (format === undefined) return (text) => readUnixTime(text) ?? readIsoTime(text);
  const names: Part[] = [];
  const pattern = format
    .split(/(YYYY|YY|MM|DD|HH|mm|ss)/u)
    .map((piece) => {
      if (!Object.hasOwn(parts, piece)) return piece.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`);
      names.push(piece as Part);
      return parts[piece as Part] === 4 ? String.raw`(\d{4})` : String.raw`(\d{1,2})`;
    })
    .join('');
  const matcher = new RegExp(`^${pattern}$`, 'u');
  return (text) => {
    const match = matcher.exec(text);
    if (match === null) return null;
    const values = Object.fromEntries(names.map((name, index) => [name, Number(match[index + 1])]));
    return toTime([
      values['YYYY'] ?? 2000 + (values['YY'] ?? 0),
      values['MM'] ?? 1,
      values['DD'] ?? 1,
      values['HH'] ?? 0,
      values['mm'] ?? 0,
      values['ss'] ?? 0,
    ]);
  };
}

/** Whether a format has at least the year, the month and the day. */
export const isTimeFormat = (format: string) => ['YY', 'MM', 'DD'].every((part) => format.includes(part));

function readUnixTime(text: string): string | null {
  if (!/^\d{1,13}$/u.test(text)) return null;
  const number = Number(text);
  return new Date(number > maxSeconds ? number : number * 1000).toISOString();
}

function readIsoTime(text: string): string | null {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/u.exec(
      text,
    );
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const time = toTime([year, month, day, hour, minute, second].map((part) => part ?? 0));
  if (time === null) return null;
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  return new Date(Date.parse(time) + milliseconds - readOffset(match[8])).toISOString();
}

function readOffset(zone: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/u.exec(zone ?? '');
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 60_000;
}

/** A day such as 31 February is no time. */
function toTime([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]):
  | string
  | null {
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isSame =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute;
  return isSame ? date.toISOString() : null;
}
