/**
 * Chromium lays out a word of 30,000 characters in the reading font in seconds, quadratic in its length, because it
 * shapes the rest of the word again for each line; 400 at a time take milliseconds.
 */
const maxWordLength = 400;
const longWord = new RegExp(`\\S{${maxWordLength}}(?=\\S)`, 'gu');

/** The text in parts between which a line may break: one, unless it holds a word that is far too long for a line. */
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
