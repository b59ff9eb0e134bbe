import { type RawBuilder, sql } from 'kysely';
import {
  answerCardColumns,
  type AnswerCardRow,
  questionCardColumns,
  type QuestionCardRow,
} from '#server/posts/cards.ts';
import type { Reader } from '#server/core/database.ts';
import { likeContains } from '#server/core/sql.ts';
import { bylineJoins } from '#server/posts/posts.ts';
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
  isNarrowed,
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

/** A page of matches: `limit` rows at most from position `offset`. */
export type PageWindow = { sort: SearchSort; offset: number; limit: number };

/** The matches counted, up to one more than are counted out loud. */
export type WithTotal = { total: number };

type Sql = RawBuilder<unknown>;

const most = maxCountedResults + 1;

/**
 * Questions that contain the text as typed, also inside a word, or all its words in any inflection, and meet every
 * condition. By relevance they come in places, best first: title as typed, title inflected, tags as typed, tags inflected,
 * text as typed, text inflected (docs/product.md 11.2); in each place whole words before parts of words, then those with
 * more upvotes. Without words the newest are the most relevant.
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

/** The same for answers: the text as typed first, then inflected. */
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

/** What is looked through for what to mark. */
export type HighlightSource = { title: string; content: string };

/** So much of a text is looked through, in characters. */
const textPrefix = sql`left(post.content, 20000)`;

const listIds = (ids: readonly number[]) =>
  sql`unnest(${[...ids]}::bigint[]) with ordinality as listed (id, position)`;

/** What decides where a match is found: the words, or the first text to be found as typed. */
function getMainText({ text, phrases }: SearchCriteria): string {
  return text === '' ? (phrases[0] ?? '') : text;
}

async function findQuestionIds(db: Reader, criteria: SearchCriteria, window: PageWindow): Promise<MatchPage> {
  const main = getMainText(criteria);
  if (main === '') return findQuestionsByConditions(db, criteria, window);
  const keys = await buildIndexQueries(db, main, criteria.text !== '');
  const among = {
    table: 'question',
    conditions: questionConditions(criteria),
    narrowed: isNarrowed(criteria),
  } as const;
  if (keys.whole === null)
    return findAmongFirst(db, matchesText(questionTexts, criteria, main), among, window);
  const hide = isPlannedOnce(among);
  const anywhere = buildGroups(inAllTexts, keys, main, hide);
  const named = [...buildGroups(inTitle, keys, main, hide), ...buildGroups(inTags, keys, main, hide)];
  const groups = { byName: named, anywhere, comparison: matchesText(questionTexts, criteria, main) };
  return toMatchPage(db, { found: await readPage(db, groups, among, window), anywhere, among, window });
}

async function findAnswerIds(db: Reader, criteria: SearchCriteria, window: PageWindow): Promise<MatchPage> {
  const main = getMainText(criteria);
  if (main === '') return findAnswersByConditions(db, criteria, window);
  const keys = await buildIndexQueries(db, main, criteria.text !== '');
  const among = {
    table: 'answer',
    conditions: answerConditions(criteria),
    narrowed: isNarrowed(criteria),
  } as const;
  if (keys.whole === null) return findAmongFirst(db, matchesText(answerTexts, criteria, main), among, window);
  const anywhere = buildGroups(inAnswer, keys, main, isPlannedOnce(among));
  const groups = { byName: [], anywhere, comparison: matchesText(answerTexts, criteria, main) };
  return toMatchPage(db, { found: await readPage(db, groups, among, window), anywhere, among, window });
}

/** Never fewer than are shown. */
async function toMatchPage(
  db: Reader,
  {
    found: { ids, all },
    anywhere,
    among,
    window,
  }: { found: TopPosts; anywhere: readonly ResultGroup[]; among: SearchScope; window: PageWindow },
): Promise<MatchPage> {
  const total = all ?? (await countPosts(db, anywhere, { ...among, most }));
  const shown = ids.length === 0 ? 0 : window.offset + ids.length;
  return { ids, total: Math.min(most, Math.max(total, shown)) };
}

type ResultGroups = { byName: readonly ResultGroup[]; anywhere: readonly ResultGroup[]; comparison: Sql };

