import { type RawBuilder, sql } from 'kysely';
import {
  answerCardColumns,
  type AnswerCardRow,
  bylineJoins,
  questionCardColumns,
  type QuestionCardRow,
} from '#server/posts/index.ts';
import type { Reader } from '#server/core/database.ts';
import { likeContains } from '#server/core/sql.ts';
import { maxCountedResults, type SearchSort } from '#shared/discovery/search.ts';
import type { SearchCriteria } from './search-criteria.ts';
import {
  findAmongFirst,
  findAnswersByConditions,
  findQuestionsByConditions,
  type MatchPage,
} from './search-without-words.ts';
import {
  allOf,
  answerConditions,
  answerTexts,
  anyOf,
  containsText,
  hasAllWords,
  hasIndexedCondition,
  likeOperator,
  questionConditions,
  questionTexts,
  type SearchedTexts,
  wholeWordPattern,
} from './search-conditions.ts';
import { buildIndexQueries, type IndexQueries } from './search-index-queries.ts';
import {
  countPosts,
  findAmongNewest,
  findNewest,
  findTopPosts,
  isFrequentMatch,
  isPlannedOnce,
  type ResultGroup,
  type SearchScope,
  type TopPosts,
} from './search-levels.ts';

/** A page of matches: at most `limit` rows from position `offset`. */
export type PageWindow = { sort: SearchSort; offset: number; limit: number };

/** The number of matches, at most one above the highest number shown. */
export type WithTotal = { total: number };

type Sql = RawBuilder<unknown>;

const maxTotal = maxCountedResults + 1;

/**
 * Returns questions that contain the text as typed, also inside a word, or all its words in any inflection, and that
 * meet every condition. Relevance orders them by group: title as typed, title inflected, tags as typed, tags inflected,
 * text as typed, text inflected (docs/product.md 11.3). Within a group, whole words come before parts of words, then
 * posts with more upvotes. A query without words lists the newest first.
 */
export async function findQuestions(
  db: Reader,
  { criteria, ...window }: PageWindow & { criteria: SearchCriteria },
) {
  const { ids, total } = await findQuestionIds(db, criteria, window);
  if (ids.length === 0) return [];
  const { rows } = await sql<QuestionCardRow & HighlightSource>`
    select ${questionCardColumns}, ${textPrefix} as content from ${listIds(ids)} join question post on post.id = listed.id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

/** Returns answers by the same rules: the text as typed first, then inflected. */
export async function findAnswers(
  db: Reader,
  { criteria, ...window }: PageWindow & { criteria: SearchCriteria },
) {
  const { ids, total } = await findAnswerIds(db, criteria, window);
  if (ids.length === 0) return [];
  const { rows } = await sql<AnswerCardRow & HighlightSource>`
    select ${answerCardColumns}, question.title, ${textPrefix} as content from ${listIds(ids)} join answer post on post.id = listed.id
    join question on question.id = post.question_id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows.map((row) => ({ ...row, total }));
}

/** The texts to highlight. */
export type HighlightSource = { title: string; content: string };

/** Characters of a text that are read for highlights. */
const textPrefix = sql`left(post.content, 20000)`;

const listIds = (ids: readonly number[]) =>
  sql`unnest(${[...ids]}::bigint[]) with ordinality as listed (id, position)`;

/** The text that decides the group of a match: the words, or the first quoted text. */
function getMainText({ text, phrases }: SearchCriteria): string {
  return text === '' ? (phrases[0] ?? '') : text;
}

async function findQuestionIds(db: Reader, criteria: SearchCriteria, window: PageWindow): Promise<MatchPage> {
  const main = getMainText(criteria);
  if (main === '') return findQuestionsByConditions(db, criteria, window);
  const keys = await buildIndexQueries(db, main, criteria.text !== '');
  const scope = {
    table: 'question',
    conditions: questionConditions(criteria),
    isIndexed: hasIndexedCondition(criteria),
  } as const;
  if (keys.whole === null)
    return findAmongFirst(db, matchesText(questionTexts, criteria, main), scope, window);
  const asSubquery = isPlannedOnce(scope);
  const anywhere = buildGroups(inAllTexts, keys, main, asSubquery);
  const named = [
    ...buildGroups(inTitle, keys, main, asSubquery),
    ...buildGroups(inTags, keys, main, asSubquery),
  ];
  const groups = { byName: named, anywhere, comparison: matchesText(questionTexts, criteria, main) };
  return toMatchPage(db, { found: await readPage(db, groups, scope, window), anywhere, scope, window });
}

