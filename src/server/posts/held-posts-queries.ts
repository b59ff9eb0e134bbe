import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import type { ProposedTag } from '#shared/posts/tag-proposals.ts';

/** Where a held post belongs, and its text. `title` and `tags` of a question, null for others. */
export type HeldPostDraft = {
  kind: PostKind;
  memberId: number;
  questionId: number | null;
  answerId: number | null;
  parentReplyId: number | null;
  title: string | null;
  tags: readonly string[] | null;
  /** Tags that a question proposes to the moderators. */
  proposedTags?: readonly ProposedTag[];
  content: string;
};

export type HeldPostRow = {
  id: number;
  post_kind: PostKind;
  post_id: number;
  member_id: number;
  question_id: number | null;
  answer_id: number | null;
  parent_reply_id: number | null;
  title: string | null;
  tags: string[] | null;
  proposed_tags: ProposedTag[] | null;
  content: string;
  created_at: Date;
  rejection_reason: string | null;
};

/** SQL: a held post with the question it belongs to; a question has its own reserved id. */
export const heldPostColumns = sql`
  id, post_kind, post_id, member_id, content, created_at, rejection_reason,
  coalesce(question_id, post_id) as question_id,
  coalesce(title, (select title from base_question where base_question.id = question_id)) as title`;

/** The same for its author. The title is null if the question of another member is hidden. */
export const ownHeldPostColumns = sql`
  id, post_kind, post_id, member_id, content, created_at, rejection_reason,
  coalesce(question_id, post_id) as question_id,
  coalesce(title, (
    select title from base_question where base_question.id = question_id
      and (hidden_by is null or author_id = member_id)
  )) as title`;

const sequences: Readonly<Record<PostKind, string>> = {
  question: 'question_id_seq',
  answer: 'answer_id_seq',
  reply: 'reply_id_seq',
};

/** @param postId reserved for the post; null reserves the next one */
export async function insertHeldPost(
  tx: Tx,
  { held, postId }: { held: HeldPostDraft; postId: number | null },
): Promise<{ id: number; post_id: number }> {
  const {
    kind,
    memberId,
    questionId,
    answerId,
    parentReplyId,
    title,
    tags,
    content,
    proposedTags = [],
  } = held;
  const { rows } = await sql<{ id: number; post_id: number }>`
    insert into held_post (
      post_kind, post_id, member_id, question_id, answer_id, parent_reply_id, title, tags, content, proposed_tags
    )
    values (
      ${kind}, coalesce(${postId}::bigint, nextval(${sequences[kind]})), ${memberId}, ${questionId}, ${answerId},
      ${parentReplyId}, ${title}, ${tags === null ? null : [...tags]}::text[], ${content},
      ${proposedTags.length === 0 ? null : JSON.stringify(proposedTags)}::jsonb
    ) returning id, post_id`.execute(tx);
  return one(rows);
}

/** A held post, and the title of the question that it is or belongs to, if its author may read it. */
export type LockedHeldPost = HeldPostRow & { thread_title: string | null };

/** Returns a held post, which is then locked until the transaction ends. */
export async function lockHeldPost(tx: Tx, { kind, id }: PostRef): Promise<LockedHeldPost | undefined> {
  const { rows } = await sql<LockedHeldPost>`
    select *, coalesce(title, (
      select title from base_question where base_question.id = question_id
        and (hidden_by is null or author_id = member_id)
    )) as thread_title
    from held_post where post_kind = ${kind} and post_id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Whether a post waits for approval or was rejected. */
export async function heldPostExists(db: Queryable, { kind, id }: PostRef): Promise<boolean> {
  const { rows } = await sql`
    select from held_post where post_kind = ${kind} and post_id = ${id}`.execute(db);
  return rows.length > 0;
}

/** Its entry in the review queue is deleted with it. */
export async function deleteHeldPost(tx: Tx, id: number): Promise<void> {
  await sql`delete from held_post where id = ${id}`.execute(tx);
}

/** Returns whether there was one that was not rejected yet. */
export async function setHeldPostRejected(
  tx: Tx,
  { id, reason }: { id: number; reason: string },
): Promise<boolean> {
  const { rows } = await sql`
    with rejected as (
      update held_post set rejection_reason = ${reason}, rejected_at = now()
      where id = ${id} and rejected_at is null returning id
    ), unqueued as (
      delete from review_item where held_post_id in (select id from rejected)
    )
    select id from rejected`.execute(tx);
  return rows.length > 0;
}

/** Rejects all posts of these members that wait for approval. */
export async function rejectHeldPosts(
  tx: Tx,
  { memberIds, reason }: { memberIds: readonly number[]; reason: string },
): Promise<void> {
  await sql`
    with waiting as (
      select id from held_post where member_id = any(${[...memberIds]}::bigint[]) and rejected_at is null
      order by id for update
    ), unqueued as (
      delete from review_item where held_post_id in (select id from waiting)
    )
    update held_post set rejection_reason = ${reason}, rejected_at = now()
    where id in (select id from waiting)`.execute(tx);
}

/**
 * Deletes a held post of its author, with its entry in the review queue.
 * @returns whether there was one
 */
export async function deleteOwnHeldPost(
  tx: Tx,
  { id, memberId }: { id: number; memberId: number },
): Promise<boolean> {
  const { rows } = await sql`
    delete from held_post where id = ${id} and member_id = ${memberId} returning id`.execute(tx);
  return rows.length > 0;
}

/** Days until a rejected post is deleted: its author and moderators can read it until then. */
const rejectedPostRetentionDays = 30;

/** Deletes rejected posts whose retention period has ended, a limited number per call. */
export async function deleteOldRejectedPosts(db: Queryable): Promise<void> {
  await sql`
    delete from held_post where id in (
      select id from held_post where rejected_at < now() - make_interval(days => ${rejectedPostRetentionDays})
      order by rejected_at limit 1000
    )`.execute(db);
}
