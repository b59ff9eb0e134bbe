/**
 * In characters. Chromium needs seconds to lay out a word of 30,000 characters in the reading font, quadratic in its
 * length, because it shapes the rest of the word again for each line. Parts of 400 take milliseconds.
 */
const maxWordLength = 400;
const longWord = new RegExp(`\\S{${maxWordLength}}(?=\\S)`, 'gu');

/** Splits the text into parts between which a line may break. Only very long words are split. */
export function splitLongWords(text: string): { from: number; part: string }[] {
  const parts: { from: number; part: string }[] = [];
  let from = 0;
  if (text.length > maxWordLength) {
    for (const { index, 0: word } of text.matchAll(longWord)) {
      const to = index + word.length;
      parts.push({ from, part: text.slice(from, to) });
      from = to;
    }
  }
  return [...parts, { from, part: text.slice(from) }];
}
