/**
 * How well the letters of what is typed stand, in their order, in a label: more is better, and letters that begin words or
 * follow each other count most. Null where they do not all stand in it.
 */
export function scoreFuzzyMatch(typed: string, label: string): number | null {
  const letters = fold(typed).replaceAll(' ', '');
  const text = fold(label);
  const whole = text.indexOf(fold(typed));
  if (letters !== '' && whole !== -1) return 1000 - whole;
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
