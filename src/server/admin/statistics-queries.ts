import { type RawBuilder, sql } from 'kysely';
import type { Database, Reader, Tx } from '#server/core/database.ts';
import type { StatisticsUnit } from '#shared/admin/statistics.ts';

type Sql = RawBuilder<unknown>;

/** The setting with the time of the latest count, as JSON. */
const stateSetting = 'community-statistics';

export type CountState = { countedAt: Date; tookMs: number };

export async function findCountState(db: Reader): Promise<CountState | null> {
  const { rows } = await sql<{ value: { countedAt: string; tookMs: number } }>`
    select value::json as value from setting where name = ${stateSetting}`.execute(db);
  const value = rows[0]?.value;
  return value === undefined ? null : { countedAt: new Date(value.countedAt), tookMs: value.tookMs };
}

export async function saveCountState(db: Database, { countedAt, tookMs }: CountState): Promise<void> {
  const value = JSON.stringify({ countedAt: countedAt.toISOString(), tookMs });
  await sql`
    insert into setting (name, value) values (${stateSetting}, ${value})
    on conflict (name) do update set value = excluded.value`.execute(db);
}

/**
 * Marks the days since the latest count as stale; without one, all days since the first post, member, report or action.
 * A transaction that was open during the latest count may have added rows shortly before it. Returns the current time.
 */
