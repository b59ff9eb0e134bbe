import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { bylineJoins, bylineJson } from './posts.ts';
import { existsForRow, jsonTime, one } from '#server/core/sql.ts';
import type { QuestionCounts } from './posts-events.ts';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { siteHistoryJson } from './site-history.ts';
import { latestActivity, tagSortKeysFrom, writeQuestionSortKeys, writeTagSortKeys } from './sort-keys.ts';
import { markStaleDays } from './statistics-changes.ts';

/** An answer as the API returns it, without its replies, and what its list is sorted by. */
export type AnswerRow = {
  id: number;
  created_at: Date;
  upvotes: number;
  downvotes: number;
  answer: Omit<Answer, 'replies'>;
};

/** An answer in the list of its question. */
export type ListedAnswerRow = AnswerRow & { accepted: boolean };

/** An answer as arguments of `json_build_object`, selected from `answer post` with the byline's joins. */
export const answerFields = sql`
  'id', post.id, 'questionId', post.question_id, 'content', post.content, ${bylineJson('answer')},
  'createdAt', ${jsonTime(sql`post.created_at`)}, 'editedAt', ${jsonTime(sql`post.edited_at`)},
  'upvotes', post.upvotes, 'downvotes', post.downvotes, 'siteHistory', ${siteHistoryJson('answer')}`;

const answerColumns = (viewerId: number) => sql`
  post.id, post.created_at, post.upvotes, post.downvotes, json_build_object(
    ${answerFields},
    'myVote', (select direction from vote where answer_id = post.id and member_id = ${viewerId}),
    'bookmarked', ${existsForRow(sql`from bookmark where answer_id = post.id and member_id = ${viewerId}`)}
  ) as answer`;

/**
 * A page of answers: up to `limit` answers after the cursor, in this order. The accepted answer is not among them. It
 * comes before the first of them and does not count towards the limit.
 */
export type AnswerWindow = {
  questionId: number | RawBuilder<unknown>;
  sort: AnswerSort;
  cursor: Cursor | null;
  limit: number;
};

export async function listAnswerRows(db: Reader, wanted: AnswerWindow & { viewerId: number }) {
  const { rows } = await selectAnswers<ListedAnswerRow>(wanted, answerColumns(wanted.viewerId)).execute(db);
  return rows;
}

/**
 * The query of a page of answers.
 * @param columns of `answer post` with the byline's joins; those of the sort order must be among them
 */
export function selectAnswers<Row>(wanted: AnswerWindow, columns: RawBuilder<unknown>): RawBuilder<Row> {
  const { questionId, sort, cursor, limit } = wanted;
  const { from, question, afterCursor, order, orderOfRows = order } = orders[sort];
  const accepted = sql`(select accepted_answer_id from question where id = ${questionId})`;
  const others = sql<Row>`
    select ${columns}, false as accepted from ${from} ${bylineJoins}
    where ${question} = ${questionId} and post.id is distinct from ${accepted}
      ${cursor === null ? sql`` : sql`and ${afterCursor(cursor)}`}
    order by ${order} limit ${sql.lit(limit)}`;
  if (cursor !== null) return others;
  return sql<Row>`
    select * from (
      (select ${columns}, true as accepted from answer post ${bylineJoins} where post.id = ${accepted})
      union all (${others})
    ) post order by post.accepted desc, ${orderOfRows}`;
}

/**
 * The sort orders and the condition for rows after a cursor. Each is served by an index. `score` is the value that the
 * most helpful answers are sorted by.
 */
