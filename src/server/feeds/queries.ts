import { sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import type { Cursor } from '#server/posts/cursor.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';

/** `limit` rows at most, behind the cursor. */
export type FeedWindow = { cursor: Cursor | null; limit: number };

/** Newest first; served in order by the index question_recent. */
export async function recentQuestions(db: Reader, { cursor, limit }: FeedWindow) {
  const behind = cursor === null ? sql`true` : olderThan(cursor);
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where ${behind} order by post.created_at desc, post.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Most upvotes first; served in order by the index question_popular. */
export async function popularQuestions(db: Reader, { cursor, limit }: FeedWindow) {
  const behind = cursor === null ? sql`true` : sql`(post.upvotes, post.id) < (${cursor.after}, ${cursor.id})`;
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where ${behind} order by post.upvotes desc, post.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Newest without an answer first; served in order by the partial index question_unanswered. */
export async function unansweredQuestions(db: Reader, { cursor, limit }: FeedWindow) {
  const behind = cursor === null ? sql`true` : olderThan(cursor);
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where post.answer_count = 0 and ${behind} order by post.created_at desc, post.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

const olderThan = (cursor: Cursor) =>
  sql`(post.created_at, post.id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;
