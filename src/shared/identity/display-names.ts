import { hasControlCharacters } from '#shared/core/text.ts';

/**
 * Scripts whose letters change shape, or whose words change meaning, when letters are joined or not (RFC 5892, appendix
 * A.1).
 */
const joining = ['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Mandaic', 'Adlam', 'Hanifi_Rohingya'];
const indic = [
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
  'Tibetan',
];
const scripts = (names: readonly string[]) => names.map((name) => `\\p{Script=${name}}`).join('');

/** Invisible characters that are valid in a name, each after the characters that require it. */
const allowedInvisible = [
  // Zero width non-joiner, in Persian and Indian names.
  new RegExp(
    `([${scripts([...joining, ...indic])}\\p{M}])\\u200C(?=[${scripts([...joining, ...indic])}])`,
    'gu',
  ),
  // Zero width joiner, in Sinhala and Malayalam names, and in composed emoji.
  new RegExp(`([${scripts(indic)}])\\u200D(?=[${scripts(indic)}]| |$)`, 'gu'),
  /(\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)\u200D(?=\p{Extended_Pictographic})/gu,
  // Variation selectors: colour emoji, and forms of Chinese characters in Japanese names.
  /(\p{Extended_Pictographic})\uFE0F/gu,
  /(\p{Unified_Ideograph})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu,
];

/** Characters that are invisible or change the text direction; U+2800 is an empty Braille pattern. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Combining marks for Latin, Greek and Cyrillic letters, and for any letters. */
const diacritics = '\\u0300-\\u036F\\u1AB0-\\u1AFF\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F';

/** Marks through or around a letter, which no name has. */
const overlays = /[\u0334-\u0338\u20D0-\u20FF\p{Me}]/gu;

/** Returns the canonical form of a name: composed, with single plain spaces. */
export function normalizeName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim();
}

/**
 * Whether a normalized name has invisible characters, characters that change the text direction, or more stacked marks
 * than any language uses (UTS 39, section 5.4).
 */
export function isDeceptiveName(name: string): boolean {
  if (hasControlCharacters(name)) return true;
  const visible = allowedInvisible.reduce((text, pattern) => text.replaceAll(pattern, '$1'), name);
  if (visible.search(invisible) !== -1 || !/[\p{L}\p{N}\p{S}\p{P}]/u.test(visible)) return true;
  return hasStackedMarks(visible);
}

function hasStackedMarks(name: string): boolean {
  const apart = name.normalize('NFD');
  if (/(?:^| )\p{M}/u.test(name) || name.search(overlays) !== -1) return true;
  if (/[\p{Mn}\p{Me}]{5}/u.test(apart) || /(\p{Mn})\1/u.test(apart)) return true;
  // Normalization has already composed the marks of Vietnamese and Greek with their letters.
  if (new RegExp(`[${diacritics}]{3}`, 'u').test(name)) return true;
  const marks = name.match(new RegExp(`[${diacritics}]`, 'gu'))?.length ?? 0;
  return marks > 2 && marks >= (name.match(/\p{L}/gu)?.length ?? 0);
}

/** Returns the name without deceptive characters. */
export function sanitizeName(name: string): string {
  const tidy = normalizeName(name.toWellFormed());
  if (!isDeceptiveName(tidy)) return tidy;
  const visible = tidy
    .replaceAll(/\p{Zl}|\p{Zp}|\p{Cc}/gu, ' ')
    .replaceAll(invisible, '')
    .replaceAll(overlays, '');
  return normalizeName(visible.replaceAll(/(^| )\p{M}+/gu, '$1').replaceAll(/(\p{M})\p{M}+/gu, '$1'));
}
