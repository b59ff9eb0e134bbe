import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { filterNewMembers } from './write-limits.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { findMentions } from './mentions.ts';

const daySeconds = 24 * 60 * 60;

/** A posted or edited text, and the members it mentions for the first time. */
export type NewMentions = {
  memberId: number;
  text: string;
  added: readonly number[];
  publicUrl: string | null;
};

/**
 * Counts the mentions of a text in the transaction that stores it. A refused or repeated request counts nothing.
 * Returns the error that refuses the text, or null. write-limits.ts defines who is a new member.
 */
export async function findMentionsProblem(tx: Tx, mentioning: NewMentions): Promise<ProblemError | null> {
  const { memberId, text, added, publicUrl } = mentioning;
  if (added.length === 0) return null;
  if (findMentions(text, publicUrl).length > serverLimits.mentionsPerPost)
    return invalidFieldError('content', 'too-many-mentions', { max: serverLimits.mentionsPerPost });
  if (!(await filterNewMembers(tx, [memberId])).has(memberId)) return null;
  const retryAfter = await countTowardsLimit(tx, { memberId, count: added.length });
  if (retryAfter === null) return null;
  return new ProblemError('too-many-mentions-today', {
    params: { max: serverLimits.mentionsPerDay },
    retryAfter,
  });
}

/**
 * Like `findMentionsProblem`, but throws.
 * @throws ProblemError as above
 */
export async function refuseManyMentions(tx: Tx, mentioning: NewMentions): Promise<void> {
  const problem = await findMentionsProblem(tx, mentioning);
  if (problem !== null) throw problem;
}

/** Null if there was room, otherwise the seconds until there is. */
async function countTowardsLimit(
  tx: Tx,
  { memberId, count }: { memberId: number; count: number },
): Promise<number | null> {
  const key = memberRateLimitKey('mentions', memberId);
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const used = sql`case when existing.expire <= ${now} then 0 else existing.points end`;
  const { rows: updated } = await sql`
    insert into rate_limit as existing (key, points, expire)
    values (${key}, ${count}, ${now} + ${daySeconds * 1_000})
    on conflict (key) do update set
      points = ${used} + excluded.points,
      expire = case when existing.expire <= ${now} then excluded.expire else existing.expire end
    where ${used} + excluded.points <= ${serverLimits.mentionsPerDay}
    returning key`.execute(tx);
  if (updated.length > 0) return null;
  const { rows } = await sql<{ seconds: number }>`
    select greatest(1, ceil((expire - ${now}) / 1000.0))::int as seconds from rate_limit where key = ${key}`.execute(
    tx,
  );
  return rows[0]?.seconds ?? daySeconds;
}
