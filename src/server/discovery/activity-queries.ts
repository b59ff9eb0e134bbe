import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import {
  countPoints,
  countPosts,
  groupByDay,
  storedMemberDays,
  storedTagWeeks,
  startOfDay,
} from './statistics-counts.ts';
import { isTagVisible, tagIdOf } from '#server/posts/index.ts';
import { addDays } from '#shared/discovery/activity.ts';

type MemberYear = { memberId: number; from: string };

/** Returns the stored reputation, which can be below 0, and whether the member has statistics. */
export async function findMemberReputation(db: Reader, id: number) {
  return db
    .selectFrom('member')
    .select(['reputation', 'has_statistics'])
    .where('id', '=', id)
    .where('application', 'is', null)
    .executeTakeFirst();
}

/**
 * Returns the member's posts per day, one row per day at most: from the daily statistics if the member has them,
 * otherwise from the posts. The days come as a few JSON lists, because sending and parsing hundreds of rows would cost
 * more than finding them.
 */
export async function listPostsByDay(
  db: Reader,
  { memberId, from, isSummed }: MemberYear & { isSummed: boolean },
) {
  const { rows } = await sql<Record<'offsets' | 'questions' | 'answers' | 'replies', number[]>>`
    select ${toDayList(sql`day - ${toDate(from)}`)} as offsets, ${toDayList(sql`questions`)} as questions,
      ${toDayList(sql`answers`)} as answers, ${toDayList(sql`replies`)} as replies
    from (${groupByDay((isSummed ? storedMemberDays : countPosts)(sql`= ${memberId}`, toDate(from)))}) known
    where questions <> 0 or answers <> 0 or replies <> 0`.execute(db);
  const { offsets = [], questions = [], answers = [], replies = [] } = rows[0] ?? {};
  return offsets.map((offset, index) => ({
    day: addDays(from, offset),
    questions: questions[index] ?? 0,
    answers: answers[index] ?? 0,
    replies: replies[index] ?? 0,
  }));
}

/**
 * Returns the points a member has from votes of others, by the day of the vote: from the daily statistics or, without
 * them, from the votes.
 */
export async function listPointsByDay(
  db: Reader,
  { memberId, from, isSummed }: MemberYear & { isSummed: boolean },
) {
  const { rows } = await sql<Record<'offsets' | 'points', number[]>>`
    select ${toDayList(sql`day - ${toDate(from)}`)} as offsets, ${toDayList(sql`points`)} as points
    from (${groupByDay((isSummed ? storedMemberDays : countPoints)(sql`= ${memberId}`, toDate(from)))}) known
    where points <> 0`.execute(db);
  const { offsets = [], points = [] } = rows[0] ?? {};
  return offsets.map((offset, index) => ({ day: addDays(from, offset), points: points[index] ?? 0 }));
}

export async function findTag(db: Reader, key: string) {
  return db
    .selectFrom('tag')
    .select(['id', 'questions_count', 'has_statistics'])
    .where('id', '=', tagIdOf(key))
    .where(isTagVisible)
    .executeTakeFirst();
}

/** Returns a tag's weeks from the weekly statistics, one row per week at most. */
export async function listTagWeeks(db: Reader, { tagId, from }: { tagId: number; from: string }) {
  const { rows } = await sql<{ week: string; questions: number; answers: number }>`
    select to_char(week, 'YYYY-MM-DD') as week, sum(questions)::bigint as questions, sum(answers)::bigint as answers
    from (${storedTagWeeks(sql`= ${tagId}`, toDate(from))}) known
    group by known.week having sum(questions) <> 0 or sum(answers) <> 0 order by 1`.execute(db);
  return rows;
}

/**
 * Counts a tag that has no statistics yet: reads its newest questions (at most `limit`, by the index
 * question_tag_newest) and their answers.
 */
export async function countTagWeeks(
  db: Reader,
  { tagId, from, limit }: { tagId: number; from: string; limit: number },
) {
  const { rows } = await sql<{ week: string; questions: number; answers: number }>`
    with newest as (
      select question_id, question_created_at from question_tag
      where tag_id = ${tagId} order by question_created_at desc, question_id desc limit ${limit}
    )
    select to_char(date_trunc('week', at at time zone 'UTC'), 'YYYY-MM-DD') as week,
      sum(questions)::bigint as questions, sum(answers)::bigint as answers
    from (
      select question_created_at as at, 1 as questions, 0 as answers from newest where question_created_at >= ${startOfDay(toDate(from))}
      union all
      select answer.created_at, 0, 1 from newest join answer on answer.question_id = newest.question_id
      where answer.created_at >= ${startOfDay(toDate(from))}
    ) post
    group by week order by week`.execute(db);
  return rows;
}

const toDate = (day: string) => sql`${day}::date`;

/** A JSON list of numbers, ordered by day. */
const toDayList = (number: ReturnType<typeof sql>) => sql`coalesce(json_agg(${number} order by day), '[]')`;
