import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { ErrorCodeWith } from '#shared/errors.ts';
import type { Database } from './database.ts';
import { ProblemError } from './errors.ts';
import { createWriteBatcher } from './write-batcher.ts';

/** A rate limit shared by all nodes: `points` in `seconds`, then none for `blockSeconds`. */
export type RateLimit = {
  /** Consumes a point. False if none was left. */
  consume(key: string): Promise<boolean>;
  /** The number of points consumed so far. */
  consumed(key: string): Promise<number>;
  /** Seconds until all points are available again; at least 1. */
  secondsLeft(key: string): Promise<number>;
  /** Returns one point. */
  refund(key: string): Promise<void>;
  reset(key: string): Promise<void>;
};

export type RateLimitRule = { name: string; points: number; seconds: number; blockSeconds?: number };

/** The database clock in milliseconds since 1970, so that all nodes count the same windows. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export function createRateLimit(
  db: Database,
  { name, points, seconds, blockSeconds }: RateLimitRule,
): RateLimit {
  const keyOf = (key: string) => `${name}:${hashKey(key)}`;
  // The first point above the limit starts the block.
  const blockedUntil =
    blockSeconds === undefined
      ? sql``
      : sql`when existing.points = ${points} then (select now from clock) + ${blockSeconds * 1_000}::bigint`;
  return {
    async consume(key) {
      const { rows } = await sql<{ points: number }>`
        with clock as materialized (select ${now} as now)
        insert into rate_limit as existing (key, points, expire)
        select ${keyOf(key)}, 1, now + ${seconds * 1_000}::bigint from clock
        on conflict (key) do update set
          points = case when existing.expire <= (select now from clock) then 1 else existing.points + 1 end,
          expire = case when existing.expire <= (select now from clock) then excluded.expire
            ${blockedUntil} else existing.expire end
        returning points`.execute(db);
      return (rows[0]?.points ?? 0) <= points;
    },
    async consumed(key) {
      const { rows } = await sql<{ points: number }>`
        select points from rate_limit where key = ${keyOf(key)} and expire > ${now}`.execute(db);
      return rows[0]?.points ?? 0;
    },
    async secondsLeft(key) {
      const { rows } = await sql<{ left: number }>`
        select expire - ${now} as left from rate_limit where key = ${keyOf(key)}`.execute(db);
      return Math.max(1, Math.ceil((rows[0]?.left ?? 0) / 1_000));
    },
    async refund(key) {
      await sql`
        update rate_limit set points = points - 1
        where key = ${keyOf(key)} and points > 0 and expire > ${now}`.execute(db);
    },
    async reset(key) {
      await sql`delete from rate_limit where key = ${keyOf(key)}`.execute(db);
    },
  };
}

/**
 * Consumes a point.
 * @throws ProblemError if none was left, with the seconds until all are available again
 */
export async function requirePoint(
  limit: RateLimit,
  { key, code }: { key: string; code: ErrorCodeWith<never> },
): Promise<void> {
  if (!(await limit.consume(key))) throw new ProblemError(code, { retryAfter: await limit.secondsLeft(key) });
}

/**
 * Consumes a point of each limit, or of neither: who is refused by the second limit keeps the point of the first.
 * @throws ProblemError as `requirePoint`
 */
export async function requireBothPoints(first: RequiredPoint, second: RequiredPoint): Promise<void> {
  await requirePoint(first.limit, first);
  try {
    await requirePoint(second.limit, second);
  } catch (error) {
    await first.limit.refund(first.key);
    throw error;
  }
}

type RequiredPoint = { limit: RateLimit; key: string; code: ErrorCodeWith<never> };

/** Deletes expired counts. */
export async function deleteExpiredRateLimits(db: Database): Promise<void> {
  await sql`delete from rate_limit where expire < ${now} - 3600000`.execute(db);
}

/** The database key of a member's points. */
export const memberRateLimitKey = (limit: string, memberId: number) =>
  `${limit}:${hashKey(String(memberId))}`;

/** Keys contain network and email addresses and may be longer than the column, so only their hashes are stored. */
const hashKey = (key: string) => createHash('sha256').update(key).digest('base64url');

export type MemberLimitRule = Omit<RateLimitRule, 'blockSeconds'> & {
  /** The error for members who exceed the limit. */
  code: ErrorCodeWith<never>;
  /** A lower limit for some members. `appliesTo` is called only when the lower limit is exceeded. */
  lower?: { points: number; appliesTo: (db: Database, memberIds: readonly number[]) => Promise<Set<number>> };
};

