/** The maximum length of a slug in code points. */
const maxSlugLength = 60;

/** A slug is cut between two words only if it keeps at least this many code points. */
const minCutLength = 30;

/** A letter or digit of any script, and what follows it in the same word. */
const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * The readable part of a question's address, from its title: 'why-does-metal-feel-colder'. Letters of every script stay
 * (docs/decisions/056); Latin ones lose their accents. Empty if the title has neither letters nor digits.
 */
export function createSlug(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    // "Don't" is one word.
    .replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, '');
  const points = Array.from((plain.match(word) ?? []).join('-'));
  if (points.length <= maxSlugLength) return points.join('');
  const cut = points.slice(0, maxSlugLength);
  const wordEnd = points[maxSlugLength] === '-' ? maxSlugLength : cut.lastIndexOf('-');
  return cut.slice(0, wordEnd < minCutLength ? maxSlugLength : wordEnd).join('');
}

/**
 * The canonical path of a question's page, percent-encoded: '/question/5/why-does-metal-feel-colder'. Without a title
 * the short path, which redirects to it.
 */
export function questionPath(id: number, title = ''): string {
  const slug = createSlug(title);
  return `/question/${id}${slug === '' ? '' : `/${encodeURIComponent(slug)}`}`;
}

/** The path of an answer: the question's page, scrolled to the answer and with the answer marked. */
export function answerPath(answer: { questionId: number; id: number }, questionTitle = ''): string {
  return `${questionPath(answer.questionId, questionTitle)}#answer-${answer.id}`;
}
