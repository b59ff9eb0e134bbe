import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { countedResults } from '#shared/search.ts';
import type { Asked } from './asked.ts';
import { all, answerConditions, isNarrowed, questionConditions } from './conditions.ts';
import type { Among } from './levels.ts';
import type { Window } from './matches.ts';

/** The ids of a page in order, and the number of matches, up to one more than are counted out loud. */
export type Matches = { ids: number[]; total: number };

type Sql = RawBuilder<unknown>;

const most = sql.lit(countedResults + 1);

/** Where no index leads to what is asked for, so many posts are looked at, the first in the order of the results. */
const lookedAt = sql.lit(25_000);
/** The same where letters have to be compared: the newest, and the ones with the most upvotes. */
const firstOfEach = sql.lit(3_000);

const orders = {
  recent: sql`post.created_at desc, post.id desc`,
  popular: sql`post.upvotes desc, post.id desc`,
};

/** Questions with their places, which have an index by upvotes. */
const placedQuestions = sql`question_sort_key place join question post on post.id = place.question_id`;
const placedPopular = sql`place.upvotes desc, place.question_id desc`;

/** Conditions alone: the first in the order of the results. */
export async function questionsByConditions(db: Reader, asked: Asked, window: Window): Promise<Matches> {
  const popular = window.sort === 'popular';
  const order = popular ? orders.popular : orders.recent;
  const [questions, indexed] = popular
    ? [placedQuestions, placedPopular]
    : [sql`question post`, orders.recent];
  // Views change too often for an index, and where words are only left out, no index leads to the posts without them.
  const { numbers, without } = asked;
  const leavesOutWords = without.words.length + without.phrases.length > 0;
  const unindexed = (leavesOutWords || numbers.some(({ field }) => field === 'views')) && !isNarrowed(asked);
  const from = unindexed
    ? sql`(select post.* from ${questions} order by ${indexed} limit ${lookedAt}) post`
    : questions;
  const matching = sql`from ${from} where ${all(questionConditions(asked))}`;
  return pageOf(db, matching, { ...window, order: unindexed ? order : indexed });
}

export async function answersByConditions(db: Reader, asked: Asked, window: Window): Promise<Matches> {
  const order = window.sort === 'popular' ? orders.popular : orders.recent;
  // An index by votes would make every vote rewrite all that search knows of the answer.
  const from = isNarrowed(asked)
    ? sql`answer post`
    : sql`(select * from answer post order by ${orders.recent} limit ${lookedAt}) post`;
  return pageOf(db, sql`from ${from} where ${all(answerConditions(asked))}`, { ...window, order });
}

/** What no index of words can find, such as '%', is looked for among the newest posts and those with the most upvotes. */
export async function amongFirst(
  db: Reader,
  matches: Sql,
  { table, conditions, narrowed }: Among,
  window: Window,
): Promise<Matches> {
  const order = window.sort === 'recent' ? orders.recent : orders.popular;
  const where = all([matches, ...conditions]);
  if (narrowed) return pageOf(db, sql`from ${sql.table(table)} post where ${where}`, { ...window, order });
  const popular =
    table === 'question'
      ? sql`select question_id from question_sort_key order by upvotes desc, question_id desc limit ${firstOfEach}`
      : sql`select id from answer where popularity = 0 limit ${firstOfEach}`;
  // The offset keeps PostgreSQL from looking through all of them first.
  const from = sql`(
    select * from ${sql.table(table)} where id in (
      (select id from ${sql.table(table)} order by created_at desc, id desc limit ${firstOfEach})
      union (${popular})
    ) offset 0
  ) post`;
  return pageOf(db, sql`from ${from} where ${where}`, { ...window, order });
}

async function pageOf(
  db: Reader,
  matching: Sql,
  { offset, limit, order }: { offset: number; limit: number; order: Sql },
): Promise<Matches> {
  const { rows } = await sql<{ ids: number[]; total: number }>`
    select
      array(select post.id ${matching} order by ${order} limit ${limit} offset ${offset})::text[]::float8[] as ids,
      (select count(*) from (select 1 ${matching} limit ${most}) counted) as total`.execute(db);
  return rows[0] ?? { ids: [], total: 0 };
}
