import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { bylineJoins, bylineJson } from './posts.ts';
import { existsForRow, jsonTime, one } from '#server/core/sql.ts';
import type { QuestionCounts } from './posts-events.ts';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import { type Cursor, encodeCursorInSql } from '#server/core/cursor.ts';
import type { PostRef } from '#shared/core/fields.ts';
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
  const { from, question, after, order, orderOfRows = order } = orders[sort];
  const accepted = acceptedAnswerOf(questionId);
  const others = sql<Row>`
    select ${columns}, false as accepted from ${from} ${bylineJoins}
    where ${question} = ${questionId} and post.id is distinct from ${accepted}
      ${cursor === null ? sql`` : sql`and ${comparePosition(sort, after, cursor)}`}
    order by ${order} limit ${sql.lit(limit)}`;
  if (cursor !== null) return others;
  return sql<Row>`
    select * from (
      (select ${columns}, true as accepted from answer post ${bylineJoins} where post.id = ${accepted})
      union all (${others})
    ) post order by post.accepted desc, ${orderOfRows}`;
}

/** The query of the cursors of the answers up to a position, the last one first. */
export function selectCursorsUpTo(
  cursor: Cursor,
  { questionId, sort }: Pick<AnswerWindow, 'questionId' | 'sort'>,
): RawBuilder<{ cursor: string }> {
  const { from, question, upTo, reverseOrder } = orders[sort];
  return sql<{ cursor: string }>`
    select ${encodeCursorInSql(...answerPosition[sort])} as cursor from ${from}
    where ${question} = ${questionId} and post.id is distinct from ${acceptedAnswerOf(questionId)}
      and ${comparePosition(sort, upTo, cursor)}
    order by ${reverseOrder}`;
}

export async function listCursorsUpTo(
  db: Reader,
  cursor: Cursor,
  { limit, ...wanted }: Pick<AnswerWindow, 'questionId' | 'sort' | 'limit'>,
): Promise<string[]> {
  const { rows } = await sql<{ cursor: string }>`
    ${selectCursorsUpTo(cursor, wanted)} limit ${sql.lit(limit)}`.execute(db);
  return rows.map((row) => row.cursor);
}

const acceptedAnswerOf = (questionId: AnswerWindow['questionId']) =>
  sql`(select accepted_answer_id from question where id = ${questionId})`;

/** Compares the position of an answer with a cursor. A cursor from another order has the score 0. */
function comparePosition(
  sort: AnswerSort,
  operator: RawBuilder<unknown>,
  { after, id, score = 0 }: Cursor,
): RawBuilder<unknown> {
  const position = sql`${new Date(after)}, ${id}`;
  return sort === 'helpful'
    ? sql`(answer_score.score, answer_score.created_at, answer_score.answer_id) ${operator} (${score}, ${position})`
    : sql`(post.created_at, post.id) ${operator} (${position})`;
}

/** The parts of the cursor after an answer in each order, as `toPage` in answers.ts encodes them. */
export const answerPosition: Readonly<Record<AnswerSort, readonly RawBuilder<unknown>[]>> = (() => {
  const byTime = [sql`(extract(epoch from post.created_at) * 1000)::bigint`, sql`post.id`];
  return { newest: byTime, oldest: byTime, helpful: [...byTime, sql`post.upvotes - post.downvotes`] };
})();

const [descending, ascending] = [
  { after: sql`<`, upTo: sql`>=` },
  { after: sql`>`, upTo: sql`<=` },
];

/**
 * The sort orders. Each is served by an index. `score` is the value that the most helpful answers are sorted by.
 */
const orders: Readonly<Record<AnswerSort, Order>> = {
  newest: {
    from: sql`answer post`,
    question: sql`post.question_id`,
    ...descending,
    order: sql`post.created_at desc, post.id desc`,
    reverseOrder: sql`post.created_at, post.id`,
  },
  oldest: {
    from: sql`answer post`,
    question: sql`post.question_id`,
    ...ascending,
    order: sql`post.created_at, post.id`,
    reverseOrder: sql`post.created_at desc, post.id desc`,
  },
  helpful: {
    from: sql`answer_score join answer post on post.id = answer_score.answer_id`,
    question: sql`answer_score.question_id`,
    ...descending,
    order: sql`answer_score.score desc, answer_score.created_at desc, answer_score.answer_id desc`,
    reverseOrder: sql`answer_score.score, answer_score.created_at, answer_score.answer_id`,
    orderOfRows: sql`post.upvotes - post.downvotes desc, post.created_at desc, post.id desc`,
  },
};

type Order = {
  from: RawBuilder<unknown>;
  question: RawBuilder<unknown>;
  /** Compares a position with that of a cursor: whether it comes after it. */
  after: RawBuilder<unknown>;
  /** The opposite of `after`. */
  upTo: RawBuilder<unknown>;
  order: RawBuilder<unknown>;
  reverseOrder: RawBuilder<unknown>;
  /** The same order for selected rows whose columns have other names. */
  orderOfRows?: RawBuilder<unknown>;
};

/** The answer that a post is or belongs to. `answer_id` is null for a comment on the question. */
export async function findAnswerOfPost(
  db: Reader,
  { questionId, post }: { questionId: number; post: PostRef },
) {
  const { rows } = await sql<{
    answer_id: number | null;
    accepted: boolean;
    created_at: Date;
    score: number;
  }>`
    select answer.id as answer_id, answer.created_at, answer.upvotes - answer.downvotes as score,
      coalesce(answer.id = question.accepted_answer_id, false) as accepted
    from ${
      post.kind === 'answer'
        ? sql`(select id as answer_id, question_id from answer where id = ${post.id})`
        : sql`(select answer_id, question_id from thread_reply where id = ${post.id})`
    } post
    join question on question.id = post.question_id
    left join answer on answer.id = post.answer_id
    where post.question_id = ${questionId} and (post.answer_id is null or answer.id is not null)`.execute(db);
  return rows[0];
}

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
