/**
 * Rates how well the typed letters occur in a label in their order. Higher is better; letters that begin a word or
 * follow each other count most. Null if the label does not have them all.
 */
export function scoreFuzzyMatch(typed: string, label: string): number | null {
  const letters = fold(typed).replaceAll(' ', '');
  const text = fold(label);
  const exactIndex = text.indexOf(fold(typed));
  if (letters !== '' && exactIndex !== -1) return 1000 - exactIndex;
  let [score, at] = [0, 0];
  for (const letter of letters) {
    const start = text.indexOf(` ${letter}`, Math.max(0, at - 1));
    const found = text[at] === letter ? at : start === -1 ? text.indexOf(letter, at) : start + 1;
    if (found === -1) return null;
    if (found === 0 || text[found - 1] === ' ') score += 10;
    else if (found === at) score += 5;
    else score -= 1;
    at = found + letter.length;
  }
  return score;
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
