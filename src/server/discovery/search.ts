import { tagKey } from '#shared/core/text.ts';
import { decodeOffset, encodeCursor } from '#server/core/cursor.ts';
import { toAnswerCard } from '#server/posts/index.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Reader } from '#server/core/database.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type {
  MemberCard,
  SearchKind,
  SearchResults,
  SearchSort,
  Suggestions,
} from '#shared/discovery/search.ts';
import { getSearchKind, parseSearch } from '#shared/discovery/search-query.ts';
import { createRanking } from './ranking.ts';
import { findRanked, type RankedPosts } from './ranking-queries.ts';
import {
  answerConditions,
  answerTexts,
  containsText,
  hasIndexedCondition,
  questionConditions,
  questionTexts,
} from './search-conditions.ts';
import { resolveCriteria, type SearchCriteria } from './search-criteria.ts';
import { listHighlights } from './search-highlights.ts';
import {
  findMembers,
  findSimilarTags,
  type MemberRow,
  type PageWindow,
  readAnswerCards,
  readQuestionCards,
} from './search-queries.ts';
import {
  findAmongFirst,
  findAnswersByConditions,
  findQuestionsByConditions,
  type MatchPage,
} from './search-without-words.ts';
import { hasTrigram, readQueryWords, type Replacements, withoutPunctuation } from './search-words.ts';
import { findAlikeWords } from './vocabulary-queries.ts';

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
  const window = { sort, offset, limit: serverLimits.feedPage + 1 };
  if (kind === 'users') {
    const rows = await findMembers(db, { query: text, ...window });
    const total = rows[0]?.total ?? 0;
    const found = toPage(rows, { total, window }, (page) => ({ users: page.map(toMemberCard) }));
    if (total > 0 || offset > 0) return { ...nothing, ...found };
    return { ...nothing, suggestions: await suggest(db, text, await findReplacements(db, text)) };
  }
  const criteria = await resolveCriteria(db, { query: text, viewerId, now: new Date(databaseNowMs()) });
  const { unknownTerms } = criteria;
  const found = await findPosts(db, { kind, criteria, window });
  if (found.total > 0 || offset > 0) return { ...nothing, unknownTerms, ...found };
  const words = criteria.text === '' ? text : criteria.text;
  const replacements = await findReplacements(db, words);
  if (kind === 'questions' && criteria.isPlain && replacements.size > 0) {
    const corrected = await findPosts(db, { kind, criteria, window, replacements });
    if (corrected.total > 0) return { ...nothing, ...corrected, highlights: [], corrected: true };
  }
  return { ...nothing, unknownTerms, suggestions: await suggest(db, words, replacements) };
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
type PostSearch = {
  kind: 'questions' | 'answers';
  criteria: SearchCriteria;
  window: PageWindow;
  replacements?: Replacements;
};

/**
 * Posts with all words come first. If they do not fill a page, questions with most of the important words in their
 * texts or an answer follow: at least two words, and this part of the rarity of all.
 */
const leastOfMost = { share: 0.25, words: 2 } as const;

async function findPosts(db: Reader, wanted: PostSearch): Promise<Found> {
  const { kind, criteria, window } = wanted;
  const { ids, total } = await findPostIds(db, wanted);
  if (kind === 'questions') {
    const rows = await readQuestionCards(db, ids);
    return {
      ...toPage(rows, { total, window }, (page) => ({ questions: page.map(({ card }) => card) })),
      highlights: await listHighlights(db, { rows: rows.slice(0, serverLimits.feedPage), criteria }),
    };
  }
  const rows = await readAnswerCards(db, ids);
  return {
    ...toPage(rows, { total, window }, (page) => ({ answers: page.map(toAnswerCard) })),
    highlights: await listHighlights(db, { rows: rows.slice(0, serverLimits.feedPage), criteria }),
  };
}

/** Posts that are read at most, per index, to compare them with a query such as 'what is'. */
const maxScannedForStopWords = 500;