async function findAnswerIds(db: Reader, criteria: SearchCriteria, window: PageWindow): Promise<MatchPage> {
  const main = getMainText(criteria);
  if (main === '') return findAnswersByConditions(db, criteria, window);
  const keys = await buildIndexQueries(db, main, criteria.text !== '');
  const scope = {
    table: 'answer',
    conditions: answerConditions(criteria),
    isIndexed: hasIndexedCondition(criteria),
  } as const;
  if (keys.whole === null) return findAmongFirst(db, matchesText(answerTexts, criteria, main), scope, window);
  const anywhere = buildGroups(inAnswer, keys, main, isPlannedOnce(scope));
  const groups = { byName: [], anywhere, comparison: matchesText(answerTexts, criteria, main) };
  return toMatchPage(db, { found: await readPage(db, groups, scope, window), anywhere, scope, window });
}

/** The total is never below the number of posts shown. */
async function toMatchPage(
  db: Reader,
  {
    found: { ids, all },
    anywhere,
    scope,
    window,
  }: { found: TopPosts; anywhere: readonly ResultGroup[]; scope: SearchScope; window: PageWindow },
): Promise<MatchPage> {
  const total = all ?? (await countPosts(db, anywhere, { ...scope, max: maxTotal }));
  const shown = ids.length === 0 ? 0 : window.offset + ids.length;
  return { ids, total: Math.min(maxTotal, Math.max(total, shown)) };
}

type ResultGroups = { byName: readonly ResultGroup[]; anywhere: readonly ResultGroup[]; comparison: Sql };

async function readPage(
  db: Reader,
  { byName, anywhere, comparison }: ResultGroups,
  scope: SearchScope,
  { sort, offset, limit }: PageWindow,
): Promise<TopPosts> {
  const wanted = offset + limit;
  if (sort === 'popular') {
    const { ids, all } = await findTopPosts(db, anywhere, { ...scope, wanted, together: true });
    return { ids: ids.slice(offset), all };
  }
  if (sort === 'recent') {
    const frequent = !scope.isIndexed && (await isFrequentMatch(db, anywhere, scope));
    const found = frequent ? await findAmongNewest(db, comparison, { ...scope, wanted }) : [];
    if (found.length >= wanted) return { ids: found.slice(offset), all: null };
    return { ids: (await findNewest(db, anywhere, { ...scope, wanted })).slice(offset), all: null };
  }
  const first = byName.length === 0 ? [] : (await findTopPosts(db, byName, { ...scope, wanted })).ids;
  if (first.length >= wanted) return { ids: first.slice(offset), all: null };
  const { ids, all } = await findTopPosts(db, anywhere, { ...scope, wanted });
  return { ids: [...new Set([...first, ...ids])].slice(offset, wanted), all };
}

/** Compares the texts themselves, for queries that no word index serves. */
function matchesText(searched: SearchedTexts, criteria: SearchCriteria, main: string): Sql {
  return anyOf([
    containsText(searched, main),
    criteria.text === '' ? sql`false` : hasAllWords(searched, main),
  ]);
}

/** A field with its index expressions (schema section Discovery), and the texts to compare. */
type SearchField = { words: Sql; stems: Sql; texts: readonly [Sql, ...Sql[]]; wholeFirst: boolean };

