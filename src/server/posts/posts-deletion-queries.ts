import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { AffectedPost } from './post-removal-queries.ts';
import type { PostIds } from './posts.ts';

const ids = (list: readonly number[]) => sql`any(${[...list]}::bigint[])`;

/** Those of these posts that are visible. */
export async function listVisiblePosts(
  tx: Tx,
  { questionIds, answerIds, replyIds }: PostIds,
): Promise<AffectedPost[]> {
  const { rows } = await sql<AffectedPost>`
    select 'question' as kind, id, author_id, created_at, edited_at from question where id = ${ids(questionIds)}
    union all
    select 'answer', id, author_id, created_at, edited_at from answer where id = ${ids(answerIds)}
    union all
    select 'reply', id, author_id, created_at, edited_at from reply where id = ${ids(replyIds)}`.execute(tx);
  return rows;
}

/** The tags of visible questions, in their order. */
export async function listTagsOfQuestions(tx: Tx, questionIds: readonly number[]) {
  const { rows } = await sql<{ question_id: number; id: number; name: string }>`
    select question_id, tag.id, tag.name from question_tag join tag on tag.id = tag_id
    where question_id = ${ids(questionIds)} order by question_id, position`.execute(tx);
  return rows;
}

/** The members who have unread notifications about these posts. */
export async function listNotifiedMembers(tx: Tx, { questionIds, answerIds, replyIds }: PostIds) {
  const { rows } = await sql<{ id: number }>`
    select distinct recipient_id as id from notification
    where read_at is null and (
      question_id = ${ids(questionIds)} or answer_id = ${ids(answerIds)} or reply_id = ${ids(replyIds)})`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Visible questions whose accepted answer is one of these. */
export async function listQuestionsAccepting(tx: Tx, answerIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select question.id from answer join question on question.accepted_answer_id = answer.id
    where answer.id = ${ids(answerIds)}`.execute(tx);
  return rows.map((row) => row.id);
}

/** Visible questions that are marked as duplicates of these, except these. */
export async function listDuplicatesOf(tx: Tx, questionIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from question
    where duplicate_of = ${ids(questionIds)} and id <> all(${[...questionIds]}::bigint[])`.execute(tx);
  return rows.map((row) => row.id);
}

/** The replies above these, except these. */
export async function listParents(tx: Tx, replyIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct parent_reply_id as id from base_reply
    where id = ${ids(replyIds)} and parent_reply_id <> all(${[...replyIds]}::bigint[])`.execute(tx);
  return rows.map((row) => row.id);
}

/** Deletes the rows of posts, hidden or not. By cascade, what belongs to them goes, and marks of them are cleared. */
export async function deleteRows(tx: Tx, { questionIds, answerIds, replyIds }: PostIds): Promise<void> {
  await sql`delete from base_question where id = ${ids(questionIds)}`.execute(tx);
  await sql`delete from base_answer where id = ${ids(answerIds)}`.execute(tx);
  await sql`delete from base_reply where id = ${ids(replyIds)}`.execute(tx);
}

/** Deletes the records of deleted posts that were hidden. Placeholders must no longer refer to them. */
export async function deleteHiddenRecords(
  tx: Tx,
  { questionIds, answerIds, replyIds }: PostIds,
): Promise<void> {
  await sql`
    delete from hidden_post
    where post_kind = 'question' and post_id = ${ids(questionIds)}
      or post_kind = 'answer' and post_id = ${ids(answerIds)}
      or post_kind = 'reply' and post_id = ${ids(replyIds)}`.execute(tx);
}

/** Recounts the answers of hidden questions: those that were hidden with them. */
export async function recountHiddenQuestions(tx: Tx, questionIds: readonly number[]): Promise<void> {
  await sql`
    update base_question question set answer_count = (
      select count(*) from base_answer where question_id = question.id and hidden_by = question.hidden_by)
    where id = ${ids(questionIds)} and hidden_by is not null`.execute(tx);
}
