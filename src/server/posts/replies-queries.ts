import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { jsonTime, one } from '#server/core/sql.ts';
import { bylineJoins, bylineJson } from './posts.ts';
import type { Reply } from '#shared/posts/replies.ts';

/** A reply as the API returns it. */
export type ReplyRow = { id: number; reply: Reply };

/**
 * A reply as arguments of `json_build_object`, selected from `thread_reply post` with the byline's joins. Author and
 * source of a deleted one are not shown.
 */
export const replyFields = sql`
  'id', post.id, 'questionId', post.question_id, 'answerId', post.answer_id,
  'parentReplyId', post.parent_reply_id, 'level', post.level, 'content', post.content,
  'deleted', post.deleted_at is not null, ${bylineJson('reply', sql`post.deleted_at is null`)},
  'createdAt', ${jsonTime(sql`post.created_at`)}, 'updatedAt', ${jsonTime(sql`post.updated_at`)},
  'editedAt', ${jsonTime(sql`post.edited_at`)}, 'upvotes', post.upvotes, 'downvotes', post.downvotes`;

const replyColumns = (viewerId: number) => sql`
  post.id, json_build_object(${replyFields}, 'myVote', (
    select direction from vote where reply_id = post.id and member_id = ${viewerId} and post.deleted_at is null
  )) as reply`;

/** The first `limit` replies of each answer, oldest first. */
export async function listFirstReplies(
  db: Reader,
  { answerIds, viewerId, limit }: { answerIds: readonly number[]; viewerId: number; limit: number },
) {
  const answers = sql`select unnest(${[...answerIds]}::bigint[]) as id`;
  const { rows } = await selectFirstReplies<ReplyRow>({ answers, limit }, replyColumns(viewerId)).execute(db);
  return rows;
}

/**
 * The query of the first replies of answers.
 * @param answers a query with the column `id`
 * @param columns of `thread_reply post` with the byline's joins
 */
export function selectFirstReplies<Row>(
  { answers, limit }: { answers: RawBuilder<unknown>; limit: number },
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  return sql<Row>`
    select reply.* from (${answers}) as wanted
    cross join lateral (
      select ${columns} from thread_reply post ${bylineJoins}
      where post.answer_id = wanted.id order by post.id limit ${sql.lit(limit)}
    ) reply`;
}

/** Replies to one answer, or to the question itself if `answerId` is null. Oldest first, after `afterId`. */
type ReplyWindow = {
  on: { questionId: number | RawBuilder<unknown>; answerId: number | null };
  afterId: number;
  limit: number;
};

export async function listRepliesAfter(db: Reader, wanted: ReplyWindow & { viewerId: number }) {
  const { rows } = await selectReplies<ReplyRow>(wanted, replyColumns(wanted.viewerId)).execute(db);
  return rows;
}

/**
 * The query of a page of replies.
 * @param columns of `thread_reply post` with the byline's joins
 */
export function selectReplies<Row>(
  { on, afterId, limit }: ReplyWindow,
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  const condition =
    on.answerId === null
      ? sql`post.question_id = ${on.questionId} and post.answer_id is null`
      : sql`post.answer_id = ${on.answerId}`;
  return sql<Row>`
    select ${columns} from thread_reply post ${bylineJoins}
    where ${condition} and post.id > ${afterId} order by post.id limit ${sql.lit(limit)}`;
}

/** The parent of a reply: an answer, or the question itself if `answerId` is null. */
export type ReplyTarget = { questionId: number; answerId: number | null };

export async function findReplyById(db: Reader, { id, viewerId }: { id: number; viewerId: number }) {
  const { rows } = await sql<ReplyRow>`
    select ${replyColumns(viewerId)} from thread_reply post ${bylineJoins}
    where post.id = ${id} and exists (select from question where id = post.question_id)
      and (post.answer_id is null or exists (select from answer where id = post.answer_id))`.execute(db);
  return rows[0];
}

/** Locks the parent reply against deletion. */
export async function lockParentReply(tx: Tx, id: number) {
  const { rows } = await sql<{
    question_id: number;
    answer_id: number | null;
    author_id: number | null;
    level: number;
    deleted: boolean;
  }>`
    select question_id, answer_id, author_id, level, deleted_at is not null as deleted from reply
    where id = ${id} for share`.execute(tx);
  return rows[0];
}

export async function insertReply(
  tx: Tx,
  reply: {
    /** The reserved id; null for a new one. */
    id: number | null;
    on: ReplyTarget;
    parentReplyId: number | null;
    level: number;
    authorId: number;
    content: string;
  },
) {
  const { on, parentReplyId, level, authorId, content } = reply;
  const { rows } = await sql<{ id: number; created_at: Date }>`
    insert into reply (id, question_id, answer_id, parent_reply_id, level, author_id, content)
    overriding system value
    values (coalesce(${reply.id}::bigint, nextval('reply_id_seq')), ${on.questionId}, ${on.answerId}, ${parentReplyId}, ${level}, ${authorId}, ${content})
    returning id, created_at`.execute(tx);
  return one(rows);
}

/** The author of the answer or question that is replied to. Undefined if it is gone. */
export async function findTargetAuthor(tx: Tx, on: ReplyTarget): Promise<number | null | undefined> {
  const host =
    on.answerId === null
      ? sql`select author_id from question where id = ${on.questionId}`
      : sql`select author_id from answer where id = ${on.answerId}`;
  const { rows } = await sql<{ author_id: number | null }>`${host}`.execute(tx);
  return rows[0]?.author_id;
}

export async function lockReply(tx: Tx, id: number) {
  const { rows } = await sql<{
    id: number;
    question_id: number;
    answer_id: number | null;
    parent_reply_id: number | null;
    author_id: number | null;
    content: string;
    deleted: boolean;
    created_at: Date;
    edited_at: Date | null;
  }>`
    select id, question_id, answer_id, parent_reply_id, author_id, content, deleted_at is not null as deleted, created_at, edited_at
    from reply where id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function updateReply(tx: Tx, { id, content }: { id: number; content: string }) {
  await sql`
    update reply set content = ${content}, edited_at = now(), updated_at = now() where id = ${id}`.execute(
    tx,
  );
}
