import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { type QuestionCounts, selectPoints } from '#server/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** A visible post with its location. */
export type VisiblePost = {
  question_id: number;
  answer_id: number | null;
  author_id: number | null;
  /** Title of the question. */
  title: string;
  content: string;
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
    select id as question_id, null::bigint as answer_id, author_id, title, content from question where id = ${id}`,
  answer: (id: number) => sql`
    select question.id as question_id, answer.id as answer_id, answer.author_id, title, answer.content
    from answer join question on question.id = answer.question_id where answer.id = ${id}`,
  reply: (id: number) => sql`
    select question.id as question_id, answer_id, reply.author_id, title, reply.content
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
  title: string;
  content: string;
  activity_removal_id: number | null;
  created_at: Date;
};

/** Days until a post that a moderator deleted is deleted permanently. */
export const deletedPostRetentionDays = 30;

/** Returns the id. */
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
      post_kind, post_id, question_id, answer_id, author_id, status, reason, title, content, activity_removal_id, purge_at
    )
    values (
      ${post.kind}, ${post.id}, ${visible.question_id}, ${post.kind === 'question' ? null : visible.answer_id},
      ${visible.author_id}, ${status}, ${reason}, ${visible.title}, ${visible.content}, ${activityRemovalId},
      case when ${status} = 'deleted' then now() + make_interval(days => ${deletedPostRetentionDays}) end
    ) returning id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('insert returned no row');
  return row.id;
}

export async function findHiddenPost(db: Reader, { kind, id }: PostRef): Promise<HiddenPostRow | undefined> {
  const { rows } = await sql<HiddenPostRow>`
    select * from hidden_post where post_kind = ${kind} and post_id = ${id}`.execute(db);
  return rows[0];
}

export async function lockHiddenPost(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`select id from hidden_post where id = ${id} for update`.execute(tx);
  return rows.length > 0;
}

/** Also deletes its stored rows. */
export async function deleteHiddenPost(tx: Tx, id: number): Promise<void> {
  await sql`delete from hidden_post where id = ${id}`.execute(tx);
}

/** Hidden posts of a question: the author's own, or all for moderators. */
export async function listHiddenPosts(
  db: Reader,
  { questionId, authorId, limit }: { questionId: number; authorId: number | null; limit: number },
) {
  const whose = authorId === null ? sql`true` : sql`author_id = ${authorId} and status = 'hidden'`;
  const { rows } = await sql<HiddenPostRow & { author_name: string | null }>`
    select hidden_post.*, member.display_name as author_name
    from hidden_post left join member on member.id = author_id
    where question_id = ${questionId} and ${whose} order by hidden_post.id limit ${sql.lit(limit)}`.execute(
    db,
  );
  return rows;
}

/** Returns deleted posts whose retention period has ended. */
export async function listPurgeablePosts(db: Queryable, limit: number): Promise<HiddenPostRow[]> {
  const { rows } = await sql<HiddenPostRow>`
    select * from hidden_post where purge_at < now() order by purge_at limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Recounts the votes and views of restored posts. Returns the counts of the questions among them. */
export async function recountPosts(
  tx: Tx,
  { questionIds, answerIds, replyIds }: Record<'questionIds' | 'answerIds' | 'replyIds', readonly number[]>,
): Promise<void> {
  const lists = { question: questionIds, answer: answerIds, reply: replyIds } as const;
  for (const [kind, ids] of Object.entries(lists)) {
    if (ids.length === 0) continue;
    const counted = (direction: 'up' | 'down') => sql`(
      select count(*) from vote where ${sql.ref(`${kind}_id`)} = post.id and direction = ${direction}
    )`;
    const views =
      kind === 'question'
        ? sql`, views = imported_views + (select count(*) from question_view where question_id = post.id)`
        : sql``;
    await sql`
      update ${sql.table(kind)} post
      set upvotes = imported_upvotes + ${counted('up')}, downvotes = imported_downvotes + ${counted('down')} ${views}
      where id = any(${[...ids]}::bigint[])`.execute(tx);
  }
}

/** Returns the reputation that authors have from votes on the posts. Votes on own posts give none. */
export async function sumPointsByAuthor(
  tx: Tx,
  { questionIds, answerIds, replyIds }: Record<'questionIds' | 'answerIds' | 'replyIds', readonly number[]>,
) {
  const lists = { question: questionIds, answer: answerIds, reply: replyIds } as const;
  const earned = Object.entries(lists).map(([kind, ids]) => {
    return sql`
      select post.author_id, ${selectPoints(kind as keyof typeof lists, sql`vote.direction`)} as points
      from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
      where post.id = any(${[...ids]}::bigint[]) and post.author_id <> vote.member_id`;
  });
  const { rows } = await sql<{ memberId: number; points: number }>`
    select author_id as "memberId", sum(points)::bigint as points
    from (${sql.join(earned, sql` union all `)}) earned group by author_id`.execute(tx);
  return rows;
}

/** Returns each post's author and creation time. */
export async function listAuthors(tx: Tx, kind: PostRef['kind'], ids: readonly number[]) {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ author_id: number | null; created_at: Date }>`
    select author_id, created_at from ${sql.table(kind)} where id = any(${[...ids]}::bigint[])`.execute(tx);
  return rows;
}

export async function findQuestionCounts(tx: Tx, questionId: number): Promise<QuestionCounts | undefined> {
  const { rows } = await sql<QuestionCounts>`
    select upvotes, downvotes, views, answer_count from question where id = ${questionId}`.execute(tx);
  return rows[0];
}

/** Accepts an answer again that was accepted when it was hidden, unless another one is accepted now. */
export async function restoreAcceptedAnswer(
  tx: Tx,
  { questionId, answerId }: { questionId: number; answerId: number },
): Promise<boolean> {
  const { rows } = await sql`
    update question set accepted_answer_id = ${answerId}
    where id = ${questionId} and accepted_answer_id is null returning id`.execute(tx);
  return rows.length > 0;
}

/**
 * Marks questions again as duplicates of this one if they were so when it was hidden, unless they are marked as
 * duplicates of another one now.
 */
export async function restoreDuplicates(
  tx: Tx,
  { questionId, ids }: { questionId: number; ids: readonly number[] },
) {
  const { rows } = await sql<{ id: number }>`
    update question set duplicate_of = ${questionId}
    where id = any(${[...ids]}::bigint[]) and duplicate_of is null returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Whether a post among these rows exists under another id. `imported_row` prevents it; restoring would create a second copy. */
export async function isReimported(tx: Tx, hiddenPostId: number): Promise<boolean> {
  const again = (kind: PostRef['kind']) => sql`
    select from hidden_row hidden join ${sql.table(kind)} post
      on post.source_id = (row ->> 'source_id')::bigint and post.source_key = row ->> 'source_key'
    where hidden_post_id = ${hiddenPostId} and part = ${kind} and post.id <> (row ->> 'id')::bigint`;
  const { rows } = await sql`
    ${again('question')} union all ${again('answer')} union all ${again('reply')} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Whether the answer that a reply belongs to exists. */
export async function answerExists(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`select id from answer where id = ${id}`.execute(tx);
  return rows.length > 0;
}

/** Returns the members whose unread count changes. */
export async function listUnreadRecipients(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ recipient_id: number }>`
    select distinct recipient_id from notification
    where id = any(${[...ids]}::bigint[]) and read_at is null`.execute(tx);
  return rows.map((row) => row.recipient_id);
}
