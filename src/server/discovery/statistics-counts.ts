import { type RawBuilder, sql } from 'kysely';
import { selectPoints } from '#server/posts/index.ts';
import { weeksShown } from '#shared/discovery/activity.ts';

// The statistics of members and tags, counted from the posts and votes (for checks and repairs) and as stored.

type Sql = RawBuilder<unknown>;

const kinds = ['question', 'answer', 'reply'] as const;

/**
 * Statistics of days and weeks are stored from this day on: one week more than any chart shows, because clocks differ.
 */
export const statisticsFrom = sql`(date_trunc('week', now() at time zone 'UTC')::date - ${sql.lit(weeksShown * 7)})`;

/**
 * The start of a day in UTC.
 * @param day a date
 */
export const startOfDay = (day: Sql) => sql`((${day})::timestamp at time zone 'UTC')`;

/**
 * Posts by author and day, from the day `from` on, by the indexes question_author, answer_author and reply_author_time.
 * @param of the condition on the author, such as `= 7`
 */
export const countPosts = (of: Sql, from: Sql) => {
  const own = sql`author_id ${of} and created_at >= ${startOfDay(from)}`;
  return sql`
    select author_id as member_id, utc_day(created_at) as day, 1 as questions, 0 as answers, 0 as replies, 0 as points
      from question where ${own}
    union all
    select author_id, utc_day(created_at), 0, 1, 0, 0 from answer where ${own}
    union all
    select author_id, utc_day(created_at), 0, 0, 1, 0 from reply where ${own} and deleted_at is null`;
};

/** Points by author and day of the vote. The votes of each post are found by index. */
export const countPoints = (of: Sql, from: Sql) =>
  sql.join(
    kinds.map(
      (kind) => sql`
        select post.author_id as member_id, utc_day(vote.created_at) as day,
          0 as questions, 0 as answers, 0 as replies,
          ${selectPoints(kind, sql`vote.direction`)} as points
        from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
        where post.author_id ${of} and vote.member_id <> post.author_id
          and vote.created_at >= ${startOfDay(from)}`,
    ),
    sql` union all `,
  );

/** Groups the rows of `countPosts` and `countPoints` by member and day. */
export const groupByDay = (rows: Sql) => sql`
  select member_id, day, sum(questions)::bigint as questions, sum(answers)::bigint as answers,
    sum(replies)::bigint as replies, sum(points)::bigint as points
  from (${rows}) each group by member_id, day
  having sum(questions) <> 0 or sum(answers) <> 0 or sum(replies) <> 0 or sum(points) <> 0`;

/** Upvotes and views of each post, by author. A deleted reply, which stays as a placeholder, counts nothing. */
export const countReceived = (of: Sql) => sql`
  select author_id as member_id, upvotes, views from question where author_id ${of}
  union all select author_id, upvotes, 0 from answer where author_id ${of}
  union all select author_id, upvotes, 0 from reply where author_id ${of} and deleted_at is null`;

/**
 * Questions with each tag and their answers, by tag and week.
 * @param of the condition on the tag, such as `= 7`
 */
export const countTagWeeks = (of: Sql) => sql`
  select tag_id, week, sum(questions)::bigint as questions, sum(answers)::bigint as answers from (
    select tag_id, utc_week(question_created_at) as week, 1 as questions, 0 as answers
      from question_tag where tag_id ${of} and question_created_at >= ${startOfDay(statisticsFrom)}
    union all
    select tag_id, utc_week(answer.created_at), 0, 1
      from question_tag link join answer on answer.question_id = link.question_id
      where tag_id ${of} and answer.created_at >= ${startOfDay(statisticsFrom)}
  ) each group by tag_id, week`;

/** The stored statistics of a member's days, plus the changes that are not yet added to them. */
export const storedMemberDays = (of: Sql, from: Sql) => sql`
  select member_id, day, questions, answers, replies, points from member_daily_statistics where member_id ${of} and day >= ${from}
  union all
  select member_id, day, questions, answers, replies, points from member_statistics_change where member_id ${of} and day >= ${from}`;

export const storedReceived = (of: Sql) => sql`
  select member_id, upvotes, views from member_statistics where member_id ${of}
  union all select member_id, upvotes, views from member_statistics_change where member_id ${of}`;

export const storedTagWeeks = (of: Sql, from: Sql) => sql`
  select tag_id, week, questions, answers from tag_weekly_statistics where tag_id ${of} and week >= ${from}
  union all
  select tag_id, week, questions, answers from tag_statistics_change where tag_id ${of} and week >= ${from}`;