export async function markDaysSince(db: Database, countedAt: Date | null): Promise<Date> {
  const first = sql`
    least(
      (select min(created_at) from question), (select min(created_at) from answer),
      (select min(created_at) from reply where deleted_at is null),
      (select min(created_at) from member where source_id is null),
      (select min(created_at) from report), (select min(created_at) from moderation_log), now()
    )`;
  const { rows } = await sql<{ now: Date }>`
    with marked as (
      insert into stale_statistics_day
      select utc_day(now()) - age from generate_series(
        0, utc_day(now()) - utc_day(${countedAt === null ? first : sql`${countedAt}::timestamptz - interval '1 hour'`})
      ) age
    )
    select now()::timestamptz(3) as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/** Excludes other counts; reads are not blocked. */
export const lockCounts = sql`lock table community_statistics in share row exclusive mode`;

/**
 * Keeps one plan for all periods of a unit. PostgreSQL would plan each period anew, which takes six times as long as
 * counting a day.
 */
export const planOncePerPeriod = sql`set local plan_cache_mode = force_generic_plan`;

/** Takes the stale days of the latest month that has any. Returns the periods they are in; none if no day is stale. */
export async function takeStalePeriods(tx: Tx): Promise<{ unit: StatisticsUnit; start: string }[]> {
  const { rows } = await sql<{ unit: StatisticsUnit; start: string }>`
    with taken as (
      delete from stale_statistics_day
      where day >= (select date_trunc('month', max(day)::timestamp) from stale_statistics_day) returning day
    )
    select distinct unit, to_char(date_trunc(unit, day::timestamp), 'YYYY-MM-DD') as start
    from taken, unnest(array['day', 'week', 'month']) unit order by unit, start`.execute(tx);
  return rows;
}

const medianOf = (value: Sql) =>
  sql`round(percentile_cont(0.5) within group (order by extract(epoch from ${value})))`;

/**
 * Counts a period again, for the community and its tags, by the indexes on the times of the rows.
 * @param tagsFrom statistics of tags are stored from this day on
 */
export async function countPeriod(
  tx: Tx,
  { unit, start, tagsFrom }: { unit: StatisticsUnit; start: string; tagsFrom: string },
): Promise<void> {
  const day = sql`${start}::date`;
  const from = sql`(${day}::timestamp at time zone 'UTC')`;
  const to = sql`((${day} + ${sql.lit(`1 ${unit}`)}::interval) at time zone 'UTC')`;
  const within = (time: string) => sql`${sql.ref(time)} >= ${from} and ${sql.ref(time)} < ${to}`;
  await sql`delete from community_statistics where unit = ${unit} and start = ${day}`.execute(tx);
  await sql`delete from community_tag_statistics where unit = ${unit} and start = ${day}`.execute(tx);
  await sql`
    with asked as materialized (
      select id, author_id, answer_count > 0 as answered, accepted_answer_id is not null as solved,
        (
          -- Some imported answers are older than their question.
          select greatest(interval '0', answer.created_at - question.created_at) from answer
          where answer.question_id = question.id
            and (answer.author_id is distinct from question.author_id or answer.author_id is null)
          order by answer.created_at, answer.id limit 1
        ) as waited
      from question where ${within('created_at')}
    ), given as materialized (
      select question_id, author_id from answer where ${within('created_at')}
    ), post_counts as (
      insert into community_statistics
      select ${unit}, ${day}, asked.questions, asked.answered, asked.solved, asked.first_answer, given.answers,
        active.members, registered.members, reported.reports, handled.reports, handled.median, logged.actions
      from (
        select count(*) as questions, count(*) filter (where answered) as answered,
          count(*) filter (where solved) as solved, ${medianOf(sql`waited`)} as first_answer
        from asked
      ) asked, (
        select count(*) as answers from given
      ) given, (
        select count(distinct author_id) as members from (
          select author_id from asked union all select author_id from given
          union all select author_id from reply where ${within('created_at')} and deleted_at is null
        ) post where author_id is null or not exists (select from member where id = author_id and is_bot)
      ) active, (
        select count(*) as members from member
        where source_id is null and application is null and not is_bot and ${within('created_at')}
      ) registered, (
        select count(*) as reports from report where ${within('created_at')}
      ) reported, (
        select count(*) as reports, ${medianOf(sql`closed_at - created_at`)} as median
        from report where ${within('closed_at')} and outcome in ('dismissed', 'resolved')
      ) handled, (
        select count(*) as actions from moderation_log
        where ${within('created_at')} and ${isModerationAction}
      ) logged
    )
    insert into community_tag_statistics
      (unit, start, tag_id, questions, answered_questions, solved_questions, first_answer_seconds, answers)
    select ${unit}, ${day}, coalesce(asked.tag_id, given.tag_id), coalesce(asked.questions, 0), coalesce(answered, 0),
      coalesce(solved, 0), first_answer, coalesce(given.answers, 0)
    from (
      select tag_id, count(*) as questions, count(*) filter (where answered) as answered,
        count(*) filter (where solved) as solved, ${medianOf(sql`waited`)} as first_answer
      from asked join question_tag on question_id = asked.id group by tag_id
    ) asked full join (
      select tag_id, count(*) as answers from given join question_tag using (question_id) group by tag_id
    ) given on given.tag_id = asked.tag_id
    where ${day} >= ${tagsFrom}::date`.execute(tx);
}

/** Actions on posts and members, not changes of roles and settings. The command line has no moderator. */
const isModerationAction = sql`
  moderator_id is not null and (post_id is not null or member_id is not null) and action <> 'role'`;

/** Deletes what is no longer shown: old periods of tags, and old searches. */
export async function deleteOldStatistics(
  db: Database,
  { unit, before }: { unit: StatisticsUnit; before: string },
): Promise<void> {
  await sql`delete from community_tag_statistics where unit = ${unit} and start < ${before}::date`.execute(
    db,
  );
}

type PostCountsRow = {
  questions: number;
  answered_questions: number;
  solved_questions: number;
  first_answer_seconds: number | null;
  answers: number;
};

export type TagPeriodRow = PostCountsRow & { start: string };

export type PeriodRow = TagPeriodRow & {
  active_members: number;
  new_members: number;
  reports: number;
  handled_reports: number;
  handling_seconds: number | null;
  moderation_actions: number;
};

type Periods = { unit: StatisticsUnit; from: string; limit: number };

const startText = sql`to_char(start, 'YYYY-MM-DD') as start`;

/** Returns the stored periods from a day on, the oldest first. */
export async function listPeriods(db: Reader, { unit, from, limit }: Periods): Promise<PeriodRow[]> {
  const { rows } = await sql<PeriodRow>`
    select community_statistics.*, ${startText} from community_statistics
    where unit = ${unit} and start >= ${from}::date order by community_statistics.start limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Returns the same for a tag. */
export async function listTagPeriods(
  db: Reader,
  { tagId, unit, from, limit }: Periods & { tagId: number },
): Promise<TagPeriodRow[]> {
  const { rows } = await sql<TagPeriodRow>`
    select stored.*, ${startText} from community_tag_statistics stored
    where tag_id = ${tagId} and unit = ${unit} and start >= ${from}::date order by stored.start limit ${limit}`.execute(
    db,
  );
  return rows;
}

export type PeriodTagRow = PostCountsRow & { tag_id: number; name: string; questions_before: number };

type TagWindow = {
  unit: StatisticsUnit;
  start: string;
  /** The start of the period before. */
  before: string;
  /** The tag after which the page begins; null for the first page. */
  after: PeriodTagRow | null;
  limit: number;
};

/** Returns a page of the tags of a period, those with the most questions first. */
export async function listPeriodTags(
  db: Reader,
  { unit, start, before, after, limit }: TagWindow,
): Promise<PeriodTagRow[]> {
  const afterTag =
    after === null
      ? sql``
      : sql`and (questions, answers, tag_id) < (${after.questions}, ${after.answers}, ${after.tag_id})`;
  const { rows } = await sql<PeriodTagRow>`
    select stored.*, tag.name, coalesce((
      select questions from community_tag_statistics earlier
      where earlier.tag_id = stored.tag_id and earlier.unit = ${unit} and earlier.start = ${before}::date
    ), 0) as questions_before
    from (
      select * from community_tag_statistics where unit = ${unit} and start = ${start}::date ${afterTag}
      order by questions desc, answers desc, tag_id desc limit ${limit}
    ) stored join tag on tag.id = stored.tag_id
    order by stored.questions desc, stored.answers desc, stored.tag_id desc`.execute(db);
  return rows;
}
