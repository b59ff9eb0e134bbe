import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import {
  answerCardColumns,
  type AnswerCardRow,
  bylineJoins,
  isTagVisible,
  questionCardColumns,
  type QuestionCardRow,
  tagIdOf,
} from '#server/posts/index.ts';
import { likeContains, likePrefix } from '#server/core/sql.ts';
import { maxCountedResults, type SearchSort } from '#shared/discovery/search.ts';
import { hasTrigram } from './search-words.ts';

/** A page of results: at most `limit` rows from position `offset`. */
export type PageWindow = { sort: SearchSort; offset: number; limit: number };

/** The texts to highlight. */
type HighlightSource = { title: string; content: string };

/** Characters of a text that are read for highlights. */
const textStart = sql`left(post.content, 20000)`;

const listIds = (ids: readonly number[]) =>
  sql`unnest((select ${[...ids]}::bigint[])) with ordinality as listed (id, position)`;

/** Returns the cards of questions in the order of the ids. */
export async function readQuestionCards(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { rows } = await sql<QuestionCardRow & HighlightSource>`
    ${planOnceHint}select ${questionCardColumns}, post.title, ${textStart} as content
    from ${listIds(ids)} join question post on post.id = listed.id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows;
}

/** Returns the cards of answers in the order of the ids. */
export async function readAnswerCards(db: Reader, ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { rows } = await sql<AnswerCardRow & HighlightSource>`
    ${planOnceHint}select ${answerCardColumns}, question.title, ${textStart} as content
    from ${listIds(ids)} join answer post on post.id = listed.id
    join question on question.id = post.question_id ${bylineJoins}
    order by listed.position`.execute(db);
  return rows;
}

const maxTotal = sql.lit(maxCountedResults + 1);

export type MemberRow = {
  id: number;
  display_name: string;
  avatar: string | null;
  is_bot: boolean;
  created_at: Date;
  reputation: number;
  questions_count: number;
  answers_count: number;
};

/** Matching members that are sorted at most. */
const maxMembersSorted = sql.lit(10_000);

/**
 * No index serves a query without three letters or digits in a row. It is compared with this many of the newest
 * members' names.
 */
const maxMembersCompared = sql.lit(20_000);

/** Members whose name contains the query; names that begin with it come first. */
export async function findMembers(
  db: Reader,
  { query, sort, offset, limit }: PageWindow & { query: string },
) {
  const pattern = likeContains(query);
  const matching = hasTrigram.test(query)
    ? sql`select id from member where display_name ilike ${pattern} and application is null limit ${maxMembersSorted}`
    : sql`
      (select id from member where ${namePrefix} like lower(${likePrefix(query)}) and application is null
        limit ${maxMembersSorted})
      union
      (select id from (
          select id, display_name from member where application is null order by id desc limit ${maxMembersCompared}
        ) newest
        where display_name ilike ${pattern})`;
  const order = {
    relevance: sql`member.display_name not ilike ${pattern.slice(1)}, member.reputation desc, member.id`,
    recent: sql`member.created_at desc, member.id desc`,
    popular: sql`member.reputation desc, member.id`,
  }[sort];
  const { rows } = await sql<MemberRow & { total: number }>`
    with match as materialized (${matching})
    select member.id, member.display_name, member.avatar, member.is_bot, member.created_at, member.reputation,
      member.questions_count, member.answers_count,
      (select count(*) from (select 1 from match limit ${maxTotal}) counted) as total
    from match join member on member.id = match.id
    order by ${order} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Names of tags similar to the query, or to one of its words. */
export async function findSimilarTags(
  db: Reader,
  { words, limit }: { words: readonly string[]; limit: number },
) {
  const { rows } = await sql<{ name: string }>`
    select tag.name from tag join unnest(${[...words]}::text[]) as word on tag.key % word
    where tag.questions_count > 0
    group by tag.id order by max(similarity(tag.key, word)) desc, tag.questions_count desc limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.name);
}

/** Returns the id of the visible tag with that key or synonym, or no id. */
export async function findTagIds(db: Reader, key: string): Promise<number[]> {
  const { rows } = await sql<{
    id: number;
  }>`select id from tag where id = ${tagIdOf(key)} and ${isTagVisible}`.execute(db);
  return rows.map((row) => row.id);
}

/** Members with the same name that a search considers at most. */
const sameName = 50;

/**
 * Returns the members that an id or a name means: those with exactly this name, without case, otherwise those whose
 * name begins with it.
 */
export async function findMemberIds(
  db: Reader,
  { user: name, isName = false }: { user: string; isName?: boolean },
): Promise<number[]> {
  if (!isName && /^\d{1,15}$/u.test(name)) {
    const { rows } = await sql<{ id: number }>`
      select id from member where id = ${Number(name)} and application is null`.execute(db);
    return rows.map((row) => row.id);
  }
  const { rows } = await sql<{ id: number; exact: boolean }>`
    (select id, true as exact from member
      where ${namePrefix} = lower(left(${name}, 80)) and application is null limit ${sameName})
    union all
    (select id, false as exact from member
      where ${namePrefix} like lower(${likePrefix(name)}) and application is null limit ${sameName})`.execute(
    db,
  );
  const exact = rows.some((row) => row.exact);
  return rows.filter((row) => row.exact === exact).map((row) => row.id);
}

/** The expression of the index member_name_prefix. */
export const namePrefix = sql`lower(left(member.display_name, 80))`;
