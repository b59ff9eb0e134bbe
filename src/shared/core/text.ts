/** The length of a text as members see it: Unicode code points, not UTF-16 units. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first `max` code points of a text; never half a character. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  return Array.from(text).slice(0, max).join('');
}

/** A text of at most `max` code points; one that was longer ends with '…'. */
export function truncateWithEllipsis(text: string, max: number): string {
  return countCodePoints(text) <= max ? text : `${truncate(text, max - 1)}…`;
}

/**
 * What cannot be stored or shown safely: NUL (PostgreSQL refuses it), other control characters except tab and
 * line breaks, and lone surrogates (not representable in UTF-8).
 */
export function hasForbiddenCharacters(text: string): boolean {
  return /[^\P{Cc}\t\n\r]/u.test(text) || !text.isWellFormed();
}

/** Control characters of any kind, for texts of one line. */
export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}

/** Two tags are the same topic when their keys are equal: compared without case. */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}
