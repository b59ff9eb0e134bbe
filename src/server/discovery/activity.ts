import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import {
  getYearUntil,
  maxTagQuestionsCounted,
  type MemberActivity,
  type MemberReputation,
  type TagActivity,
} from '#shared/discovery/activity.ts';
import {
  countTagWeeks,
  findMemberReputation,
  findTag,
  listPointsByDay,
  listPostsByDay,
  listTagWeeks,
} from './activity-queries.ts';

/** A member's year: questions, answers and replies a day, in UTC, so that it is the same for every reader. */
export async function readMemberActivity(db: Reader, { id }: { id: number }): Promise<MemberActivity> {
  const member = await findMemberReputation(db, id);
  if (member === undefined) throw new ProblemError('not-found', 'User not found');
  const { from, to } = getYearUntil(new Date());
  return {
    from,
    to,
    days: await listPostsByDay(db, { memberId: id, from, isSummed: member.has_statistics }),
  };
}

/**
 * A member's reputation over a year. What it is today is what is stored; what it was is that without the points of the
 * votes cast since. Votes that were taken back, or that went with their posts, are in none of it, and imported points
 * are there from the start.
 */
export async function readMemberReputation(db: Reader, { id }: { id: number }): Promise<MemberReputation> {
  const member = await findMemberReputation(db, id);
  if (member === undefined) throw new ProblemError('not-found', 'User not found');
  const { from, to } = getYearUntil(new Date());
  const changes = await listPointsByDay(db, { memberId: id, from, isSummed: member.has_statistics });
  const before = member.reputation - changes.reduce((sum, { points }) => sum + points, 0);
  let running = before;
  const days = changes.map(({ day, points }) => {
    running += points;
    return { day, reputation: Math.max(0, running) };
  });
  return { from, to, start: Math.max(0, before), days };
}

/** A topic's year: questions and the answers to them a week. @throws ProblemError 'not-found' for no topic. */
export async function readTagActivity(db: Reader, { tag }: { tag: string }): Promise<TagActivity> {
  const tagRow = await findTag(db, tagKey(tag));
  if (tagRow === undefined) throw new ProblemError('not-found', 'Topic not found');
  const { from, to } = getYearUntil(new Date());
  const tagId = tagRow.id;
  if (tagRow.has_statistics)
    return { from, to, weeks: await listTagWeeks(db, { tagId, from }), complete: true };
  return {
    from,
    to,
    weeks: await countTagWeeks(db, { tagId, from, limit: maxTagQuestionsCounted }),
    complete: tagRow.questions_count <= maxTagQuestionsCounted,
  };
}
