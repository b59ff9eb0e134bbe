import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { filterNewMembers } from './write-limits.ts';
import { limits } from '#shared/core/limits.ts';
import { findMentions } from './mentions.ts';

const daySeconds = 24 * 60 * 60;

/** A text as it is posted or edited, and the members it mentions that it did not mention before. */
export type NewMentions = {
  memberId: number;
  text: string;
  added: readonly number[];
  publicUrl: string | null;
};

/**
 * Counts the mentions of a text, in the transaction that stores it: what is refused, or posted before under the same key,
 * takes none. Returns why the text is refused; null where it is not.
 * Who is new: posts/write-limits.ts.
 */
export async function findMentionsProblem(tx: Tx, mentioning: NewMentions): Promise<ProblemError | null> {
  const { memberId, text, added, publicUrl } = mentioning;
  if (added.length === 0) return null;
  if (findMentions(text, publicUrl).length > limits.mentionsPerPost)
    return invalidFieldError(
      'content',
      `You can mention up to ${limits.mentionsPerPost} members in one post.`,
    );
  if (!(await filterNewMembers(tx, [memberId])).has(memberId)) return null;
  const retryAfter = await countTowardsLimit(tx, { memberId, count: added.length });
  if (retryAfter === null) return null;
  return new ProblemError(
    'too-many',
    `New members can mention up to ${limits.mentionsPerDay} members a day. Mention fewer, or try again tomorrow.`,
    { retryAfter },
  );
}

/** @throws ProblemError as above */
export async function refuseManyMentions(tx: Tx, mentioning: NewMentions): Promise<void> {
  const problem = await findMentionsProblem(tx, mentioning);
  if (problem !== null) throw problem;
}

/** Null where they were taken; else the seconds until there are some again. */
async function countTowardsLimit(
  tx: Tx,
  { memberId, count }: { memberId: number; count: number },
): Promise<number | null> {
  const key = memberRateLimitKey('mentions', memberId);
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const used = sql`case when kept.expire <= ${now} then 0 else kept.points end`;
  const { rows: taken } = await sql`
    insert into rate_limit as kept (key, points, expire)
    values (${key}, ${count}, ${now} + ${daySeconds * 1_000})
    on conflict (key) do update set
      points = ${used} + excluded.points,
      expire = case when kept.expire <= ${now} then excluded.expire else kept.expire end
    where ${used} + excluded.points <= ${limits.mentionsPerDay}
    returning key`.execute(tx);
  if (taken.length > 0) return null;
  const { rows } = await sql<{ seconds: number }>`
    select greatest(1, ceil((expire - ${now}) / 1000.0))::int as seconds from rate_limit where key = ${key}`.execute(
    tx,
  );
  return rows[0]?.seconds ?? daySeconds;
}