const orders: Readonly<Record<AnswerSort, Order>> = {
  newest: {
    from: sql`answer post`,
    question: sql`post.question_id`,
    afterCursor: ({ after, id }) => sql`(post.created_at, post.id) < (${new Date(after)}, ${id})`,
    order: sql`post.created_at desc, post.id desc`,
  },
  oldest: {
    from: sql`answer post`,
    question: sql`post.question_id`,
    afterCursor: ({ after, id }) => sql`(post.created_at, post.id) > (${new Date(after)}, ${id})`,
    order: sql`post.created_at, post.id`,
  },
  helpful: {
    from: sql`answer_score join answer post on post.id = answer_score.answer_id`,
    question: sql`answer_score.question_id`,
    // A cursor from another order starts at score 0.
    afterCursor: ({ after, id, score = 0 }) =>
      sql`(answer_score.score, answer_score.created_at, answer_score.answer_id) < (${score}, ${new Date(after)}, ${id})`,
    order: sql`answer_score.score desc, answer_score.created_at desc, answer_score.answer_id desc`,
    orderOfRows: sql`post.upvotes - post.downvotes desc, post.created_at desc, post.id desc`,
  },
};

type Order = {
  from: RawBuilder<unknown>;
  question: RawBuilder<unknown>;
  afterCursor: (cursor: Cursor) => RawBuilder<unknown>;
  order: RawBuilder<unknown>;
  /** The same order for selected rows whose columns have other names. */
  orderOfRows?: RawBuilder<unknown>;
};

export async function findAnswerById(db: Reader, { id, viewerId }: { id: number; viewerId: number }) {
  const { rows } = await sql<AnswerRow>`
    select ${answerColumns(viewerId)} from answer post ${bylineJoins} where post.id = ${id}`.execute(db);
  return rows[0];
}

export async function lockAnswer(tx: Tx, id: number) {
  const { rows } = await sql<{
    id: number;
    question_id: number;
    author_id: number | null;
    content: string;
    created_at: Date;
    edited_at: Date | null;
  }>`
    select id, question_id, author_id, content, created_at, edited_at from answer
    where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Updates an answer. Returns the time of the edit. */
export async function updateAnswer(tx: Tx, { id, content }: { id: number; content: string }): Promise<Date> {
  const { rows } = await sql<{ edited_at: Date }>`
    update answer set content = ${content}, edited_at = now() where id = ${id} returning edited_at`.execute(
    tx,
  );
  return one(rows).edited_at;
}

/** The author of the answer. Undefined if it does not belong to the locked question. */
export async function findAnswerOfQuestion(
  tx: Tx,
  { id, questionId }: { id: number; questionId: number },
): Promise<{ id: number; author_id: number | null } | undefined> {
  const { rows } = await sql<{ id: number; author_id: number | null }>`
    select id, author_id from answer where id = ${id} and question_id = ${questionId}`.execute(tx);
  return rows[0];
}

export async function updateAcceptedAnswer(
  tx: Tx,
  { questionId, answerId }: { questionId: number; answerId: number | null },
) {
  await sql`
    with changed as (
      update question set accepted_answer_id = ${answerId} where id = ${questionId} returning created_at
    )
    ${markStaleDays(sql`select created_at from changed`)}`.execute(tx);
}

/**
 * Recounts the answers of a locked question and, unless something happened after `at`, finds its latest activity, with its
 * sort keys. Returns its counts.
 * @param at the latest activity among the posts that were removed or restored
 */
export async function recountAnswers(tx: Tx, { questionId, at }: { questionId: number; at: Date }) {
  const { rows } = await sql<QuestionCounts>`
    with counted as (
      update question set answer_count = (select count(*) from answer where question_id = question.id),
        active_at = case when active_at > ${at}::timestamptz then active_at else ${sql.raw(latestActivity)} end
      where id = ${questionId} returning id, created_at, active_at, upvotes, downvotes, views, answer_count
    ), sort_key as (${sql.raw(writeQuestionSortKeys('counted'))}),
    tag_sort_keys as (${sql.raw(writeTagSortKeys('counted'))}),
    old_tag_sort_keys as (
      delete from tag_question_sort_key where question_id in (
        select id from counted where active_at <= ${sql.raw(tagSortKeysFrom)}
      )
    )
    select upvotes, downvotes, views, answer_count from counted`.execute(tx);
  return one(rows);
}
