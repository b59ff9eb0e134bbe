import { type RawBuilder, sql } from 'kysely';
import type { PostKind } from '#shared/core/fields.ts';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PostIds } from './posts.ts';
import { selectPoints } from './reputation.ts';

// Every verb that changes what statistics count appends the change to member_statistics_change or
// tag_statistics_change, so that no write locks a shared row. A job adds these rows to the statistics
// (discovery/statistics.ts, docs/decisions/045).

/**
 * Adds posts to the statistics of their authors and tags, with the votes on them. Call it after posting or restoring,
 * when rows, counts, votes and tags are complete. Replies that are deleted (placeholders) are left out.
 */
export async function addToStatistics(tx: Tx, posts: PostIds): Promise<void> {
  await changeStatistics(tx, posts, 1);
}

/** Subtracts posts that are about to be deleted or hidden, while rows, counts, votes and tags are still complete. */
export async function removeFromStatistics(tx: Tx, posts: PostIds): Promise<void> {
  await changeStatistics(tx, posts, -1);
}

async function changeStatistics(tx: Tx, posts: PostIds, by: 1 | -1): Promise<void> {
  const lists = { question: posts.questionIds, answer: posts.answerIds, reply: posts.replyIds };
  const conditions = Object.entries(lists)
    .filter(([, ids]) => ids.length > 0)
    .map(([kind, ids]) => [kind, sql`= any(${[...ids]}::bigint[])`]);
  await appendStatistics(tx, Object.fromEntries(conditions), by);
}

/**
 * The same for posts that are chosen by conditions on their ids, such as `in (select id from archive_question)`.
 * Several posts of an author on one day become one row.
 */
export async function appendStatistics(
  db: Queryable,
  conditions: Partial<Record<PostKind, RawBuilder<unknown>>>,
  by: 1 | -1,
): Promise<void> {
  const kinds = (['question', 'answer', 'reply'] as const).filter((kind) => conditions[kind] !== undefined);
  if (kinds.length === 0) return;
  const union = (each: (kind: PostKind, ids: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql.join(
      kinds.map((kind) => each(kind, conditions[kind] ?? sql`is null`)),
      sql` union all `,
    );
  const { question = sql`is null`, answer = sql`is null` } = conditions;
  await sql`
    with members as (
      insert into member_statistics_change (member_id, day, questions, answers, replies, points, upvotes, views)
      select author_id, day, sum(questions) * ${sql.lit(by)}, sum(answers) * ${sql.lit(by)}, sum(replies) * ${sql.lit(by)},
        sum(points) * ${sql.lit(by)}, sum(upvotes) * ${sql.lit(by)}, sum(views) * ${sql.lit(by)}
      from (${union(selectPost)} union all ${union(selectPointsOfPost)}) each
      where author_id is not null group by author_id, day
    ), days as (
      ${markStaleDays(sql`
        ${union((kind, ids) => sql`select created_at from ${sql.table(kind)} where id ${ids}`)}
        union all select created_at from question where id in (select question_id from answer where id ${answer})`)}
    )
    insert into tag_statistics_change (tag_id, week, questions, answers)
    select tag_id, week, sum(questions) * ${sql.lit(by)}, sum(answers) * ${sql.lit(by)} from (
      select tag_id, utc_week(question_created_at) as week, 1 as questions, 0 as answers
      from question_tag where question_id ${question}
      union all
      select tag_id, utc_week(answer.created_at), 0, 1
      from answer join question_tag on question_tag.question_id = answer.question_id where answer.id ${answer}
    ) each
    group by tag_id, week`.execute(db);
}

/** Each post counts for its author on the day it was written. */
const selectPost = (kind: PostKind, ids: RawBuilder<unknown>) => sql`
  select author_id, utc_day(created_at) as day, ${sql.lit(Number(kind === 'question'))} as questions,
    ${sql.lit(Number(kind === 'answer'))} as answers, ${sql.lit(Number(kind === 'reply'))} as replies, 0 as points,
    upvotes, ${kind === 'question' ? sql`views` : sql`0`} as views
  from ${sql.table(kind)} where id ${ids} ${kind === 'reply' ? sql`and deleted_at is null` : sql``}`;

/** Each vote counts for the author of the post on the day it was cast. */
const selectPointsOfPost = (kind: PostKind, ids: RawBuilder<unknown>) => sql`
  select post.author_id, utc_day(vote.created_at), 0, 0, 0, ${selectPoints(kind, sql`vote.direction`)}, 0, 0
  from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
  where post.id ${ids} and vote.member_id <> post.author_id`;

/**
 * Marks days for the statistics of the community (admin/statistics.ts, docs/decisions/074), which count them again. The
 * current day is counted anyway. Call it for the days of posts and reports that appear, disappear or change: a question's
 * answers and accepted answer belong to the day of the question.
 * @param times a query for times of rows
 */
export const markStaleDays = (times: RawBuilder<unknown>) => sql`
  insert into stale_statistics_day
  select distinct utc_day(at) from (${times}) changed (at) where at < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;

/** Moves a question with its answers from the statistics of tags it no longer has to those of its new tags. */
export async function changeTagsInStatistics(
  tx: Tx,
  change: { questionId: number; added: readonly number[]; removed: readonly number[] },
): Promise<void> {
  const { questionId, added, removed } = change;
  if (added.length + removed.length === 0) return;
  await sql`
    with days as (
      ${markStaleDays(sql`
        select created_at from question where id = ${questionId}
        union all select created_at from answer where question_id = ${questionId}`)}
    )
    insert into tag_statistics_change (tag_id, week, questions, answers)
    select tag_id, week, sum(questions * added), sum(answers * added)
    from (
      select utc_week(created_at) as week, 1 as questions, 0 as answers from question where id = ${questionId}
      union all
      select utc_week(created_at), 0, 1 from answer where question_id = ${questionId}
    ) post, (
      select unnest(${[...added]}::bigint[]) as tag_id, 1 as added
      union all select unnest(${[...removed]}::bigint[]), -1
    ) tag
    group by tag_id, week`.execute(tx);
}

/** What an author gains or loses by votes on their posts: points on the day of `castAt` (null for today), and upvotes. */
export type EarnedPoints = { memberId: number; castAt: Date | null; points: number; upvotes: number };

/** These changes as rows, for `appendPointsOf` and `addPointsOf`. */
export const selectEarned = (earned: readonly EarnedPoints[]) => sql`
  select * from unnest(
    ${earned.map(({ memberId }) => memberId)}::bigint[], ${earned.map(({ castAt }) => castAt)}::timestamptz[],
    ${earned.map(({ points }) => points)}::int[], ${earned.map(({ upvotes }) => upvotes)}::int[]
  ) as earned (member_id, cast_at, points, upvotes)`;

/**
 * Adds points and upvotes to the statistics of authors.
 * @param earned a CTE of the same statement with the rows of `selectEarned`
 */
export const appendPointsOf = (earned: string) => sql`
  insert into member_statistics_change (member_id, day, points, upvotes)
  select member_id, utc_day(coalesce(cast_at, now()::timestamptz(3))) as day, sum(points), sum(upvotes)
  from ${sql.table(earned)}
  group by member_id, day having sum(points) <> 0 or sum(upvotes) <> 0`;
