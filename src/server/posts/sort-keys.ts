import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';

/*
 * The rows that lists are sorted by (schema section 'sort keys of lists', docs/decisions/025). Each statement that
 * inserts a post, or changes one of the columns below, writes them in a common table expression. These functions return
 * its SQL, as text because imports use it without Kysely.
 *
 * `rows` is the name of a table or common table expression with the posts as they are now. If the statement changes an
 * existing question, an earlier one of the transaction must have locked it.
 */

/** Reads id, created_at, active_at, upvotes and answer_count of questions. */
export const writeQuestionSortKeys = (rows: string) => `
  insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
  select id, created_at, active_at, upvotes, answer_count from ${rows}
  on conflict (question_id) do update set created_at = excluded.created_at, active_at = excluded.active_at,
    upvotes = excluded.upvotes, answer_count = excluded.answer_count`;

/** Reads id and active_at of questions. Their tags are those that were stored before the statement. */
export const writeTagSortKeys = (rows: string) => `
  insert into tag_question_sort_key (question_id, tag_id, active_at)
  select question_id, tag_id, active_at from ${rows} active join question_tag on question_id = active.id
  where active_at > ${tagSortKeysFrom}
  on conflict (question_id, tag_id) do update set active_at = excluded.active_at`;

/** Questions without activity since then have no sort keys per tag. A job deletes older ones. */
export const tagSortKeysFrom = `now() - interval '8 days'`;

/** The latest answer, reply or edit of `question`, or the time when it was asked. */
export const latestActivity = `greatest(
  question.created_at, question.edited_at,
  (select max(greatest(created_at, edited_at)) from answer where question_id = question.id),
  (select max(created_at) from reply where question_id = question.id)
)`;

/** Reads id, question_id, upvotes, downvotes and created_at of answers. */
export const writeAnswerScores = (rows: string) => `
  insert into answer_score (answer_id, question_id, score, created_at)
  select id, question_id, upvotes - downvotes, created_at from ${rows}
  on conflict (answer_id) do update set score = excluded.score, created_at = excluded.created_at`;

/** Writes all sort keys of locked posts, for posts that were restored or repaired. */
export async function writeSortKeys(
  tx: Tx,
  { questionIds, answerIds }: { questionIds: readonly number[]; answerIds: readonly number[] },
): Promise<void> {
  await sql`
    with questions as (select * from question where id = any(${[...questionIds]}::bigint[])),
    answers as (select * from answer where id = any(${[...answerIds]}::bigint[])),
    question_sort_keys as (${sql.raw(writeQuestionSortKeys('questions'))}),
    tag_sort_keys as (${sql.raw(writeTagSortKeys('questions'))})
    ${sql.raw(writeAnswerScores('answers'))}`.execute(tx);
}
