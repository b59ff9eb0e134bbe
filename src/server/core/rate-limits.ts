import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database } from './database.ts';
import { ProblemError } from './errors.ts';
import { createWriteBatcher } from './write-batcher.ts';

/** A limit shared by all nodes: `points` of something in `seconds`, then nothing for `blockSeconds`. */
export type RateLimit = {
  /** Takes one point; false when there was none left. */
  consume(key: string): Promise<boolean>;
  /** Points taken by now. */
  consumed(key: string): Promise<number>;
  /** Takes one point less than was taken. */
  refund(key: string): Promise<void>;
  reset(key: string): Promise<void>;
};

export type RateLimitRule = { name: string; points: number; seconds: number; blockSeconds?: number };

/** The database's clock, in milliseconds since 1970: nodes whose clocks differ count the same windows. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export function createRateLimit(
  db: Database,
  { name, points, seconds, blockSeconds }: RateLimitRule,
): RateLimit {
  const keyOf = (key: string) => `${name}:${hashKey(key)}`;
  // The first one too many begins the time in which nothing is left.
  const blockedUntil =
    blockSeconds === undefined
      ? sql``
      : sql`when kept.points = ${points} then (select now from clock) + ${blockSeconds * 1_000}::bigint`;
  return {
    async consume(key) {
      const { rows } = await sql<{ points: number }>`
        with clock as materialized (select ${now} as now)
        insert into rate_limit as kept (key, points, expire)
        select ${keyOf(key)}, 1, now + ${seconds * 1_000}::bigint from clock
        on conflict (key) do update set
          points = case when kept.expire <= (select now from clock) then 1 else kept.points + 1 end,
          expire = case when kept.expire <= (select now from clock) then excluded.expire
            ${blockedUntil} else kept.expire end
        returning points`.execute(db);
      return (rows[0]?.points ?? 0) <= points;
    },
    async consumed(key) {
      const { rows } = await sql<{ points: number }>`
        select points from rate_limit where key = ${keyOf(key)} and expire > ${now}`.execute(db);
      return rows[0]?.points ?? 0;
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

/** Drops what no limit counts any more. */
export async function deleteExpiredRateLimits(db: Database): Promise<void> {
  await sql`delete from rate_limit where expire < ${now} - 3600000`.execute(db);
}

/** Under which the points of a member are kept. */
export const memberRateLimitKey = (limit: string, memberId: number) =>
  `${limit}:${hashKey(String(memberId))}`;

/** Keys are addresses of people, and longer than the column: only their hashes are kept. */
const hashKey = (key: string) => createHash('sha256').update(key).digest('base64url');

export type MemberLimitRule = Omit<RateLimitRule, 'blockSeconds'> & {
  /** What somebody is told who meets the limit. */
  message: string;
  /** A lower limit for some; who they are is looked up only where it matters. */
  lower?: { points: number; holdsFor: (db: Database, memberIds: readonly number[]) => Promise<Set<number>> };
};

/** Milliseconds for which points are gathered that nobody waits for. */
const gatherMs = 100;

/** So many of one member's are gathered at most, and the first one that this node sees. */
const maxGathered = 10;

/** Members of whom it is remembered how many points they have taken. */
const maxRememberedMembers = 20_000;

/**
 * A limit on what one member does; the answer to one too many says when to try again. It is waited for, and exact, as
 * somebody comes near it. What a member takes below half of it is counted a moment later, for many members at once; so is
 * the first that this node sees of somebody. By what is counted later a member of several nodes may come above the limit.
 */
