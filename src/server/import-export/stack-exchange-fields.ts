import { truncate } from '#shared/core/text.ts';
import { sanitizeName } from '#shared/identity/display-names.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import { cleanLine } from './stack-exchange-characters.ts';

/** Placeholder for the site in links until the site of the archive is known; never resolves (RFC 2606). */
export const unknownSiteUrl = 'https://archive-site.invalid';

/** Returns an integer, null if the text is not one. */
export function parseInteger(text: string | undefined): number | null {
  if (text === undefined || !/^-?\d{1,15}$/u.test(text)) return null;
  return Number(text);
}

/** Later times are damaged: the clocks of sites differ less. A question of the year 9999 would always be the newest one. */
const latest = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();

/**
 * Returns a time, null if the text is not one or later than tomorrow. Archives write UTC without a zone; very old ones have
 * only dates for votes.
 */
export function parseTime(text: string | undefined): string | null {
  // PostgreSQL has no year 0.
  const match = /^((?!0000)\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,7})?))?Z?$/u.exec(text ?? '');
  if (match === null) return null;
  const [, day, clock = '00:00:00'] = match;
  const date = new Date(`${day}T${clock}Z`);
  if (Number.isNaN(date.getTime())) return null;
  const time = date.toISOString();
  return time > latest ? null : time;
}

/** Returns the name of a member or author, null if the archive has none. */
export function parsePersonName(text: string | undefined): string | null {
  const name = truncate(cleanLine(text ?? ''), limits.displayNameMax);
  return name === '' ? null : name;
}

/** Returns the place where a member lives, null if the archive has none. */
export function parseLocation(text: string | undefined): string | null {
  const location = truncate(sanitizeName(cleanLine(text ?? '')), limits.location);
  return location === '' ? null : location;
}

/** Parses tags as archives write them: `<a><b>`, and `|a|b|` since 2024. */
export function parseTags(text: string | undefined): string[] {
  if (text === undefined) return [];
  return normalizeTags((text.includes('<') ? text.split(/[<>]/u) : text.split('|')).map(cleanLine));
}

/**
 * Returns the licence of a text; of one without an explicit licence, by its creation time
 * (https://stackoverflow.com/help/licensing).
 */
export function parseLicense(text: string | undefined, created: string): string {
  const license = truncate(cleanLine(text ?? ''), serverLimits.importedLicense);
  if (license !== '') return license;
  if (created < '2011-04-08') return 'CC BY-SA 2.5';
  return created < '2018-05-02' ? 'CC BY-SA 3.0' : 'CC BY-SA 4.0';
}
