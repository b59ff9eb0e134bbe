import { toAnswerCard } from '#server/answers/cards.ts';
import { databaseTime } from '#server/platform/clock.ts';
import type { Reader } from '#server/platform/database.ts';
import { encodeCursor } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { pageOffset } from '#server/topics/topics.ts';
import { limits } from '#shared/limits.ts';
import type { MemberCard, SearchKind, SearchResults, SearchSort, Suggestions } from '#shared/search.ts';
import { tagKey } from '#shared/tags.ts';
import { kindOf, parseSearch } from '#shared/search-query.ts';
import { type Asked, understand } from './asked.ts';
import { hitsOf } from './hits.ts';
import { matchingAnswers, matchingQuestions, type Window } from './matches.ts';
import { threeInARow } from './words.ts';
import {
  matchingMembers,
  type MemberRow,
  similarQuestions,
  similarTags,
  suggestedQuestions,
} from './queries.ts';

export type Search = {
  query: string;
  kind: SearchKind;
  sort: SearchSort;
  cursor: string | undefined;
  /** Whom `user:me` means. */
  viewerId: number;
};

/**
 * A page of what matches the query. A blank query matches nothing. Where no question matches, those that would with
 * typing errors forgiven are given, and where there are none of those either, suggestions. `is:question` and `is:answer`
 * win over `kind`; members are searched for by their name alone, without operators.
 */
export async function search(
  db: Reader,
  { query, kind: wanted, sort, cursor, viewerId }: Search,
): Promise<SearchResults> {
  const text = folded(query);
  const kind = kindOf(parseSearch(text)) ?? wanted;
  const nothing = { ...none, in: kind };
  if (text === '') return nothing;
  const offset = pageOffset(cursor);
  const window = { sort, offset, limit: limits.feedPage + 1 };
  if (kind === 'users') {
    const rows = await matchingMembers(db, { query: text, ...window });
    const found = toPage(rows, window, (page) => ({ users: page.map(toMemberCard) }));
    if (found.total > 0 || offset > 0) return { ...nothing, ...found };
    return { ...nothing, suggestions: await suggest(db, text) };
  }
  const asked = await understand(db, { query: text, viewerId, now: new Date(databaseTime()) });
  const { unknown } = asked;
  const found = await find(db, { kind, asked, window });
  if (found.total > 0 || offset > 0) return { ...nothing, unknown, ...found };
  const words = asked.text === '' ? text : asked.text;
  if (kind === 'questions' && asked.plain) {
    const meant = await forgiving(db, text);
    if (meant.length > 0) return { ...nothing, questions: meant, total: meant.length, corrected: true };
  }
  return { ...nothing, unknown, suggestions: await suggest(db, words) };
}

/** A query without spaces around, inner runs folded. */
export const folded = (query: string) => query.trim().replace(/\s+/gu, ' ');

const none: Omit<SearchResults, 'in'> = {
  questions: [],
  answers: [],
  users: [],
  hits: [],
  unknown: [],
  total: 0,
  corrected: false,
  suggestions: { tags: [], questions: [] },
  nextCursor: null,
};

type Found = Partial<SearchResults> & { total: number };

async function find(
  db: Reader,
  { kind, asked, window }: { kind: 'questions' | 'answers'; asked: Asked; window: Window },
): Promise<Found> {
  if (kind === 'questions') {
    const rows = await matchingQuestions(db, { asked, ...window });
    const found = toPage(rows, window, (page) => ({ questions: page.map(toQuestionCard) }));
    return { ...found, hits: await hitsOf(db, { rows: rows.slice(0, limits.feedPage), asked }) };
  }
  const rows = await matchingAnswers(db, { asked, ...window });
  const found = toPage(rows, window, (page) => ({ answers: page.map(toAnswerCard) }));
  return { ...found, hits: await hitsOf(db, { rows: rows.slice(0, limits.feedPage), asked }) };
}

/** By position: relevance is no place in a list one could continue from. */
function toPage<Row extends { total: number }>(
  rows: readonly Row[],
  { offset }: Window,
  shape: (rows: readonly Row[]) => Partial<SearchResults>,
): Found {
  const more = rows.length > limits.feedPage;
  return {
    ...shape(rows.slice(0, limits.feedPage)),
    total: rows[0]?.total ?? 0,
    nextCursor: more ? encodeCursor({ after: offset + limits.feedPage, id: 0 }) : null,
  };
}

/** What was probably meant: titles that are alike but for typing errors. */
async function forgiving(db: Reader, query: string) {
  // In a letter or two there is nothing to be alike in, and every title would be compared.
  if (!threeInARow.test(query)) return [];
  const rows = await similarQuestions(db, { query, limit: limits.feedPage, loosely: false });
  return rows.map(toQuestionCard);
}

/** Tags and questions close to the query (docs/product.md 11.5). */
async function suggest(db: Reader, query: string): Promise<Suggestions> {
  const words = [query, ...query.split(' ').slice(0, 8)].map(tagKey);
  const [tags, questions] = await Promise.all([
    similarTags(db, { words, limit: 5 }),
    threeInARow.test(query) ? suggestedQuestions(db, { query, limit: 5 }) : [],
  ]);
  return { tags, questions: questions.map((row) => ({ id: row.id, title: row.title })) };
}

function toMemberCard(row: MemberRow): MemberCard {
  return {
    id: row.id,
    displayName: row.display_name,
    createdAt: row.created_at.toISOString(),
    reputation: Math.max(0, row.reputation),
    questionsCount: row.questions_count,
    answersCount: row.answers_count,
  };
}
