import { decodeNamedCharacterReference } from 'decode-named-character-reference';

/**
 * Prepares a multi-line text for storage: LF line ends, without characters that PostgreSQL or a page cannot contain
 * (`#shared/core/text.ts`).
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/gu, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '');
}

/** Prepares a single-line text, such as a title or a name. */
export function cleanLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Prepares the description of a tag: a line that may have several spaces in a row, as moderators can write it. */
export function cleanDescription(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Replaces HTML's character references with the characters. */
export function decodeCharacterReferences(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));/gu,
    (reference: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return decodeNamedCharacterReference(name) || reference;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}

/** A line that does not start like a list or code. */
const plainLine = /^(?! {4}|\t| {0,3}(?:[-+]|\d+[.)])).*$/u;

/** Whether a text has no Markdown syntax. */
export function isPlain(markdown: string): boolean {
  if (/[<>*_`#&|~[\]\\=@]|:\/\/|www\./u.test(markdown)) return false;
  return markdown.split('\n').every((line) => plainLine.test(line));
}