/** The number of members without points left that are cached. */
const maxCachedMembers = 20_000;

/**
 * Limits what one member does. The error says when to retry. Members who act at the same time are counted in one
 * statement.
 */
export function createMemberLimit(db: Database, rule: MemberLimitRule) {
  const count = createWriteBatcher<number, ConsumedPoints>({
    writeBatch: (memberIds) => consumePoints(db, { rule, memberIds }),
    keyOf: (memberId) => memberId,
    maxBatchSize: 500,
    // The writes do not wait for the disk, so fewer and larger batches cost less and take no longer.
    maxConcurrentBatches: 1,
  });
  /**
   * When the points of members who have none left are available again, by `performance.now()`. Created when a member
   * exceeds the limit: it takes 2 ms and half a megabyte, and there are dozens of limits.
   */
  let usedUpUntil: LRUCache<number, number> | undefined;

  return async function consumeOrThrow(memberId: number): Promise<void> {
    const until = usedUpUntil?.get(memberId) ?? 0;
    // Refused without a database query, so that further requests do not slow down other members.
    if (until > performance.now()) throw refusal((until - performance.now()) / 1_000);
    const { isAllowed, secondsLeft } = await count(memberId);
    if (isAllowed) return;
    usedUpUntil ??= new LRUCache({ max: maxCachedMembers });
    usedUpUntil.set(memberId, performance.now() + secondsLeft * 1_000);
    throw refusal(secondsLeft);
  };

  function refusal(secondsLeft: number): ProblemError {
    return new ProblemError(rule.code, { retryAfter: Math.max(1, Math.ceil(secondsLeft)) });
  }
}

/** Whether a point was left, and the seconds until all are available again. */
type ConsumedPoints = { isAllowed: boolean; secondsLeft: number };

/** Consumes one point per entry. A member may occur several times. */
async function consumePoints(
  db: Database,
  { rule, memberIds }: { rule: MemberLimitRule; memberIds: readonly number[] },
): Promise<ConsumedPoints[]> {
  const keyOf = new Map(memberIds.map((id) => [id, memberRateLimitKey(rule.name, id)]));
  const consumed = new Map<string, number>();
  for (const id of memberIds) {
    const key = keyOf.get(id) ?? '';
    consumed.set(key, (consumed.get(key) ?? 0) + 1);
  }
  // A fixed order prevents deadlocks between two statements with the same keys.
  const { rows } = await sql<{ key: string; points: number; left: number }>`
    with clock as materialized (select ${now} as now)
    insert into rate_limit as existing (key, points, expire)
    select key, points, clock.now + ${rule.seconds * 1_000}::bigint
    from clock, unnest(${[...consumed.keys()]}::text[], ${[...consumed.values()]}::int[]) as taken (key, points) order by key
    on conflict (key) do update set
      points = case when existing.expire <= (select now from clock) then 0 else existing.points end + excluded.points,
      expire = case when existing.expire <= (select now from clock) then excluded.expire else existing.expire end
    returning key, points, expire - (select now from clock) as left`.execute(db);
  const counts = new Map(rows.map((row) => [row.key, row]));
  const before = new Map(rows.map(({ key, points }) => [key, points - (consumed.get(key) ?? 0)]));
  const lower = await findLowerLimited(db, {
    rule,
    memberIds,
    countOf: (id) => counts.get(keyOf.get(id) ?? '')?.points ?? 0,
  });
  return memberIds.map((id) => {
    const key = keyOf.get(id) ?? '';
    const count = (before.get(key) ?? 0) + 1;
    before.set(key, count);
    const max = lower.has(id) ? (rule.lower?.points ?? rule.points) : rule.points;
    // Limits the wait to the rule's window, even if a clock was set back.
    const secondsLeft = Math.min(Math.max(1, Math.ceil((counts.get(key)?.left ?? 0) / 1_000)), rule.seconds);
    return { isAllowed: count <= max, secondsLeft };
  });
}

/** The members above the lower limit to whom it applies. */
async function findLowerLimited(
  db: Database,
  request: { rule: MemberLimitRule; memberIds: readonly number[]; countOf: (memberId: number) => number },
): Promise<Set<number>> {
  const { rule, memberIds, countOf } = request;
  const { lower } = rule;
  if (lower === undefined) return new Set();
  const aboveLower = memberIds.filter((id) => countOf(id) > lower.points);
  return aboveLower.length === 0 ? new Set() : lower.appliesTo(db, [...new Set(aboveLower)]);
}
