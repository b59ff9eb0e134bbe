import { type RawBuilder, sql } from 'kysely';
import { answerFields, answerPosition, selectAnswers, selectCursorsUpTo } from './answers-queries.ts';
import { bylineJoins } from './posts.ts';
import { questionFields, viewerFields } from './questions-queries.ts';
import { replyFields, selectFirstReplies, selectReplies } from './replies-queries.ts';
import { type Cursor, encodeCursorInSql } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import { existsForRow, jsonTime } from '#server/core/sql.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';
import { serverLimits } from '#shared/core/limits.ts';

export type QuestionDocumentRow = {
  /** The JSON of the document. */
  document: string;
  authorIds: number[];
};

/**
 * Reads the documents of questions' pages as JSON that PostgreSQL builds, in one statement. Undefined for a question
 * that does not exist.
 */
export async function readQuestionDocumentRows(
  db: Reader,
  { ids, ...page }: Omit<AnswersFrom, 'id'> & { ids: readonly number[] },
): Promise<(QuestionDocumentRow | undefined)[]> {
  const { rows } = await sql<QuestionDocumentRow & { n: number }>`
    select n, document, "authorIds"
    from unnest(${hideLength(ids)}) with ordinality as reading (question_id, n)
    cross join lateral (${selectQuestionDocument({ id: sql`reading.question_id`, ...page })}) page`.execute(
    db,
  );
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return ids.map((_, index) => byNumber.get(index + 1));
}

const selectQuestionDocument = ({ id, sort, cursor }: AnswersFrom) => sql<QuestionDocumentRow>`
    with first_answer as materialized (${selectFirstAnswers({ id, sort, cursor })}),
    listed_reply as materialized (${selectThreadReplies(id, serverLimits.repliesPage + 1, replyJson)}),
    reply_page as materialized (
      select answer_id, json_build_object(
        'items', json_agg(reply order by n) filter (where n <= ${sql.lit(serverLimits.repliesPage)}),
        'nextCursor', case when max(n) > ${sql.lit(serverLimits.repliesPage)} then max(cursor) filter (where n = ${sql.lit(serverLimits.repliesPage)}) end
      ) as page
      from (
        select answer_id, reply, cursor, row_number() over (partition by answer_id order by id) as n from listed_reply
      ) numbered
      group by answer_id
    ),
    listed_answer as materialized (
      select n, post.author_id, ${encodeCursorInSql(...answerPosition[sort])} as cursor, json_build_object(
        ${answerFields}, 'replies', coalesce((select page from reply_page where answer_id = post.id), ${noItems})
      ) as answer
      from first_answer join answer post using (id) ${bylineJoins} where n <= ${sql.lit(serverLimits.answersPage)}
    )
    select json_build_object(
      'question', json_build_object(${questionFields}),
      'replies', coalesce((select page from reply_page where answer_id is null), ${noItems}),
      'answers', (
        select json_build_object(
          'items', coalesce(json_agg(answer order by n), '[]'),
          'nextCursor', case when (select max(n) from first_answer) > ${sql.lit(serverLimits.answersPage)}
            then max(cursor) filter (where n = ${sql.lit(serverLimits.answersPage)}) end
          ${cursor === null ? sql`` : sql`, 'previousCursor', (${selectPreviousCursor(cursor, { questionId: id, sort })})`}
        ) from listed_answer
      ),
      'sort', ${sort}::text
    )::text as document,
    (
      select coalesce(json_agg(author_id), '[]') from (
        select post.author_id union select member_id from question_closer where question_id = post.id
        union select author_id from listed_answer union select author_id from listed_reply
      ) author where author_id is not null
    ) as "authorIds"
    from question post ${bylineJoins} where post.id = ${id}`;

/** A question's page and who reads it. */
export type QuestionViewing = { id: number; viewerId: number };

/**
 * Reads what each viewer sees on a question's page as JSON, in one statement. Undefined for a question that does not
 * exist.
 */
