import { toAnswerCard } from '#server/answers/cards.ts';
import type { Reader } from '#server/platform/database.ts';
import { encodeCursor } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { pageOffset } from '#server/topics/topics.ts';
import { limits } from '#shared/limits.ts';
import type { MemberCard, SearchKind, SearchResults, SearchSort, Suggestions } from '#shared/search.ts';
import { tagKey } from '#shared/tags.ts';
import {
  matchingAnswers,
  matchingMembers,
  matchingQuestions,
  type MemberRow,
  similarQuestions,
  similarTags,
} from './queries.ts';

export type Search = { query: string; kind: SearchKind; sort: SearchSort; cursor: string | undefined };

/**
 * A page of what matches the query. A blank query matches nothing. Where no question matches, those that would with
 * typing errors forgiven are given, and where there are none of those either, suggestions.
 */
export async function search(db: Reader, { query, kind, sort, cursor }: Search): Promise<SearchResults> {
  const text = query.trim().replace(/\s+/gu, ' ');
  if (text === '') return nothing;
  const offset = pageOffset(cursor);
  const window = { query: text, sort, offset, limit: limits.feedPage + 1 };
  const found = await find(db, kind, window);
  if (found.total > 0 || offset > 0) return { ...nothing, ...found };
  if (kind !== 'questions') return { ...nothing, suggestions: await suggest(db, text) };
  const meant = await forgiving(db, text);
  if (meant.length > 0) return { ...nothing, questions: meant, total: meant.length, corrected: true };
  return { ...nothing, suggestions: await suggest(db, text) };
}

const nothing: SearchResults = {
  questions: [],
  answers: [],
  users: [],
  total: 0,
  corrected: false,
  suggestions: { tags: [], questions: [] },
  nextCursor: null,
};

type Window = { query: string; sort: SearchSort; offset: number; limit: number };

async function find(db: Reader, kind: SearchKind, window: Window) {
  switch (kind) {
    case 'questions':
      return toPage(await matchingQuestions(db, window), window, (rows) => ({
        questions: rows.map(toQuestionCard),
      }));
    case 'answers':
      return toPage(await matchingAnswers(db, window), window, (rows) => ({
        answers: rows.map(toAnswerCard),
      }));
    case 'users':
      return toPage(await matchingMembers(db, window), window, (rows) => ({ users: rows.map(toMemberCard) }));
  }
}

/** By position: relevance is no place in a list one could continue from. */
function toPage<Row extends { total: number }>(
  rows: readonly Row[],
  { offset }: Window,
  shape: (rows: readonly Row[]) => Partial<SearchResults>,
): Partial<SearchResults> & { total: number } {
  const more = rows.length > limits.feedPage;
  return {
    ...shape(rows.slice(0, limits.feedPage)),
    total: rows[0]?.total ?? 0,
    nextCursor: more ? encodeCursor({ after: offset + limits.feedPage, id: 0 }) : null,
  };
}

/** What was probably meant: titles that are alike but for typing errors. */
async function forgiving(db: Reader, query: string) {
  const rows = await similarQuestions(db, { query, limit: limits.feedPage, loosely: false });
  return rows.map(toQuestionCard);
}

/** Tags and questions close to the query (DECISIONS section 5.4). */
async function suggest(db: Reader, query: string): Promise<Suggestions> {
  const words = [query, ...query.split(' ').slice(0, 8)].map(tagKey);
  const [tags, questions] = await Promise.all([
    similarTags(db, { words, limit: 5 }),
    similarQuestions(db, { query, limit: 5, loosely: true }),
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
