/** Returns the length of a text in Unicode code points, not UTF-16 units. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Returns the first `max` code points of a text. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  return Array.from(text).slice(0, max).join('');
}

/** Returns a text of at most `max` code points; a longer one is cut and ends with '…'. */
export function truncateWithEllipsis(text: string, max: number): string {
  return countCodePoints(text) <= max ? text : `${truncate(text, max - 1)}…`;
}

/** The same, cut between two words if one ends in the second half. */
export function truncateAtWord(text: string, max: number): string {
  if (countCodePoints(text) <= max) return text;
  const cut = truncate(text, max - 1);
  const words = /^(.*\S)\s/su.exec(truncate(text, max))?.[1] ?? '';
  return `${words.length > cut.length / 2 ? words : cut}…`;
}

/**
 * Whether a text has characters that cannot be stored or shown safely: NUL (PostgreSQL refuses it), other control
 * characters except tab and line breaks, or lone surrogates (not representable in UTF-8).
 */
export function hasForbiddenCharacters(text: string): boolean {
  return /[^\P{Cc}\t\n\r]/u.test(text) || !text.isWellFormed();
}

/** Whether a single-line text has control characters of any kind. */
export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}

/** Whether a text has more than spaces and characters that are invisible; U+2800 is an empty Braille pattern. */
export function hasVisibleCharacters(text: string): boolean {
  return /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** Returns the key of a tag: tags with equal keys are the same tag, without case. */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** The direction of texts in a language (BCP 47). */
export function getTextDirection(language: string): 'ltr' | 'rtl' {
  return ['ar', 'fa', 'he', 'ur'].includes(new Intl.Locale(language).language) ? 'rtl' : 'ltr';
}
