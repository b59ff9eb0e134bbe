import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import {
  getYearUntil,
  type MemberActivity,
  type MemberReputation,
  type TagActivity,
} from '#shared/discovery/activity.ts';
import {
  findReputation,
  findTagId,
  listPointsByDay,
  listPostsByDay,
  listTagWeeks,
} from './activity-queries.ts';

/** Returns a member's year: questions, answers and replies per UTC day, so that all readers see the same days. */
export async function readMemberActivity(db: Reader, { id }: { id: number }): Promise<MemberActivity> {
  if ((await findReputation(db, id)) === undefined) throw new ProblemError('user-not-found');
  const { from, to } = getYearUntil(new Date());
  return { from, to, days: await listPostsByDay(db, { memberId: id, from }) };
}

/**
 * Returns a member's reputation over a year. Today's value is the stored one. Earlier values subtract the points of the
 * votes cast since. Removed votes and votes on deleted posts appear nowhere; imported points count from the start.
 */
export async function readMemberReputation(db: Reader, { id }: { id: number }): Promise<MemberReputation> {
  const reputation = await findReputation(db, id);
  if (reputation === undefined) throw new ProblemError('user-not-found');
  const { from, to } = getYearUntil(new Date());
  const changes = await listPointsByDay(db, { memberId: id, from });
  const before = reputation - changes.reduce((sum, { points }) => sum + points, 0);
  let running = before;
  const days = changes.map(({ day, points }) => {
    running += points;
    return { day, reputation: Math.max(0, running) };
  });
  return { from, to, start: Math.max(0, before), days };
}

/**
 * Returns a tag's year: questions and their answers per week.
 * @throws ProblemError 'not-found' if the tag does not exist.
 */
export async function readTagActivity(db: Reader, { tag }: { tag: string }): Promise<TagActivity> {
  const tagId = await findTagId(db, tagKey(tag));
  if (tagId === undefined) throw new ProblemError('tag-not-found');
  const { from, to } = getYearUntil(new Date());
  return { from, to, weeks: await listTagWeeks(db, { tagId, from }) };
}
