import { type RawBuilder, sql } from 'kysely';
import { type ListedAnswerRow, selectFirstAnswers } from './answers.ts';
import type { Reader } from '#server/core/database.ts';
import type { Participant } from '#server/core/response-cache-participants.ts';
import { type ReplyRow, selectThreadReplies } from './replies.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { type QuestionRow, selectQuestion } from './questions-queries.ts';

export type QuestionDocumentRows = {
  question: QuestionRow;
  questionReplies: ReplyRow[];
  answers: ListedAnswerRow[];
  replies: ReplyRow[];
  visitedAt: Date | null;
};

/** Reads all rows of a question's page in one round trip. Undefined if there is no such question. */
export async function readQuestionDocumentRows(
  db: Reader,
  { id, viewerId, sort }: { id: number; viewerId: number; sort: AnswerSort },
): Promise<QuestionDocumentRows | undefined> {
  // The accepted answer and a page of others.
  const answers = sql`select id from first_answer limit ${sql.lit(limits.answersPage + 1)}`;
  const thread = selectThreadReplies({ questionId: id, viewerId, answers });
  const { rows } = await sql<{ [Part in keyof QuestionDocumentRows]: unknown }>`
    with first_answer as materialized (${selectFirstAnswers({ questionId: id, viewerId, sort })})
    select (select row_to_json(each) from (${selectQuestion({ id, viewerId })}) each) as question,
      ${list(thread.questionReplies)} as "questionReplies",
      ${list(sql`select * from first_answer`)} as answers,
      ${list(thread.replies)} as replies,
      ${visit({ id, viewerId })} as "visitedAt"`.execute(db);
  const [row] = rows;
  if (row === undefined || row.question === null) return undefined;
  return {
    question: parseTimes(row.question as Plain<QuestionRow>),
    questionReplies: (row.questionReplies as Plain<ReplyRow>[]).map(parseTimes<ReplyRow>),
    answers: (row.answers as Plain<ListedAnswerRow>[]).map(parseTimes<ListedAnswerRow>),
    replies: (row.replies as Plain<ReplyRow>[]).map(parseTimes<ReplyRow>),
    visitedAt: row.visitedAt as Date | null,
  };
}

/** The viewer's own values on a question's page. Posts without a vote of the viewer are omitted. */
export type ViewerRow = {
  vote: VoteDirection | null;
  following: boolean;
  bookmarked: boolean;
  muted: boolean;
  visitedAt: Date | null;
  answerVotes: Record<string, VoteDirection> | null;
  replyVotes: Record<string, VoteDirection> | null;
  bookmarkedAnswers: number[] | null;
};

export async function readViewerRow(
  db: Reader,
  wanted: { id: number; viewerId: number; answerIds: readonly number[]; replyIds: readonly number[] },
): Promise<ViewerRow> {
  const { id, viewerId } = wanted;
  const answerIds = sql`${[...wanted.answerIds]}::bigint[]`;
  const replyIds = sql`${[...wanted.replyIds]}::bigint[]`;
  const { rows } = await sql<ViewerRow>`
    select (select direction from vote where question_id = ${id} and member_id = ${viewerId}) as vote,
      exists (select 1 from question_follow where question_id = ${id} and member_id = ${viewerId}) as following,
      exists (
        select 1 from bookmark where question_id = ${id} and answer_id is null and member_id = ${viewerId}
      ) as bookmarked,
      exists (select 1 from question_mute where question_id = ${id} and member_id = ${viewerId}) as muted,
      ${visit({ id, viewerId })} as "visitedAt",
      (
        select json_object_agg(answer_id, direction) from vote
        where answer_id = any(${answerIds}) and member_id = ${viewerId}
      ) as "answerVotes",
      (
        select json_object_agg(reply_id, direction) from vote
        where reply_id = any(${replyIds}) and member_id = ${viewerId}
      ) as "replyVotes",
      (
        select json_agg(answer_id) from bookmark
        where answer_id = any(${answerIds}) and member_id = ${viewerId}
      ) as "bookmarkedAnswers"`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table returned no row');
  return row;
}

/**
 * The members with values of their own on a question's page, with the time of their last visit if that is all. Null if
 * there are `limit` or more such rows.
 */
export async function listParticipants(
  db: Reader,
  wanted: { id: number; answerIds: readonly number[]; replyIds: readonly number[]; limit: number },
): Promise<Participant[] | null> {
  const { id, limit } = wanted;
  const answerIds = sql`${[...wanted.answerIds]}::bigint[]`;
  const replyIds = sql`${[...wanted.replyIds]}::bigint[]`;
  const { rows } = await sql<{ found: number; ids: number[] | null; times: (number | null)[] | null }>`
    with own as materialized (
      select member_id, (extract(epoch from coalesce(visited_at, viewed_at)) * 1000)::bigint as visit
      from question_view where question_id = ${id}
      union all select member_id, null from vote where question_id = ${id}
      union all select member_id, null from vote where answer_id = any(${answerIds})
      union all select member_id, null from vote where reply_id = any(${replyIds})
      union all select member_id, null from question_follow where question_id = ${id}
      union all select member_id, null from question_mute where question_id = ${id}
      union all select member_id, null from bookmark where question_id = ${id}
      limit ${limit}
    )
    select (select count(*) from own) as found, json_agg(member_id) as ids, json_agg(time) as times from (
      select member_id, case when bool_and(visit is not null) then max(visit) end as time
      from own group by member_id
    ) member`.execute(db);
  const [row] = rows;
  if (row === undefined || row.found >= limit) return null;
  return (row.ids ?? []).map((memberId, index) => ({ memberId, time: row.times?.[index] ?? null }));
}

const visit = ({ id, viewerId }: { id: number; viewerId: number }) => sql`(
  select coalesce(visited_at, viewed_at) from question_view
  where question_id = ${id} and member_id = ${viewerId}
)`;

/** The rows of a query as one JSON value, in their order. */
const list = (query: RawBuilder<unknown>) =>
  sql`(select coalesce(json_agg(each), '[]') from (${query}) each)`;

/** A row as JSON: its times are strings. */
type Plain<Row> = {
  [Column in keyof Row]: Date extends Row[Column] ? string | Exclude<Row[Column], Date> : Row[Column];
};

const times = ['created_at', 'edited_at', 'updated_at'] as const;

function parseTimes<Row>(plain: Plain<Row>): Row {
  const row: Record<string, unknown> = { ...plain };
  for (const column of times) {
    const value = row[column];
    if (typeof value === 'string') row[column] = new Date(value);
  }
  return row as Row;
}
