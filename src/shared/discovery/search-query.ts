import { normalizeTag } from '#shared/posts/tags.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints } from '#shared/core/text.ts';

/** A term of a query with its position in UTF-16 units: `source` is the query from `start` to `end`. */
export type SearchTerm = Term & { source: string; start: number; end: number };

export type Term =
  | { kind: 'word' | 'phrase'; text: string; excluded: boolean; problem?: TermProblem }
  | { kind: 'tag'; tag: string; excluded: boolean }
  /** `user`: 'me', an id in digits, or a name. `isName`: 'me' or digits in quotation marks, which mean a name. */
  | { kind: 'user'; user: string; isName?: true; excluded: boolean }
  | { kind: 'is'; is: StatusFilter }
  | ({ kind: 'number'; field: NumberField } & Range<number>)
  | ({ kind: 'created' } & Range<Moment>);

/**
 * Why an apparent operator is treated as plain words: the operator is unknown, its value is invalid, there is nothing
 * to exclude the word from, or the phrase is too short.
 */
export type TermProblem = 'unknown-operator' | 'broken-value' | 'only-exclusions' | 'short-phrase';

export type StatusFilter = 'question' | 'answer' | 'answered' | 'unanswered' | 'solved';
export type NumberField = 'score' | 'answers' | 'views';

/** For numbers, both ends are inclusive; for times, `to` is exclusive. Null means unbounded. */
export type Range<Of> = { from: Of | null; to: Of | null };

/** A point in time: ISO 8601 in UTC, or a duration before now. */
export type Moment = { at: string } | { ago: number; unit: Unit };
type Unit = 'h' | 'd' | 'w' | 'm' | 'y';

/** The names of operators, as suggested while typing. */
export const operatorNames = ['tag', 'user', 'is', 'score', 'answers', 'views', 'created'] as const;
type OperatorName = (typeof operatorNames)[number];

/**
 * Parses a query: `[tag]`, `tag:`, `user:`, `is:`, `score:5`, `answers:0`, `views:100..`, `created:2024..`, `"phrase"`,
 * `-word`, and plain words. Every text is a valid query: everything else is words, as typed.
 */
export function parseSearch(query: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  let at = 0;
  while (at < query.length) {
    const space = match(/\s+/uy, query, at);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const token = phraseAt(query, at) ?? tagAt(query, at) ?? operatorAt(query, at) ?? wordAt(query, at);
    const end = at + token.length;
    terms.push({ ...token.term, source: query.slice(at, end), start: at, end });
    at = end;
  }
  return withoutOnlyExclusions(terms);
}

/** Whether a term is more than a plain word. */
export function isOperator(term: Term): boolean {
  return !(term.kind === 'word' && !term.excluded);
}

/** Returns the query without one of its terms. */
export function removeTerm(query: string, { start, end }: SearchTerm): string {
  return `${query.slice(0, start).trimEnd()} ${query.slice(end).trimStart()}`.trim();
}

/** Returns what the query searches, if it has `is:question` or `is:answer`. */
export function getSearchKind(terms: readonly Term[]): 'questions' | 'answers' | null {
  const lastKind = terms.findLast(
    (term) => term.kind === 'is' && (term.is === 'question' || term.is === 'answer'),
  );
  if (lastKind?.kind !== 'is') return null;
  return lastKind.is === 'answer' ? 'answers' : 'questions';
}

export function resolveMoment(moment: Moment, now: Date): Date {
  if ('at' in moment) return new Date(moment.at);
  const { ago, unit } = moment;
  const time = new Date(now);
  if (unit === 'h') time.setUTCHours(time.getUTCHours() - ago);
  if (unit === 'd') time.setUTCDate(time.getUTCDate() - ago);
  if (unit === 'w') time.setUTCDate(time.getUTCDate() - 7 * ago);
  if (unit === 'm' || unit === 'y') {
    time.setUTCMonth(time.getUTCMonth() - ago * (unit === 'm' ? 1 : 12));
    // A shorter month ends before that day, so the date is in the next one: day 0 is the last of the month before.
    if (time.getUTCDate() !== now.getUTCDate()) time.setUTCDate(0);
  }
  return time;
}

type Found = { term: Term; length: number };