export function createMemberLimit(db: Database, rule: MemberLimitRule) {
  const count = createWriteBatcher<number, ConsumedPoints>({
    writeBatch: (memberIds) => consumePoints(db, { rule, memberIds }),
    keyOf: (memberId) => memberId,
    maxBatchSize: 500,
    // It waits for no disk, so fewer and larger ones cost less and take no longer.
    maxConcurrentBatches: 1,
  });
  const near = (rule.lower?.points ?? rule.points) / 2;
  const rememberedMembers = new LRUCache<number, RememberedPoints>({ max: maxRememberedMembers });
  let pendingMemberIds: number[] = [];

  return async function takeOrRefuse(memberId: number): Promise<void> {
    const before = rememberedMembers.get(memberId);
    if (before === undefined || before.until <= performance.now()) {
      const until = performance.now() + rule.seconds * 1_000;
      rememberedMembers.set(memberId, { points: near, until, gathered: 1, isUsedUp: false });
      return countLater(memberId);
    }
    // Further requests are refused without asking the database, so that sending them costs others nothing.
    if (before.isUsedUp) throw refusal((before.until - performance.now()) / 1_000);
    if (before.points < near && before.gathered < maxGathered) {
      before.points++;
      before.gathered++;
      return countLater(memberId);
    }
    // With what they took a moment ago.
    countGathered();
    const taken = remember(memberId, await count(memberId));
    if (!taken.isLeft) throw refusal(taken.secondsLeft);
  };

  function refusal(secondsLeft: number): ProblemError {
    return new ProblemError('too-many', rule.message, { retryAfter: Math.max(1, Math.ceil(secondsLeft)) });
  }

  function remember(memberId: number, taken: ConsumedPoints): ConsumedPoints {
    const until = performance.now() + taken.secondsLeft * 1_000;
    rememberedMembers.set(memberId, { points: taken.points, until, gathered: 0, isUsedUp: !taken.isLeft });
    return taken;
  }

  function countLater(memberId: number): void {
    if (pendingMemberIds.push(memberId) === 1) setTimeout(countGathered, gatherMs).unref();
  }

  function countGathered(): void {
    const memberIds = pendingMemberIds;
    pendingMemberIds = [];
    for (const id of memberIds)
      count(id).then(
        (taken) => remember(id, taken),
        // Without the database nothing is written that would have to be limited.
        () => rememberedMembers.delete(id),
      );
  }
}

/**
 * Points that a member has taken by what is known here, those that are gathered among them; unknown ones count as near.
 * `until`: when there are all again, by `performance.now()`.
 */
type RememberedPoints = { points: number; until: number; gathered: number; isUsedUp: boolean };

/** Points taken in all, whether one was left, and the seconds until there are all again. */
type ConsumedPoints = { isLeft: boolean; secondsLeft: number; points: number };

/** Takes one point for each of the members, who may come more than once. */
async function consumePoints(
  db: Database,
  { rule, memberIds }: { rule: MemberLimitRule; memberIds: readonly number[] },
): Promise<ConsumedPoints[]> {
  const keyOf = new Map(memberIds.map((id) => [id, memberRateLimitKey(rule.name, id)]));
  const taken = new Map<string, number>();
  for (const id of memberIds) {
    const key = keyOf.get(id) ?? '';
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  // In one order, so that two statements with the same keys wait for each other, and not for ever.
  const { rows } = await sql<{ key: string; points: number; left: number }>`
    with clock as materialized (select ${now} as now)
    insert into rate_limit as kept (key, points, expire)
    select key, points, clock.now + ${rule.seconds * 1_000}::bigint
    from clock, unnest(${[...taken.keys()]}::text[], ${[...taken.values()]}::int[]) as taken (key, points) order by key
    on conflict (key) do update set
      points = case when kept.expire <= (select now from clock) then 0 else kept.points end + excluded.points,
      expire = case when kept.expire <= (select now from clock) then excluded.expire else kept.expire end
    returning key, points, expire - (select now from clock) as left`.execute(db);
  const counts = new Map(rows.map((row) => [row.key, row]));
  const before = new Map(rows.map(({ key, points }) => [key, points - (taken.get(key) ?? 0)]));
  const lower = await findLowerLimited(db, {
    rule,
    memberIds,
    countOf: (id) => counts.get(keyOf.get(id) ?? '')?.points ?? 0,
  });
  return memberIds.map((id) => {
    const key = keyOf.get(id) ?? '';
    const count = (before.get(key) ?? 0) + 1;
    before.set(key, count);
    const most = lower.has(id) ? (rule.lower?.points ?? rule.points) : rule.points;
    // A clock that was set back must send nobody away for longer than the rule says.
    const secondsLeft = Math.min(Math.max(1, Math.ceil((counts.get(key)?.left ?? 0) / 1_000)), rule.seconds);
    return { isLeft: count <= most, secondsLeft, points: count };
  });
}

/** The members for whom the lower limit holds, of those who have come above it. */
async function findLowerLimited(
  db: Database,
  request: { rule: MemberLimitRule; memberIds: readonly number[]; countOf: (memberId: number) => number },
): Promise<Set<number>> {
  const { rule, memberIds, countOf } = request;
  const { lower } = rule;
  if (lower === undefined) return new Set();
  const near = memberIds.filter((id) => countOf(id) > lower.points);
  return near.length === 0 ? new Set() : lower.holdsFor(db, [...new Set(near)]);
}
