import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { maxCountedResults } from '#shared/discovery/search.ts';
import type { SearchCriteria } from './search-criteria.ts';
import {
  allOf,
  answerConditions,
  hasIndexedCondition,
  indexedConditions,
  questionConditions,
} from './search-conditions.ts';
import type { RankedPosts } from './ranking-queries.ts';
import type { PageWindow } from './search-queries.ts';

/** The ids of a page in order, and the number of matches, at most one above the highest number shown. */
export type MatchPage = { ids: number[]; total: number };

type Sql = RawBuilder<unknown>;

const countLimit = sql.lit(maxCountedResults + 1);

/** Posts read at most, in the order of the results, if no index serves the conditions. */
const maxScanned = sql.lit(25_000);
/** Posts whose text is compared at most: of the newest, and of those with the most upvotes. */
const maxScannedPerOrder = sql.lit(3_000);
/** Posts whose text is compared at most if an index serves the conditions: the newest. */
const maxScannedIndexed = sql.lit(6_000);

const orders = {
  recent: sql`post.created_at desc, post.id desc`,
  popular: sql`post.upvotes desc, post.id desc`,
};

/** Questions with their sort keys, which have an index by upvotes. */
const sortedQuestions = sql`question_sort_key sort_key join question post on post.id = sort_key.question_id`;
const byPopularity = sql`sort_key.upvotes desc, sort_key.question_id desc`;

/** Questions by conditions only, in the order of the results. */
export async function findQuestionsByConditions(
  db: Reader,
  criteria: SearchCriteria,
  window: PageWindow,
): Promise<MatchPage> {
  const popular = window.sort === 'popular';
  const order = popular ? orders.popular : orders.recent;
  const [questions, indexed] = popular
    ? [sortedQuestions, byPopularity]
    : [sql`question post`, orders.recent];
  // Views change too often for an index, and no index finds the posts without an excluded word.
  const { numbers, excluded } = criteria;
  const leavesOutWords = excluded.words.length + excluded.phrases.length > 0;
  const unindexed =
    (leavesOutWords || numbers.some(({ field }) => field === 'views')) && !hasIndexedCondition(criteria);
  const from = unindexed
    ? sql`(select post.* from ${questions} order by ${indexed} limit ${maxScanned}) post`
    : questions;
  const matching = sql`from ${from} where ${allOf(questionConditions(criteria))}`;
  return readPage(db, matching, { ...window, order: unindexed ? order : indexed });
}

export async function findAnswersByConditions(
  db: Reader,
  criteria: SearchCriteria,
  window: PageWindow,
): Promise<MatchPage> {
  const order = window.sort === 'popular' ? orders.popular : orders.recent;
  // Answers have no index by votes, because each vote would then update all search indexes of the answer.
  const from = hasIndexedCondition(criteria)
    ? sql`answer post`
    : sql`(select * from answer post order by ${orders.recent} limit ${maxScanned}) post`;
  return readPage(db, sql`from ${from} where ${allOf(answerConditions(criteria))}`, { ...window, order });
}

/**
 * Searches what no word index can find, such as '%', among the newest posts and those with the most upvotes; with tags,
 * authors or a first day, among the newest posts that meet these.
 */
export async function findAmongFirst(
  db: Reader,
  matches: Sql,
  { criteria, table, conditions }: Pick<RankedPosts, 'table' | 'conditions'> & { criteria: SearchCriteria },
  { sort, offset, limit }: PageWindow,
): Promise<MatchPage> {
  const order = sort === 'recent' ? orders.recent : orders.popular;
  const posts = sql.table(table);
  const popular =
    table === 'question'
      ? sql`select question_id from question_sort_key order by upvotes desc, question_id desc limit ${maxScannedPerOrder}`
      : sql`select id from answer where popularity = 0 limit ${maxScannedPerOrder}`;
  const compared = hasIndexedCondition(criteria)
    ? sql`
      select post.id from ${posts} post where ${allOf(indexedConditions(criteria, table))}
      order by ${orders.recent} limit ${maxScannedIndexed}`
    : sql`
      (select id from ${posts} order by created_at desc, id desc limit ${maxScannedPerOrder})
      union (${popular})`;
  // The offset keeps PostgreSQL from scanning all posts first. Each text is compared once, for the page and the number.
  const { rows } = await sql<{ ids: number[]; total: number }>`
    with matching as materialized (
      select post.id, row_number() over (order by ${order}) as place
      from (select * from ${posts} where id in (${compared}) offset 0) post
      where ${allOf([matches, ...conditions])}
    )
    select
      array(select id from matching order by place limit ${limit} offset ${offset})::text[]::float8[] as ids,
      (select least(count(*), ${countLimit}) from matching) as total`.execute(db);
  return rows[0] ?? { ids: [], total: 0 };
}

async function readPage(
  db: Reader,
  matching: Sql,
  { offset, limit, order }: { offset: number; limit: number; order: Sql },
): Promise<MatchPage> {
  const { rows } = await sql<{ ids: number[]; total: number }>`
    select
      array(select post.id ${matching} order by ${order} limit ${limit} offset ${offset})::text[]::float8[] as ids,
      (select count(*) from (select 1 ${matching} limit ${countLimit}) counted) as total`.execute(db);
  return rows[0] ?? { ids: [], total: 0 };
}