/** Phones type curved quotation marks. */
function phraseAt(query: string, at: number): Found | null {
  const matched = match(/(-?)["“”„]([^"“”„]+)["“”„](?=\s|$)/uy, query, at);
  const text = foldSpaces(matched?.[2] ?? '');
  if (matched === null || text === '') return null;
  const [{ length }, excluded] = [matched[0], matched[1] === '-'];
  if (countCodePoints(text) < limits.searchPhraseMin)
    return { term: { kind: 'word', text, excluded, problem: 'short-phrase' }, length };
  return { term: { kind: 'phrase', text, excluded }, length };
}

function tagAt(query: string, at: number): Found | null {
  const matched = match(/(-?)\[([^[\]]+)\](?=\s|\[|-\[|$)/uy, query, at);
  if (matched === null) return null;
  const tag = tagOf(matched[2] ?? '');
  return tag === null
    ? null
    : { term: { kind: 'tag', tag, excluded: matched[1] === '-' }, length: matched[0].length };
}

function operatorAt(query: string, at: number): Found | null {
  const matched = match(/(-?)([a-z]+):(?:"([^"]+)"(?=\s|$)|(\S+))/iuy, query, at);
  if (matched === null) return null;
  const [source, minus, rawName = '', quoted, bare] = matched;
  const name = rawName.toLowerCase();
  const asWord = (problem: TermProblem): Found => ({
    term: { kind: 'word', text: source, excluded: false, problem },
    length: source.length,
  });
  if (!isOperatorName(name)) return looksLikeOperatorName(name) ? asWord('unknown-operator') : null;
  const term = termOf(name, foldSpaces(quoted ?? bare ?? ''), minus === '-');
  if (term?.kind === 'user' && quoted !== undefined && isMeOrId(term.user)) term.isName = true;
  return term === null ? asWord('broken-value') : { term, length: source.length };
}

/** Whether the value of `user:` means the viewer or an id, unless it is in quotation marks. */
export const isMeOrId = (user: string) => /^(?:me|\d+)$/iu.test(user);

/** `-5` and `--verbose` are texts to find: only a word that starts with a letter can be excluded. */
function wordAt(query: string, at: number): Found {
  const [source] = match(/\S+/uy, query, at) ?? [query.slice(at)];
  if (/^-\p{L}/u.test(source))
    return { term: { kind: 'word', text: source.slice(1), excluded: true }, length: source.length };
  return { term: { kind: 'word', text: source, excluded: false }, length: source.length };
}

function termOf(name: OperatorName, value: string, excluded: boolean): Term | null {
  switch (name) {
    case 'tag': {
      const tag = tagOf(value);
      return tag === null ? null : { kind: 'tag', tag, excluded };
    }
    case 'user':
      return value === '' ? null : { kind: 'user', user: value.replace(/^@(?=.)/u, ''), excluded };
    case 'is': {
      const is = isValues.get(value.toLowerCase());
      return is === undefined || excluded ? null : { kind: 'is', is };
    }
    case 'created': {
      const range = dates(value);
      return range === null || excluded ? null : { kind: 'created', ...range };
    }
    case 'score':
    case 'answers':
    case 'views': {
      const range = numbers(value, name);
      return range === null || excluded ? null : { kind: 'number', field: name, ...range };
    }
  }
}

const isValues = new Map<string, StatusFilter>([
  ['question', 'question'],
  ['questions', 'question'],
  ['q', 'question'],
  ['answer', 'answer'],
  ['answers', 'answer'],
  ['a', 'answer'],
  ['answered', 'answered'],
  ['solved', 'solved'],
  ['accepted', 'solved'],
  ['unanswered', 'unanswered'],
]);

function tagOf(raw: string): string | null {
  const tag = normalizeTag(raw);
  return tag === '' || countCodePoints(tag) > limits.tag ? null : tag;
}

/** `5` means 5 or more, except in `answers:0`, which means none. */
function numbers(value: string, field: NumberField): Range<number> | null {
  const compared = /^(>=|<=|>|<|=)?(-?\d{1,9})$/u.exec(value);
  if (compared !== null) {
    const number = Number(compared[2]);
    const sign = compared[1] ?? (field === 'answers' && number === 0 ? '=' : '>=');
    return {
      from: sign === '>=' || sign === '=' ? number : sign === '>' ? number + 1 : null,
      to: sign === '<=' || sign === '=' ? number : sign === '<' ? number - 1 : null,
    };
  }
  const range = /^(-?\d{1,9})?\.\.(-?\d{1,9})?$/u.exec(value);
  if (range === null || value === '..') return null;
  const from = range[1] === undefined ? null : Number(range[1]);
  const to = range[2] === undefined ? null : Number(range[2]);
  return from !== null && to !== null && from > to ? { from: to, to: from } : { from, to };
}

/** `2024`, `2024-05`, `2024-05-31`, `1w` (in the last week), and ranges with `..`. */
function dates(value: string): Range<Moment> | null {
  const [first = '', second, ...more] = value.split('..');
  if (more.length > 0 || (first === '' && (second ?? '') === '')) return null;
  const from = first === '' ? null : bound(first);
  if (from === undefined) return null;
  if (second === undefined) {
    if (from === null) return null;
    return 'ago' in from.start ? { from: from.start, to: null } : { from: from.start, to: from.end };
  }
  const to = second === '' ? null : bound(second);
  if (to === undefined) return null;
  return { from: from?.start ?? null, to: to?.end ?? null };
}

/** Returns the start of a date and of the next one; undefined for an invalid date. */
function bound(text: string): { start: Moment; end: Moment } | undefined {
  const ago = /^(\d{1,3})([hdwmy])$/iu.exec(text);
  if (ago !== null) {
    const moment: Moment = { ago: Number(ago[1]), unit: (ago[2] ?? '').toLowerCase() as Unit };
    return { start: moment, end: moment };
  }
  const date = /^((?:19|20)\d\d)(?:-(\d\d?)(?:-(\d\d?))?)?$/u.exec(text);
  if (date === null) return undefined;
  const [year, month, day] = [Number(date[1]), date[2], date[3]];
  const start = utc(year, Number(month ?? 1), Number(day ?? 1));
  const real = start.getUTCMonth() === Number(month ?? 1) - 1 && start.getUTCDate() === Number(day ?? 1);
  if (!real) return undefined;
  const end = day === undefined ? monthsLater(year, month) : utc(year, Number(month), Number(day) + 1);
  return { start: { at: start.toISOString() }, end: { at: end.toISOString() } };
}

function monthsLater(year: number, month: string | undefined): Date {
  return month === undefined ? utc(year + 1, 1, 1) : utc(year, Number(month) + 1, 1);
}

function utc(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month - 1, day));
}

/** A query of exclusions only would exclude from nothing, so its terms are searched as typed. */
function withoutOnlyExclusions(terms: SearchTerm[]): SearchTerm[] {
  const onlyLeavesOut = terms.every(
    (term) => (term.kind === 'word' || term.kind === 'phrase') && term.excluded,
  );
  if (!onlyLeavesOut) return terms;
  return terms.map((term) => {
    const { source, start, end } = term;
    const problem = 'only-exclusions';
    return { kind: 'word', text: source, excluded: false, problem, source, start, end };
  });
}

function isOperatorName(name: string): name is OperatorName {
  return operatorNames.some((operator) => operator === name);
}

/**
 * Whether a name is an operator of other sites, or one of these with a typing error. Other text with a colon, such as
 * `node:fs`, is not.
 */
function looksLikeOperatorName(name: string): boolean {
  if (foreignOperators.has(name)) return true;
  return operatorNames.some((operator) => {
    const few = operator.length < 5 ? 1 : 2;
    return (
      Math.abs(operator.length - name.length) <= few && name.length > 2 && typingErrors(name, operator) <= few
    );
  });
}

const foreignOperators = new Set(
  'author from by before after since date title body intitle inbody closed locked has hasaccepted isaccepted wiki tags topic category order sort site votes upvotes'.split(
    ' ',
  ),
);

/** Returns the number of letters to insert, delete, change or swap to get from one word to the other. */
function typingErrors(one: string, other: string): number {
  let rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const at = (up: number, left: number) => (up === 0 ? row : rows.at(-up))?.[j - left] ?? Infinity;
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] ? at(2, 2) + 1 : Infinity;
      row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (same ? 0 : 1), swapped));
    }
    rows = [...rows, row].slice(-2);
  }
  return rows.at(-1)?.[other.length] ?? Infinity;
}

function foldSpaces(text: string): string {
  return text.trim().replace(/\s+/gu, ' ');
}

function match(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