const inTitle: SearchField = {
  words: sql`search_words(post.title)`,
  stems: sql`search_stems(post.title)`,
  texts: [sql`post.title`],
  wholeFirst: true,
};
const inTags: SearchField = {
  words: sql`search_words(post.tag_text)`,
  stems: sql`search_stems(post.tag_text)`,
  texts: [sql`post.tag_text`],
  wholeFirst: true,
};
const inAllTexts: SearchField = {
  words: sql`search_words(post.title || ' ' || post.tag_text || ' ' || post.content)`,
  stems: sql`post.search_vector`,
  texts: questionTexts.texts,
  wholeFirst: false,
};
const inAnswer: SearchField = {
  words: sql`search_words(post.content)`,
  stems: sql`post.search_vector`,
  texts: answerTexts.texts,
  wholeFirst: false,
};

/** Groups of titles that contain the text as typed, whole words before parts of words. */
export function buildTitleGroups(keys: IndexQueries, text: string): ResultGroup[] {
  return keys.whole === null ? [] : buildGroups(inTitle, keys, text, true);
}

/**
 * Groups: as typed (whole words before parts of words, if `wholeFirst`), then inflected. The number of groups does not
 * depend on the query, because PostgreSQL plans each form of a statement separately. A group with nothing to find has
 * the query null and reads no rows.
 */
function buildGroups(
  field: SearchField,
  keys: IndexQueries,
  main: string,
  asSubquery: boolean,
): ResultGroup[] {
  const { whole, inside, insideOfAll, exact } = keys;
  const has = (query: string | null) => sql`${field.words} @@ ${toValue(asSubquery, query, 'tsquery')}`;
  const typed = exact ? [] : [containsPart(field, main, asSubquery)];
  if (!field.wholeFirst) {
    const ofAll = joinQueries(keys, insideOfAll);
    return [
      {
        query: has(joinQueries(keys, inside)),
        queryOfAll: has(ofAll),
        // The inflected matches include all matches of whole words.
        isWithin: insideOfAll === null && keys.stems !== null && keys.parts.length === 0,
        comparisons: typed,
      },
      ...buildInflectedGroups(field, keys, asSubquery),
    ];
  }
  const word = wholeWordPattern(main);
  const bounded = exact
    ? []
    : [anyOf(field.texts.map((text) => sql`${text} ~* ${toValue(asSubquery, word, 'text')}`))];
  return [
    { query: has(whole), comparisons: [...typed, ...bounded] },
    { query: has(inside), queryOfAll: has(insideOfAll), comparisons: typed },
    ...buildInflectedGroups(field, keys, asSubquery),
  ];
}

/**
 * For a single word, `inside` has only the words that contain it. For several words, it includes the words themselves.
 */
function joinQueries({ whole, exact }: IndexQueries, inside: string | null): string | null {
  if (inside === null || whole === null) return inside ?? whole;
  return exact ? `${whole} | ${inside}` : inside;
}

function buildInflectedGroups(
  field: SearchField,
  { stems, parts }: IndexQueries,
  asSubquery: boolean,
): ResultGroup[] {
  const words = parts.flatMap(({ query }) => (query === null ? [] : [`(${query})`]));
  const queries: [Sql, string | null][] = parts.length === 0 || stems !== null ? [[field.stems, stems]] : [];
  if (words.length > 0) queries.push([field.words, words.join(' & ')]);
  if (queries.length === 0) return [];
  return [
    {
      query: allOf(
        queries.map(([vector, query]) => sql`${vector} @@ ${toValue(asSubquery, query, 'tsquery')}`),
      ),
      comparisons: parts.flatMap(({ text }) =>
        text === null ? [] : [containsPart(field, text, asSubquery)],
      ),
    },
  ];
}

/**
 * `asSubquery` wraps the value in a subquery, so that the plan does not depend on it (core/database-prepared-statements.ts).
 */
function toValue(asSubquery: boolean, value: string | null, type: 'text' | 'tsquery'): Sql {
  const typed = sql`${value}::${sql.raw(type)}`;
  return asSubquery ? sql`(select ${typed})` : typed;
}

function containsPart({ texts }: SearchField, part: string, asSubquery: boolean): Sql {
  return anyOf(
    texts.map(
      (text) => sql`${text} ${likeOperator(part)} ${toValue(asSubquery, likeContains(part), 'text')}`,
    ),
  );
}
