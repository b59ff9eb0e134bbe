import { plural, t } from '@lingui/core/macro';
import type { Moment, Range, SearchTerm } from '#shared/discovery/search-query.ts';
import { type TermKind, termLimits } from '#shared/discovery/search-term-limits.ts';
import { formatDate } from '#web/core/format.ts';

/** Describes an operator in words; null for plain words. */
export function describeTerm(term: SearchTerm): string | null {
  switch (term.kind) {
    case 'word':
    case 'phrase':
      return describeWords(term);
    case 'tag':
      return term.excluded ? t`Not tagged ${term.tag}` : t`Tagged ${term.tag}`;
    case 'user':
      return describeUser(term);
    case 'is':
      return isDescriptions[term.is]();
    case 'number':
      return describeNumber(term);
    case 'created':
      return describeCreated(term);
  }
}

/** Why an operator was read as words; null if it was not. */
export function termProblemMessage(term: SearchTerm): string | null {
  if (term.kind !== 'word' || term.problem === undefined) return null;
  switch (term.problem) {
    case 'unknown-operator':
      return t`“${term.source}” is not a search operator. Searched for it as text.`;
    case 'broken-value':
      return t`“${term.source}” is not a valid filter. Searched for it as text.`;
    case 'only-exclusions':
      return t`“${term.source}” needs another search term. Searched for it as typed.`;
    case 'short-phrase':
      return t`${term.source} is too short for a phrase. Searched for it as a word.`;
  }
}

/** Says which kind of term exceeds its limit and how many were used. */
export function exceededMessage(kind: TermKind): string {
  const most = termLimits[kind];
  switch (kind) {
    case 'words':
      return t`Only the first ${most} words were used.`;
    case 'phrases':
      return t`Only the first ${most} phrases were used.`;
    case 'exclusions':
      return t`Only the first ${most} exclusions were used.`;
    case 'conditions':
      return t`Only the first ${most} filters were used.`;
  }
}

/** @param source the unknown part of the query. */
export function unknownTermMessage(source: string): string {
  return /^-?user:/iu.test(source)
    ? t`There is no member “${source}”. Searched for it as text.`
    : t`There is no topic “${source}”. Searched for it as text.`;
}

const isDescriptions = {
  question: () => t`Questions only`,
  answer: () => t`Answers only`,
  answered: () => t`Answered`,
  unanswered: () => t`Without an answer`,
  solved: () => t`Solved`,
} as const;

function describeWords({ kind, text, excluded }: Extract<SearchTerm, { text: string }>): string | null {
  if (excluded) return t`Without “${text}”`;
  return kind === 'phrase' ? t`Exactly “${text}”` : null;
}

function describeUser({ user, isName, excluded }: Extract<SearchTerm, { kind: 'user' }>): string {
  if (isName !== true && user.toLowerCase() === 'me') return excluded ? t`Not by you` : t`By you`;
  const who = isName !== true && /^\d+$/u.test(user) ? t`member ${user}` : user;
  return excluded ? t`Not by ${who}` : t`By ${who}`;
}

function describeNumber({ field, from, to }: Extract<SearchTerm, { kind: 'number' }>): string {
  const amount = formatRange({ from, to });
  switch (field) {
    case 'score':
      return t`Score ${amount}`;
    case 'answers':
      return to === 0 ? t`No answers` : t`Answers: ${amount}`;
    case 'views':
      return t`Views: ${amount}`;
  }
}

function formatRange({ from, to }: Range<number>): string {
  if (from === null) return t`${to ?? 0} or less`;
  if (to === null) return t`${from} or more`;
  return from === to ? String(from) : t`${from} to ${to}`;
}

function describeCreated({ from, to }: Range<Moment>): string {
  if (from === null) return to === null ? t`Any time` : t`Until ${formatEnd(to)}`;
  return to === null ? t`Since ${formatMoment(from)}` : t`From ${formatMoment(from)} until ${formatEnd(to)}`;
}

const ago = {
  h: (n: number) => plural(n, { one: '# hour ago', other: '# hours ago' }),
  d: (n: number) => plural(n, { one: '# day ago', other: '# days ago' }),
  w: (n: number) => plural(n, { one: '# week ago', other: '# weeks ago' }),
  m: (n: number) => plural(n, { one: '# month ago', other: '# months ago' }),
  y: (n: number) => plural(n, { one: '# year ago', other: '# years ago' }),
};

/** Days in searches are in UTC. */
function formatMoment(moment: Moment): string {
  return 'at' in moment ? formatDate(moment.at, 'UTC') : ago[moment.unit](moment.ago);
}

/** The last day before a moment. */
function formatEnd(moment: Moment): string {
  return 'at' in moment ? formatDate(new Date(Date.parse(moment.at) - 1), 'UTC') : formatMoment(moment);
}
