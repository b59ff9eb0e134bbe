import { type RawBuilder, sql } from 'kysely';
import { hasMutedTag, type Mutes } from '#server/engagement/index.ts';
import type { Reader } from '#server/core/database.ts';
import type { Cursor } from '#server/core/cursor.ts';
import {
  bylineJoins,
  questionCardColumns,
  questionCardDocumentColumns,
  type QuestionCardDocumentRow,
  type QuestionCardRow,
} from '#server/posts/index.ts';
import type { Feed } from '#shared/discovery/feeds.ts';

/** At most `limit` rows after the cursor. */
export type FeedWindow = { feed: Feed; cursor: Cursor | null; limit: number };

/** Returns the questions of a feed in its order. */
export async function listFeedCards(db: Reader, { feed, cursor, limit }: FeedWindow) {
  const { table, from, order } = lists[feed];
  const { rows } = await sql<QuestionCardDocumentRow>`
    select ${questionCardDocumentColumns} from ${table} ${bylineJoins}
    where ${from(cursor)} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** Returns the views of the same questions by id. */
export async function readFeedViews(
  db: Reader,
  { feed, cursor, limit }: FeedWindow,
): Promise<Record<string, number>> {
  const { table, from, order } = lists[feed];
  const { rows } = await sql<{ views: Record<string, number> }>`
    select coalesce(json_object_agg(id, views), '{}') as views from (
      select post.id, post.views from ${table} where ${from(cursor)} order by ${order} limit ${limit}
    ) shown`.execute(db);
  return rows[0]?.views ?? {};
}

/** Returns the ids and sort keys of the same rows, and which of them are muted. */
export async function listFeedSortKeys(
  db: Reader,
  { feed, cursor, limit, mutes }: FeedWindow & { mutes: Mutes },
) {
  const { table, from, order } = lists[feed];
  const { rows } = await sql<{ id: number; created_at: Date; upvotes: number; hidden: boolean }>`
    select post.id, post.created_at, post.upvotes, ${hasMutedTag(mutes)} as hidden from ${table}
    where ${from(cursor)} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** Returns those of the questions that still exist, in any order. */
export async function listQuestionCards(db: Reader, ids: readonly number[]) {
  const { rows } = await sql<QuestionCardRow>`
    select ${questionCardColumns} from question post ${bylineJoins}
    where post.id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

type List = {
  table: RawBuilder<unknown>;
  from: (cursor: Cursor | null) => RawBuilder<unknown>;
  order: RawBuilder<unknown>;
};

const afterCursor = (keys: RawBuilder<unknown>, cursor: Cursor | null, after: RawBuilder<unknown>) =>
  cursor === null ? sql`true` : sql`(${keys}) < (${after}, ${cursor.id})`;

const time = (cursor: Cursor | null) => sql`${new Date(cursor?.after ?? 0)}::timestamptz`;

const sortedQuestions = sql`question_sort_key sort_key join question post on post.id = sort_key.question_id`;

/**
 * The questions of each feed, in the order of an index: question_recent, question_sort_key_popular,
 * question_sort_key_unanswered.
 */
const lists: Readonly<Record<Feed, List>> = {
  recent: {
    table: sql`question post`,
    from: (cursor) => afterCursor(sql`post.created_at, post.id`, cursor, time(cursor)),
    order: sql`post.created_at desc, post.id desc`,
  },
  popular: {
    table: sortedQuestions,
    from: (cursor) =>
      afterCursor(sql`sort_key.upvotes, sort_key.question_id`, cursor, sql`${cursor?.after ?? 0}`),
    order: sql`sort_key.upvotes desc, sort_key.question_id desc`,
  },
  unanswered: {
    table: sortedQuestions,
    from: (cursor) =>
      sql`sort_key.answer_count = 0 and ${afterCursor(sql`sort_key.created_at, sort_key.question_id`, cursor, time(cursor))}`,
    order: sql`sort_key.created_at desc, sort_key.question_id desc`,
  },
};