async function readPage(
  db: Reader,
  { byName, anywhere, comparison }: ResultGroups,
  among: SearchScope,
  { sort, offset, limit }: PageWindow,
): Promise<TopPosts> {
  const wanted = offset + limit;
  if (sort === 'popular') {
    const { ids, all } = await findTopPosts(db, anywhere, { ...among, wanted, together: true });
    return { ids: ids.slice(offset), all };
  }
  if (sort === 'recent') {
    const frequent = !among.narrowed && (await isFrequentMatch(db, anywhere, among));
    const found = frequent ? await findAmongNewest(db, comparison, { ...among, wanted }) : [];
    if (found.length >= wanted) return { ids: found.slice(offset), all: null };
    return { ids: (await findNewest(db, anywhere, { ...among, wanted })).slice(offset), all: null };
  }
  const first = byName.length === 0 ? [] : (await findTopPosts(db, byName, { ...among, wanted })).ids;
  if (first.length >= wanted) return { ids: first.slice(offset), all: null };
  const { ids, all } = await findTopPosts(db, anywhere, { ...among, wanted });
  return { ids: [...new Set([...first, ...ids])].slice(offset, wanted), all };
}

/** What is compared where no index of words leads to it. */
function matchesText(searched: SearchedTexts, criteria: SearchCriteria, main: string): Sql {
  return anyOf([
    containsText(searched, main),
    criteria.text === '' ? sql`false` : hasAllWords(searched, main),
  ]);
}

/** Where words are looked for, as the indexes of the schema section Discovery have it, and the texts that letters are compared in. */
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

/** Titles that contain the text as typed, whole words before parts of words. */
export function buildTitleGroups(keys: IndexQueries, text: string): ResultGroup[] {
  return keys.whole === null ? [] : buildGroups(inTitle, keys, text, true);
}

/**
 * As typed, whole words before parts of words where that matters, and then in any inflection. There are as many places
 * whatever was asked for, since each form of a statement is planned by itself: where there is nothing to look for, as
 * inside of words, the query is null, and nothing is read.
 */
function buildGroups(field: SearchField, keys: IndexQueries, main: string, hide: boolean): ResultGroup[] {
  const { whole, inside, insideOfAll, exact } = keys;
  const has = (query: string | null) => sql`${field.words} @@ ${toValue(hide, query, 'tsquery')}`;
  const typed = exact ? [] : [containsPart(field, main, hide)];
  if (!field.wholeFirst) {
    const ofAll = joinQueries(keys, insideOfAll);
    return [
      {
        query: has(joinQueries(keys, inside)),
        queryOfAll: has(ofAll),
        // Whole words are among those in any inflection.
        isWithin: insideOfAll === null && keys.stems !== null && keys.parts.length === 0,
        comparisons: typed,
      },
      ...buildInflectedGroups(field, keys, hide),
    ];
  }
  const word = wholeWordPattern(main);
  const bounded = exact
    ? []
    : [anyOf(field.texts.map((text) => sql`${text} ~* ${toValue(hide, word, 'text')}`))];
  return [
    { query: has(whole), comparisons: [...typed, ...bounded] },
    { query: has(inside), queryOfAll: has(insideOfAll), comparisons: typed },
    ...buildInflectedGroups(field, keys, hide),
  ];
}

/** What one word may be a part of is all there is of `inside`; of several words, they themselves are in it. */
function joinQueries({ whole, exact }: IndexQueries, inside: string | null): string | null {
  if (inside === null || whole === null) return inside ?? whole;
  return exact ? `${whole} | ${inside}` : inside;
}

function buildInflectedGroups(
  field: SearchField,
  { stems, parts }: IndexQueries,
  hide: boolean,
): ResultGroup[] {
  const words = parts.flatMap(({ query }) => (query === null ? [] : [`(${query})`]));
  const queries: [Sql, string | null][] = parts.length === 0 || stems !== null ? [[field.stems, stems]] : [];
  if (words.length > 0) queries.push([field.words, words.join(' & ')]);
  if (queries.length === 0) return [];
  return [
    {
      query: allOf(queries.map(([vector, query]) => sql`${vector} @@ ${toValue(hide, query, 'tsquery')}`)),
      comparisons: parts.flatMap(({ text }) => (text === null ? [] : [containsPart(field, text, hide)])),
    },
  ];
}

/** `hide`: so that the statement is not planned for it (core/database-prepared-statements.ts). */
function toValue(hide: boolean, value: string | null, type: 'text' | 'tsquery'): Sql {
  const typed = sql`${value}::${sql.raw(type)}`;
  return hide ? sql`(select ${typed})` : typed;
}

function containsPart({ texts }: SearchField, part: string, hide: boolean): Sql {
  return anyOf(
    texts.map((text) => sql`${text} ${likeOperator(part)} ${toValue(hide, likeContains(part), 'text')}`),
  );
}
