import { createHash } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { ProblemError } from './errors.ts';
import { together } from './together.ts';

/** A limit shared by all nodes: `points` of something in `seconds`, then nothing for `blockSeconds`. */
export type RateLimit = {
  /** Takes one point; false when there was none left. */
  take(key: string): Promise<boolean>;
  /** Takes one point less than was taken. */
  giveBack(key: string): Promise<void>;
  reset(key: string): Promise<void>;
};

export type RateLimitRule = { name: string; points: number; seconds: number; blockSeconds?: number };

export function rateLimit(db: Database, rule: RateLimitRule): RateLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: queryClient(db),
    storeType: 'client',
    tableName: 'rate_limit',
    tableCreated: true,
    clearExpiredByTimeout: true,
    keyPrefix: rule.name,
    points: rule.points,
    duration: rule.seconds,
    ...(rule.blockSeconds !== undefined && { blockDuration: rule.blockSeconds }),
  });
  return {
    async take(key) {
      try {
        await limiter.consume(stored(key));
        return true;
      } catch (error) {
        if (error instanceof RateLimiterRes) return false;
        throw error;
      }
    },
    async giveBack(key) {
      await limiter.reward(stored(key));
    },
    async reset(key) {
      await limiter.delete(stored(key));
    },
  };
}

/** Keys are addresses of people, and longer than the column: only their hashes are kept. */
const stored = (key: string) => createHash('sha256').update(key).digest('base64url');

/**
 * A limit on what one member does; the answer to one too many says when to try again. What many members do at the same
 * time is counted together.
 */
export function memberLimit(db: Database, rule: Omit<RateLimitRule, 'blockSeconds'> & { what: string }) {
  const take = together<number, boolean>({
    write: (memberIds) => takePoints(db, { rule, keys: memberIds.map(String) }),
    about: (memberId) => memberId,
    most: 500,
  });
  return async function takeOrRefuse(memberId: number): Promise<void> {
    if (await take(memberId)) return;
    throw new ProblemError(
      'too-many',
      `You have ${rule.what} a lot in a short time. Please try again in a few minutes.`,
      { retryAfter: rule.seconds },
    );
  };
}

/** Takes one point for each of the keys, which may come more than once. Returns, for each, whether there was one left. */
async function takePoints(
  db: Database,
  { rule, keys }: { rule: RateLimitRule; keys: readonly string[] },
): Promise<boolean[]> {
  const rowKeys = keys.map((key) => `${rule.name}:${stored(key)}`);
  const taken = new Map<string, number>();
  for (const key of rowKeys) taken.set(key, (taken.get(key) ?? 0) + 1);
  const now = Date.now();
  // In one order, so that two statements with the same keys wait for each other, and not for ever.
  const { rows } = await sql<{ key: string; points: number }>`
    insert into rate_limit as kept (key, points, expire)
    select key, points, ${now + rule.seconds * 1_000}::bigint
    from unnest(${[...taken.keys()]}::text[], ${[...taken.values()]}::int[]) as taken (key, points) order by key
    on conflict (key) do update set
      points = case when kept.expire <= ${now}::bigint then 0 else kept.points end + excluded.points,
      expire = case when kept.expire <= ${now}::bigint then excluded.expire else kept.expire end
    returning key, points`.execute(db);
  const before = new Map(rows.map(({ key, points }) => [key, points - (taken.get(key) ?? 0)]));
  return rowKeys.map((key) => {
    const count = (before.get(key) ?? 0) + 1;
    before.set(key, count);
    return count <= rule.points;
  });
}

/** The one method of a `pg` client that the limiter calls, on our pool. */
function queryClient(db: Database) {
  return {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const result = await db.executeQuery(CompiledQuery.raw(text, values));
      return { rows: result.rows, rowCount: Number(result.numAffectedRows ?? result.rows.length) };
    },
  };
}
