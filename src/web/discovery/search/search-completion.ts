import { isMeOrId } from '#shared/discovery/search-query.ts';

/** An operator before the caret that can be completed: its start and its value typed so far. */
export type OperatorCompletion = {
  kind: 'tag' | 'user' | 'is' | 'score' | 'answers' | 'views' | 'created';
  start: number;
  typed: string;
};

/**
 * The operator being typed; null if there is none.
 * @param before the query up to the caret.
 */
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

/** Replaces the operator being typed and returns the new query and caret position. */
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
  // An operator that ends with its sign needs a value next.
  const space = /[:[]$/u.test(by) ? '' : ' ';
  return { text: `${text}${space}${rest}`, caret: text.length + space.length };
}

export function formatTagTerm(tag: string): string {
  return /[[\]]/u.test(tag) ? `tag:"${tag}"` : `[${tag}]`;
}

/** The `user:` operator for a member: the name, quoted if it is not a plain word, or the id. */
export function formatUserTerm({ id, displayName }: { id: number; displayName: string }): string {
  if (/["“”„]/u.test(displayName)) return `user:${id}`;
  return /\s/u.test(displayName) || isMeOrId(displayName) ? `user:"${displayName}"` : `user:${displayName}`;
}
