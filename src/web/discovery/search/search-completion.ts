/** What stands before the caret and can be completed: from `start` on, with what of its value is written so far. */
export type OperatorCompletion = {
  kind: 'tag' | 'user' | 'is' | 'score' | 'answers' | 'views' | 'created';
  start: number;
  typed: string;
};

/** The operator that is being typed; null while it is none. @param before the query up to the caret. */
export function findCompletion(before: string): OperatorCompletion | null {
  const bracket = /(?:^|\s|\])(-?\[([^[\]]*))$/u.exec(before);
  if (bracket !== null)
    return { kind: 'tag', start: before.length - (bracket[1] ?? '').length, typed: bracket[2] ?? '' };
  const named = /(?:^|\s)(-?(tag|user|is|score|answers|views|created):(?:"([^"]*)|([^\s"]*)))$/iu.exec(
    before,
  );
  if (named === null) return null;
  return {
    kind: (named[2] ?? '').toLowerCase() as OperatorCompletion['kind'],
    start: before.length - (named[1] ?? '').length,
    typed: named[3] ?? named[4] ?? '',
  };
}

/** The query with what was being typed in the place of the caret replaced, and where the caret then stands. */
export function applyCompletion(
  query: string,
  { caret, start, by }: { caret: number; start: number; by: string },
) {
  const minus = query[start] === '-' ? '-' : '';
  const rest = query
    .slice(caret)
    .replace(/^[^\s[]*/u, '')
    .trimStart();
  const text = `${query.slice(0, start)}${minus}${by}`;
  // What ends in its sign waits for a value.
  const space = /[:[]$/u.test(by) ? '' : ' ';
  return { text: `${text}${space}${rest}`, caret: text.length + space.length };
}

export function formatTagTerm(tag: string): string {
  return /[[\]]/u.test(tag) ? `tag:"${tag}"` : `[${tag}]`;
}

/** A name that is no word of letters is said by its number or in quotation marks. */
export function formatUserTerm({ id, displayName }: { id: number; displayName: string }): string {
  if (/["“”„]/u.test(displayName) || /^\d+$/u.test(displayName) || /^me$/iu.test(displayName))
    return `user:${id}`;
  return /\s/u.test(displayName) ? `user:"${displayName}"` : `user:${displayName}`;
}
