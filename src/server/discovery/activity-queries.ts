import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { groupByDay, storedMemberDays, storedTagWeeks } from './statistics-counts.ts';
import { isTagVisible, tagIdOf } from '#server/posts/index.ts';
import { addDays } from '#shared/discovery/activity.ts';

type MemberYear = { memberId: number; from: string };

/** Returns the stored reputation, which can be below 0. */
export async function findReputation(db: Reader, memberId: number): Promise<number | undefined> {
  const { rows } = await sql<{ reputation: number }>`
    select reputation from member where id = ${memberId} and application is null`.execute(db);
  return rows[0]?.reputation;
}

/**
 * Returns the member's posts per day, one row per day at most. The days come as a few JSON lists, because sending and
 * parsing hundreds of rows would cost more than finding them.
 */
export async function listPostsByDay(db: Reader, { memberId, from }: MemberYear) {
  const { rows } = await sql<Record<'offsets' | 'questions' | 'answers' | 'replies', number[]>>`
    select ${toDayList(sql`day - ${toDate(from)}`)} as offsets, ${toDayList(sql`questions`)} as questions,
      ${toDayList(sql`answers`)} as answers, ${toDayList(sql`replies`)} as replies
    from (${groupByDay(storedMemberDays(sql`= ${memberId}`, toDate(from)))}) known
    where questions <> 0 or answers <> 0 or replies <> 0`.execute(db);
  const { offsets = [], questions = [], answers = [], replies = [] } = rows[0] ?? {};
  return offsets.map((offset, index) => ({
    day: addDays(from, offset),
    questions: questions[index] ?? 0,
    answers: answers[index] ?? 0,
    replies: replies[index] ?? 0,
  }));
}

/** Returns the points a member has from votes of others, by the day of the vote. */
export async function listPointsByDay(db: Reader, { memberId, from }: MemberYear) {
  const { rows } = await sql<Record<'offsets' | 'points', number[]>>`
    select ${toDayList(sql`day - ${toDate(from)}`)} as offsets, ${toDayList(sql`points`)} as points
    from (${groupByDay(storedMemberDays(sql`= ${memberId}`, toDate(from)))}) known
    where points <> 0`.execute(db);
  const { offsets = [], points = [] } = rows[0] ?? {};
  return offsets.map((offset, index) => ({ day: addDays(from, offset), points: points[index] ?? 0 }));
}

export async function findTagId(db: Reader, key: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from tag where id = ${tagIdOf(key)} and ${isTagVisible}`.execute(db);
  return rows[0]?.id;
}

/** Returns a tag's weeks from the weekly statistics, one row per week at most. */
export async function listTagWeeks(db: Reader, { tagId, from }: { tagId: number; from: string }) {
  const { rows } = await sql<{ week: string; questions: number; answers: number }>`
    select to_char(week, 'YYYY-MM-DD') as week, sum(questions)::bigint as questions, sum(answers)::bigint as answers
    from (${storedTagWeeks(sql`= ${tagId}`, toDate(from))}) known
    group by known.week having sum(questions) <> 0 or sum(answers) <> 0 order by 1`.execute(db);
  return rows;
}

const toDate = (day: string) => sql`${day}::date`;

/** A JSON list of numbers, ordered by day. */
const toDayList = (number: ReturnType<typeof sql>) => sql`coalesce(json_agg(${number} order by day), '[]')`;
