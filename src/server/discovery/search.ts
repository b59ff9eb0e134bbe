import { tagKey } from '#shared/core/text.ts';
import { decodeOffset, encodeCursor } from '#server/core/cursor.ts';
import { toAnswerCard, toQuestionCard } from '#server/posts/index.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Reader } from '#server/core/database.ts';
import { limits } from '#shared/core/limits.ts';
import type {
  MemberCard,
  SearchKind,
  SearchResults,
  SearchSort,
  Suggestions,
} from '#shared/discovery/search.ts';
import { getSearchKind, parseSearch } from '#shared/discovery/search-query.ts';
import { resolveCriteria, type SearchCriteria } from './search-criteria.ts';
import { listHighlights } from './search-highlights.ts';
import { findAnswers, findQuestions, type PageWindow } from './search-matches.ts';
import { hasTrigram } from './search-words.ts';
import {
  findMembers,
  findSimilarQuestions,
  findSimilarTags,
  type MemberRow,
  suggestQuestions,
} from './search-queries.ts';

export type SearchRequest = {
  query: string;
  kind: SearchKind;
  sort: SearchSort;
  cursor: string | undefined;
  /** The member that `user:me` means. */
  viewerId: number;
};

/**
 * Returns a page of results. A blank query has none. If no question matches, it returns questions that match with
 * typing errors forgiven and, if there are none either, suggestions. `is:question` and `is:answer` override `kind`.
 * Members are searched by name only, without operators.
 */
export async function search(
  db: Reader,
  { query, kind: wanted, sort, cursor, viewerId }: SearchRequest,
): Promise<SearchResults> {
  const text = foldSpaces(query);
  const kind = getSearchKind(parseSearch(text)) ?? wanted;
  const nothing = { ...noResults, in: kind };
  if (text === '') return nothing;
  const offset = decodeOffset(cursor);
  const window = { sort, offset, limit: limits.feedPage + 1 };
  if (kind === 'users') {
    const rows = await findMembers(db, { query: text, ...window });
    const found = toPage(rows, window, (page) => ({ users: page.map(toMemberCard) }));
    if (found.total > 0 || offset > 0) return { ...nothing, ...found };
    return { ...nothing, suggestions: await suggest(db, text) };
  }
  const criteria = await resolveCriteria(db, { query: text, viewerId, now: new Date(databaseNowMs()) });
  const { unknownTerms } = criteria;
  const found = await findPosts(db, { kind, criteria, window });
  if (found.total > 0 || offset > 0) return { ...nothing, unknownTerms, ...found };
  const words = criteria.text === '' ? text : criteria.text;
  if (kind === 'questions' && criteria.isPlain) {
    const meant = await findWithTypos(db, text);
    if (meant.length > 0) return { ...nothing, questions: meant, total: meant.length, corrected: true };
  }
  return { ...nothing, unknownTerms, suggestions: await suggest(db, words) };
}

/** Trims a query and folds runs of spaces. */
export const foldSpaces = (query: string) => query.trim().replace(/\s+/gu, ' ');

const noResults: Omit<SearchResults, 'in'> = {
  questions: [],
  answers: [],
  users: [],
  highlights: [],
  unknownTerms: [],
  total: 0,
  corrected: false,
  suggestions: { tags: [], questions: [] },
  nextCursor: null,
};

type Found = Partial<SearchResults> & { total: number };

async function findPosts(
  db: Reader,
  { kind, criteria, window }: { kind: 'questions' | 'answers'; criteria: SearchCriteria; window: PageWindow },
): Promise<Found> {
  if (kind === 'questions') {
    const rows = await findQuestions(db, { criteria, ...window });
    const found = toPage(rows, window, (page) => ({ questions: page.map(toQuestionCard) }));
    return {
      ...found,
      highlights: await listHighlights(db, { rows: rows.slice(0, limits.feedPage), criteria }),
    };
  }
  const rows = await findAnswers(db, { criteria, ...window });
  const found = toPage(rows, window, (page) => ({ answers: page.map(toAnswerCard) }));
  return {
    ...found,
    highlights: await listHighlights(db, { rows: rows.slice(0, limits.feedPage), criteria }),
  };
}

/** The cursor is an offset: relevance is not a value that the next page could continue from. */
function toPage<Row extends { total: number }>(
  rows: readonly Row[],
  { offset }: PageWindow,
  shape: (rows: readonly Row[]) => Partial<SearchResults>,
): Found {
  const more = rows.length > limits.feedPage;
  return {
    ...shape(rows.slice(0, limits.feedPage)),
    total: rows[0]?.total ?? 0,
    nextCursor: more ? encodeCursor({ after: offset + limits.feedPage, id: 0 }) : null,
  };
}

/** Titles that match except for typing errors. */
async function findWithTypos(db: Reader, query: string) {
  // One or two letters are too few to compare, and every title would be read.
  if (!hasTrigram.test(query)) return [];
  const rows = await findSimilarQuestions(db, { query, limit: limits.feedPage, loosely: false });
  return rows.map(toQuestionCard);
}

/** Tags and questions similar to the query (docs/product.md 11.5). */
async function suggest(db: Reader, query: string): Promise<Suggestions> {
  const words = [query, ...query.split(' ').slice(0, 8)].map(tagKey);
  const [tags, questions] = await Promise.all([
    findSimilarTags(db, { words, limit: 5 }),
    hasTrigram.test(query) ? suggestQuestions(db, { query, limit: 5 }) : [],
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
