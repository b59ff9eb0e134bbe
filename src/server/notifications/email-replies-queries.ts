import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import type { RepliedPost } from './email-replies-address.ts';

/** Where a reply to a post goes: to its question, below its answer (null: below the question), and to which reply. */
export type ReplyPlace = {
  questionId: number;
  title: string;
  answerId: number | null;
  /** The reply itself, or the one above it if the thread is as deep as it can be. */
  parentReplyId: number | null;
};

/** Undefined if the post is deleted or hidden. */
export async function findReplyPlace(
  db: Queryable,
  { post: { kind, id }, maxLevel }: { post: RepliedPost; maxLevel: number },
): Promise<ReplyPlace | undefined> {
  const place = {
    question: sql`select id as question_id, null::bigint as answer_id, null::bigint as parent_reply_id
      from question where id = ${id}`,
    answer: sql`select question_id, id, null::bigint from answer where id = ${id}`,
    reply: sql`select question_id, answer_id, case when level < ${maxLevel} then id else parent_reply_id end
      from reply where id = ${id} and deleted_at is null`,
  }[kind];
  const { rows } = await sql<ReplyPlace>`
    with place (question_id, answer_id, parent_reply_id) as (${place})
    select question_id as "questionId", title, answer_id as "answerId", parent_reply_id as "parentReplyId"
    from place join question on question.id = place.question_id`.execute(db);
  return rows[0];
}

/** The text of a post. Undefined if it is deleted or hidden. */
export async function findPostText(db: Queryable, { kind, id }: RepliedPost): Promise<string | undefined> {
  const { rows } = await sql<{ content: string }>`
    select content from ${sql.table(kind)}
    where id = ${id} ${kind === 'reply' ? sql`and deleted_at is null` : sql``}`.execute(db);
  return rows[0]?.content;
}
