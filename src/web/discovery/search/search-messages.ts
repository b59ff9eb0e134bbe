import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { Moment, Range, SearchTerm } from '#shared/discovery/search-query.ts';
import { type TermKind, termLimits } from '#shared/discovery/search-term-limits.ts';

/** What an operator asks for, in words; null for plain words. */
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

/** Why something was taken as words; null where it was not. */
export function termProblemMessage(term: SearchTerm): string | null {
  if (term.kind !== 'word' || term.problem === undefined) return null;
  switch (term.problem) {
    case 'unknown-operator':
      return t`“${term.source}” is not an operator; it was searched for as words.`;
    case 'broken-value':
      return t`“${term.source}” is not complete; it was searched for as words.`;
    case 'nothing-to-leave-out-of':
      return t`There is nothing to leave “${term.source}” out of; it was searched for as typed.`;
    case 'short-phrase':
      return t`${term.source} is too short for a phrase; it was treated as a word.`;
  }
}

/** What a query has too much of, and how much of it was searched for. */
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
      return t`Only the first ${most} conditions were used.`;
  }
}

/** @param source the part of the query. */
export function unknownTermMessage(source: string): string {
  return /^-?user:/iu.test(source)
    ? t`No member goes by “${source}”; it was searched for as words.`
    : t`There is no topic “${source}”; it was searched for as words.`;
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

function describeUser({ user, excluded }: { user: string; excluded: boolean }): string {
  if (user.toLowerCase() === 'me') return excluded ? t`Not by you` : t`By you`;
  const who = /^\d+$/u.test(user) ? t`member ${user}` : user;
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

function formatMoment(moment: Moment): string {
  return 'at' in moment ? formatDate(new Date(moment.at)) : ago[moment.unit](moment.ago);
}

/** The last day before a moment. */
function formatEnd(moment: Moment): string {
  return 'at' in moment ? formatDate(new Date(Date.parse(moment.at) - 1)) : formatMoment(moment);
}

/** Days of a search are those of UTC. */
function formatDate(date: Date): string {
  return date.toLocaleDateString(i18n.locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