export async function readQuestionViewersJson(
  db: Reader,
  { viewings, ...page }: Omit<AnswersFrom, 'id'> & { viewings: readonly QuestionViewing[] },
): Promise<(string | undefined)[]> {
  const [ids, viewerIds] = [viewings.map((each) => each.id), viewings.map((each) => each.viewerId)];
  const wanted = { id: sql`reading.question_id`, viewerId: sql`reading.viewer_id`, ...page };
  const { rows } = await sql<{ n: number; viewer: string }>`
    select n, viewer
    from unnest(${hideLength(ids)}, ${hideLength(viewerIds)}) with ordinality as reading (question_id, viewer_id, n)
    cross join lateral (${selectQuestionViewer(wanted)}) page`.execute(db);
  const byNumber = new Map(rows.map(({ n, viewer }) => [n, viewer]));
  return viewings.map((_, index) => byNumber.get(index + 1));
}

/** PostgreSQL does not see the number of values while it plans, so that one plan is reused for any number. */
const hideLength = (ids: readonly number[]) => sql`(select ${[...ids]}::bigint[])`;

function selectQuestionViewer({
  id,
  sort,
  cursor,
  viewerId,
}: AnswersFrom & { viewerId: RawBuilder<unknown> }): RawBuilder<{ viewer: string }> {
  return sql<{ viewer: string }>`
    with first_answer as materialized (${selectFirstAnswers({ id, sort, cursor })})
    select json_build_object(
      ${viewerFields(viewerId)},
      'visitedAt', (
        select ${jsonTime(sql`coalesce(visited_at, viewed_at)`)} from question_view
        where question_id = post.id and member_id = ${viewerId}
      ),
      'answerVotes', ${votesById(sql`select id, (
        select direction from vote where answer_id = answer.id and member_id = ${viewerId}
      ) as vote from first_answer answer`)},
      'replyVotes', ${votesById(sql`select id, (
        select direction from vote
        where reply_id = reply.id and member_id = ${viewerId} and reply.deleted_at is null
      ) as vote from (${selectThreadReplies(id, serverLimits.repliesPage, sql`post.id, post.deleted_at`)}) reply`)},
      'bookmarkedAnswers', (
        select coalesce(json_agg(id), '[]') from first_answer answer
        where ${existsForRow(sql`from bookmark where answer_id = answer.id and member_id = ${viewerId}`)}
      )
    )::text as viewer
    from question post where post.id = ${id}`;
}

/** The votes of a query with the columns `id` and `vote`, without those that are null. */
const votesById = (votes: RawBuilder<unknown>) => sql`(
  select coalesce(json_object_agg(id, vote) filter (where vote is not null), '{}') from (${votes} offset 0) own
)`;

/** A question (SQL of its id), and the cursor after which its page begins; null for the first page. */
type AnswersFrom = { id: RawBuilder<unknown>; sort: AnswerSort; cursor: Cursor | null };

/**
 * A page of answers and the one after it. The accepted answer has the number 0, the others are numbered from 1.
 */
function selectFirstAnswers({ id: questionId, sort, cursor }: AnswersFrom): RawBuilder<unknown> {
  const first = { questionId, sort, cursor, limit: serverLimits.answersPage + 1 };
  const columns = sql`post.id, post.created_at, post.upvotes, post.downvotes`;
  return sql`
    select id, count(*) filter (where not accepted) over (rows unbounded preceding) as n
    from (${selectAnswers(first, columns)}) answer`;
}

/** The cursor after which the page before this one begins; no row if that is the first page. */
const selectPreviousCursor = (...page: Parameters<typeof selectCursorsUpTo>) =>
  sql`${selectCursorsUpTo(...page)} offset ${sql.lit(serverLimits.answersPage)} limit 1`;

/** The first comments on a question and the first replies to each of its answers in `first_answer`. */
function selectThreadReplies(
  questionId: AnswersFrom['id'],
  limit: number,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const answers = sql`select id from first_answer where n <= ${sql.lit(serverLimits.answersPage)}`;
  const on = { questionId, answerId: null };
  return sql`
    (${selectReplies({ on, afterId: 0, limit }, columns)})
    union all (${selectFirstReplies({ answers, limit }, columns)})`;
}

/** A reply in the document. */
const replyJson = sql`
  post.id, post.answer_id, post.author_id, ${encodeCursorInSql(sql`0`, sql`post.id`)} as cursor,
  json_build_object(${replyFields}) as reply`;

const noItems = sql`'{"items":[],"nextCursor":null}'::json`;
