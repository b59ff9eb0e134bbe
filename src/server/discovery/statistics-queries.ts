import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { tagSortKeysFrom } from '#server/posts/index.ts';
import {
  countPoints,
  countPosts,
  countReceived,
  countTagWeeks,
  groupByDay,
  statisticsFrom,
} from './statistics-counts.ts';

type Sql = RawBuilder<unknown>;

/** Any fixed number. */
const statisticsLockId = 7_275_543;

/**
 * Only one transaction at a time writes statistics. Otherwise a rebuild could miss changes that another one is adding,
 * or count them twice.
 */
export const lockStatistics = sql`select pg_advisory_xact_lock(${sql.lit(statisticsLockId)})`;

/**
 * Adds at most `limit` pending changes to the statistics of members, and deletes days that no chart shows. Returns the
 * number of changes.
 */
export async function applyMemberChanges(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from member_statistics_change where ctid = any(array(select ctid from member_statistics_change limit ${sql.lit(limit)}))
      returning *
    ), days as (
      insert into member_daily_statistics as known (member_id, day, questions, answers, replies, points)
      ${groupByDay(sql`select * from taken where day >= ${statisticsFrom}`)} order by member_id, day
      on conflict (member_id, day) do update set questions = known.questions + excluded.questions,
        answers = known.answers + excluded.answers, replies = known.replies + excluded.replies,
        points = known.points + excluded.points
    ), past as (
      delete from member_daily_statistics where member_id in (select member_id from taken) and day < ${statisticsFrom}
    ), received as (
      insert into member_statistics as known (member_id, upvotes, views)
      select member_id, sum(upvotes), sum(views) from taken group by member_id
      having sum(upvotes) <> 0 or sum(views) <> 0 order by member_id
      on conflict (member_id) do update set upvotes = known.upvotes + excluded.upvotes,
        views = known.views + excluded.views
    )
    select count(*) as taken from taken`.execute(tx);
  return rows[0]?.taken ?? 0;
}

/** Does the same for tags, and deletes the sort keys of questions without recent activity. */
export async function applyTagChanges(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from tag_statistics_change where ctid = any(array(select ctid from tag_statistics_change limit ${sql.lit(limit)}))
      returning *
    ), weeks as (
      insert into tag_weekly_statistics as known (tag_id, week, questions, answers)
      select tag_id, week, sum(questions), sum(answers) from taken where week >= ${statisticsFrom}
      group by tag_id, week having sum(questions) <> 0 or sum(answers) <> 0 order by tag_id, week
      on conflict (tag_id, week) do update set questions = known.questions + excluded.questions,
        answers = known.answers + excluded.answers
    ), past as (
      delete from tag_weekly_statistics where tag_id in (select tag_id from taken) and week < ${statisticsFrom}
    ), places as (
      delete from tag_question_sort_key where tag_id in (select tag_id from taken) and active_at < ${sql.raw(tagSortKeysFrom)}
    )
    select count(*) as taken from taken`.execute(tx);
  return rows[0]?.taken ?? 0;
}

/**
 * Rebuilds the statistics of members from their posts and votes as of the statement's snapshot. Changes committed later
 * stay pending. Needs `lockStatistics`.
 * @param ids a query for the members
 */
export const rebuildMemberStatistics = (ids: Sql) => {
  const of = sql`= any(array(${ids})::bigint[])`;
  return sql`
    with gone as (
      delete from member_statistics_change where member_id ${of}
    ), counted as materialized (
      ${groupByDay(sql`${countPosts(of, statisticsFrom)} union all ${countPoints(of, statisticsFrom)}`)}
    ), past as (
      delete from member_daily_statistics known where member_id ${of}
        and not exists (select from counted where counted.member_id = known.member_id and counted.day = known.day)
    ), days as (
      insert into member_daily_statistics (member_id, day, questions, answers, replies, points)
      select member_id, day, questions, answers, replies, points from counted
      on conflict (member_id, day) do update set questions = excluded.questions, answers = excluded.answers,
        replies = excluded.replies, points = excluded.points
    ), received as (
      insert into member_statistics (member_id, upvotes, views)
      select member.id, coalesce(sum(upvotes), 0), coalesce(sum(views), 0)
      from member left join (${countReceived(of)}) each on each.member_id = member.id
      where member.id ${of} group by member.id
      on conflict (member_id) do update set upvotes = excluded.upvotes, views = excluded.views
    )
    select`;
};

/** Does the same for tags. */
export const rebuildTagStatistics = (ids: Sql) => {
  const of = sql`= any(array(${ids})::bigint[])`;
  return sql`
    with gone as (
      delete from tag_statistics_change where tag_id ${of}
    ), counted as materialized (
      ${countTagWeeks(of)}
    ), past as (
      delete from tag_weekly_statistics known where tag_id ${of}
        and not exists (select from counted where counted.tag_id = known.tag_id and counted.week = known.week)
    ), weeks as (
      insert into tag_weekly_statistics (tag_id, week, questions, answers)
      select tag_id, week, questions, answers from counted
      on conflict (tag_id, week) do update set questions = excluded.questions, answers = excluded.answers
    )
    select`;
};
