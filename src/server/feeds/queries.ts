import { type RawBuilder, sql } from 'kysely';
import { isHidden, type Mutes } from '#server/mutes/hidden.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Cursor } from '#server/posts/cursor.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';
import type { Feed } from '#shared/feeds.ts';

/** `limit` rows at most, behind the cursor. */
export type FeedWindow = { feed: Feed; cursor: Cursor | null; limit: number };

/** A feed's questions in its order. */
export async function feedQuestions(db: Reader, { feed, cursor, limit }: FeedWindow) {
  const { from, order } = lists[feed];
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where ${from(cursor)} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** The same rows by their ids and sort keys alone, and which of them are left out. */
export async function feedPositions(
  db: Reader,
  { feed, cursor, limit, mutes }: FeedWindow & { mutes: Mutes },
) {
  const { from, order } = lists[feed];
  const { rows } = await sql<{ id: number; created_at: Date; upvotes: number; hidden: boolean }>`
    select post.id, post.created_at, post.upvotes, ${isHidden(mutes)} as hidden from question post
    where ${from(cursor)} order by ${order} limit ${limit}`.execute(db);
  return rows;
}

/** Those of the questions that are still there, in any order. */
export async function questionsById(db: Reader, ids: readonly number[]) {
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where post.id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

type List = { from: (cursor: Cursor | null) => RawBuilder<unknown>; order: RawBuilder<unknown> };

const newestFirst = sql`post.created_at desc, post.id desc`;

const olderThan = (cursor: Cursor | null) =>
  cursor === null
    ? sql`true`
    : sql`(post.created_at, post.id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;

/** What each feed holds, in the order of an index: question_recent, question_popular, question_unanswered. */
const lists: Readonly<Record<Feed, List>> = {
  recent: { from: olderThan, order: newestFirst },
  popular: {
    from: (cursor) =>
      cursor === null ? sql`true` : sql`(post.upvotes, post.id) < (${cursor.after}, ${cursor.id})`,
    order: sql`post.upvotes desc, post.id desc`,
  },
  unanswered: {
    from: (cursor) => sql`post.answer_count = 0 and ${olderThan(cursor)}`,
    order: newestFirst,
  },
};