/** A query without words lists the newest first. */
async function findPostIds(
  db: Reader,
  { kind, criteria, window, replacements }: PostSearch,
): Promise<MatchPage> {
  const { table, searched, conditions, findByConditions } = postKinds[kind];
  // The words or, without any, the first quoted text.
  const main = criteria.text === '' ? (criteria.phrases[0] ?? '') : criteria.text;
  if (main === '') return findByConditions(db, criteria, window);
  const words = await readQueryWords(db, main, replacements);
  const { terms, contained, typed, community } = words;
  const required = conditions(criteria);
  const posts: RankedPosts = {
    table,
    conditions: [...required, ...contained.map((text) => containsText(searched, text))],
    isPlannedOnce: required.length === 0,
    isIndexed: hasIndexedCondition(criteria),
    hasPopular: community.hasPopular[table],
    withAnswers: kind === 'questions',
    ...(words.hasStopWordsOnly && { maxScanned: maxScannedForStopWords }),
  };
  const ranking = createRanking(terms, community.questions);
  if (ranking === null)
    return findAmongFirst(db, containsText(searched, main), { ...posts, criteria }, window);
  const found = await findRanked(db, ranking, posts, {
    ...window,
    typed,
    enough: serverLimits.feedPage,
    least: leastOfMost,
  });
  // Inside words with signs, such as node_mod in node_modules, the index finds nothing.
  if (found.total === 0 && hasSignsAtEnds(main) && replacements === undefined)
    return findAmongFirst(db, containsText(searched, main), { ...posts, criteria }, window);
  return { ids: found.posts.map(({ id }) => id), total: found.total };
}

/** Whether its first or last word has a sign, so that it can be a part of a word. The words between them are whole. */
function hasSignsAtEnds(text: string): boolean {
  const words = text.split(' ').map(withoutPunctuation);
  return [words[0], words.at(-1)].some((word) => word !== undefined && /[^\p{L}\p{M}\p{N}]/u.test(word));
}

const postKinds = {
  questions: {
    table: 'question',
    searched: questionTexts,
    conditions: questionConditions,
    findByConditions: findQuestionsByConditions,
  },
  answers: {
    table: 'answer',
    searched: answerTexts,
    conditions: answerConditions,
    findByConditions: findAnswersByConditions,
  },
} as const;

/** The cursor is an offset: relevance is not a value that the next page could continue from. */
function toPage<Row>(
  rows: readonly Row[],
  { total, window: { offset } }: { total: number; window: PageWindow },
  shape: (rows: readonly Row[]) => Partial<SearchResults>,
): Found {
  const more = rows.length > serverLimits.feedPage;
  return {
    ...shape(rows.slice(0, serverLimits.feedPage)),
    total,
    nextCursor: more ? encodeCursor({ after: offset + serverLimits.feedPage, id: 0 }) : null,
  };
}

/** Words that replace one with typing errors, at most. */
const maxReplacements = 3;

/** Returns similar words for those that no post has. */
async function findReplacements(db: Reader, query: string): Promise<Replacements> {
  const { unknown } = await readQueryWords(db, query);
  // One or two letters are too few to compare.
  const compared = unknown.filter((word) => hasTrigram.test(word)).slice(0, 8);
  const found = await Promise.all(
    compared.map(
      async (word) => [word, await findAlikeWords(db, word.toLowerCase(), maxReplacements)] as const,
    ),
  );
  return new Map(found.filter(([, words]) => words.length > 0));
}

/** Tags and questions similar to the query (docs/product.md 11.5). */
async function suggest(db: Reader, query: string, replacements: Replacements): Promise<Suggestions> {
  const words = [query, ...query.split(' ').slice(0, 8)].map(tagKey);
  const [tags, ids] = await Promise.all([
    findSimilarTags(db, { words, limit: 5 }),
    findSimilarTitles(db, query, replacements),
  ]);
  const questions = await readQuestionCards(db, ids);
  return { tags, questions: questions.map((row) => ({ id: row.id, title: row.title })) };
}

/** Questions with any of the words in their title. */
async function findSimilarTitles(db: Reader, query: string, replacements: Replacements): Promise<number[]> {
  const { terms, typed, community } = await readQueryWords(db, query, replacements);
  const ranking = createRanking(terms, community.questions);
  if (ranking === null) return [];
  const found = await findRanked(
    db,
    ranking,
    {
      table: 'question',
      conditions: [],
      isPlannedOnce: true,
      isIndexed: false,
      hasPopular: community.hasPopular.question,
      onlyTitles: true,
    },
    { sort: 'relevance', offset: 0, limit: 5, typed, enough: 5, least: { share: 0, words: 1 } },
  );
  return found.posts.map(({ id }) => id);
}

function toMemberCard(row: MemberRow): MemberCard {
  return {
    id: row.id,
    displayName: row.display_name,
    avatar: row.avatar,
    isBot: row.is_bot,
    createdAt: row.created_at.toISOString(),
    reputation: Math.max(0, row.reputation),
    questionsCount: row.questions_count,
    answersCount: row.answers_count,
  };
}
