import { sql } from 'kysely';
import { canObject } from './objections-queries.ts';
import { hiddenPostTexts, markStaleDays, ownHiddenPostTexts } from '#server/posts/index.ts';
import { type Cursor, isBefore } from '#server/core/cursor.ts';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** A visible post with its location. */
export type VisiblePost = {
  question_id: number;
  answer_id: number | null;
  author_id: number | null;
  /** Title of the question. */
  title: string;
};

export async function findVisiblePost(
  db: Queryable,
  { kind, id }: PostRef,
): Promise<VisiblePost | undefined> {
  const { rows } = await sql<VisiblePost>`${visiblePostQueries[kind](id)}`.execute(db);
  return rows[0];
}

const visiblePostQueries = {
  question: (id: number) => sql`
    select id as question_id, null::bigint as answer_id, author_id, title from question where id = ${id}`,
  answer: (id: number) => sql`
    select question.id as question_id, answer.id as answer_id, answer.author_id, title
    from answer join question on question.id = answer.question_id where answer.id = ${id}`,
  reply: (id: number) => sql`
    select question.id as question_id, answer_id, reply.author_id, title
    from reply join question on question.id = reply.question_id
    where reply.id = ${id} and reply.deleted_at is null`,
};

export type HiddenPostState = 'hidden' | 'deleted';

export type HiddenPostRow = {
  id: number;
  post_kind: PostRef['kind'];
  post_id: number;
  question_id: number;
  answer_id: number | null;
  author_id: number | null;
  status: HiddenPostState;
  reason: string;
  activity_removal_id: number | null;
  /** Of an answer: whether it was accepted. */
  was_accepted: boolean;
  /** Of a question: those that were marked as its duplicates. */
  duplicates: number[];
  created_at: Date;
  /** What the author objects. */
  objection: string | null;
  objection_decided_at: Date | null;
};

/** Days until a post that a moderator deleted is deleted permanently. */
export const deletedPostRetentionDays = 30;

/** Stores the action, and what the post was to others. Returns the id. */
export async function insertHiddenPost(
  tx: Tx,
  wanted: {
    post: PostRef;
    visible: VisiblePost;
    status: HiddenPostState;
    reason: string;
    activityRemovalId: number | null;
  },
): Promise<number> {
  const { post, visible, status, reason, activityRemovalId } = wanted;
  const { rows } = await sql<{ id: number }>`
    insert into hidden_post (
      post_kind, post_id, question_id, answer_id, author_id, status, reason, activity_removal_id,
      purge_at, was_accepted, duplicates
    )
    values (
      ${post.kind}, ${post.id}, ${visible.question_id}, ${post.kind === 'question' ? null : visible.answer_id},
      ${visible.author_id}, ${status}, ${reason}, ${activityRemovalId},
      case when ${status} = 'deleted' then now() + make_interval(days => ${deletedPostRetentionDays}) end,
      ${post.kind === 'answer'} and exists (select from question where accepted_answer_id = ${post.id}),
      array(select id from base_question where ${post.kind === 'question'} and duplicate_of = ${post.id})
    ) returning id`.execute(tx);
  return one(rows).id;
}

export async function findHiddenPost(db: Reader, { kind, id }: PostRef): Promise<HiddenPostRow | undefined> {
  const { rows } = await sql<HiddenPostRow>`
    select * from hidden_post where post_kind = ${kind} and post_id = ${id}`.execute(db);
  return rows[0];
}

type HiddenPostWithTexts = HiddenPostRow & {
  title: string | null;
  content: string;
  author_name: string | null;
  can_object: boolean;
};

/** Hidden posts of a question: the author's own, or all for moderators. */
export async function listHiddenPosts(
  db: Reader,
  {
    questionId,
    authorId,
    position,
    limit,
  }: { questionId: number; authorId: number | null; position: Cursor | null; limit: number },
) {
  const whose = authorId === null ? sql`true` : sql`author_id = ${authorId} and status = 'hidden'`;
  const texts = authorId === null ? hiddenPostTexts : ownHiddenPostTexts;
  const { rows } = await sql<HiddenPostWithTexts>`
    select hidden_post.*, ${texts}, member.display_name as author_name, ${canObject} as can_object
    from hidden_post left join member on member.id = author_id
    where question_id = ${questionId} and ${whose}
      and ${position === null ? sql`true` : sql`(hidden_post.created_at, hidden_post.id) < (${new Date(position.after)}::timestamptz, ${position.id})`}
    order by hidden_post.created_at desc, hidden_post.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The posts of a member that moderators removed, the latest first, before the cursor. */
export async function listRemovedPosts(
  db: Reader,
  { memberId, before, limit }: { memberId: number; before: number | null; limit: number },
) {
  const { rows } = await sql<HiddenPostRow & { title: string | null; can_object: boolean }>`
    select hidden_post.*, ${ownHiddenPostTexts}, ${canObject} as can_object from hidden_post
    where author_id = ${memberId} and ${isBefore(sql`hidden_post.id`, before)}
    order by hidden_post.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The title of the question of a hidden post, if its author may read it. */
export async function findQuestionTitle(tx: Tx, { id }: HiddenPostRow): Promise<string | null> {
  const { rows } = await sql<{ title: string | null }>`
    select ${ownHiddenPostTexts} from hidden_post where id = ${id}`.execute(tx);
  return rows[0]?.title ?? null;
}

/** Returns deleted posts whose retention period has ended. */
export async function listPurgeablePosts(db: Queryable, limit: number): Promise<HiddenPostRow[]> {
  const { rows } = await sql<HiddenPostRow>`
    select * from hidden_post
    where purge_at < now() and (objection is null or objection_decided_at is not null) order by purge_at limit ${sql.lit(limit)}`.execute(
    db,
  );
  return rows;
}

/** Accepts an answer again that was accepted when it was hidden, unless another one is accepted now. */
export async function restoreAcceptedAnswer(
  tx: Tx,
  { questionId, answerId }: { questionId: number; answerId: number },
): Promise<boolean> {
  const { rows } = await sql`
    with accepted as (
      update question set accepted_answer_id = ${answerId}
      where id = ${questionId} and accepted_answer_id is null returning id, created_at
    ), stale_days as (
      ${markStaleDays(sql`select created_at from accepted`)}
    )
    select id from accepted`.execute(tx);
  return rows.length > 0;
}

/** The original of a question that may be hidden, the question itself if it is no duplicate. */
export async function findOriginal(tx: Tx, questionId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(duplicate_of, id) as id from base_question where id = ${questionId}`.execute(tx);
  return one(rows).id;
}

/** Marks questions again as duplicates of an original, except those that are marked otherwise now. Returns their ids. */
export async function restoreDuplicates(
  tx: Tx,
  { ids, original }: { ids: readonly number[]; original: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update base_question set duplicate_of = ${original}
    where id = any(${[...ids]}::bigint[]) and id <> ${original} and duplicate_of is null returning id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Whether the answer that a reply belongs to exists. */
export async function answerExists(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`select id from answer where id = ${id}`.execute(tx);
  return rows.length > 0;
}
