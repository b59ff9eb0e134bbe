import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { ProblemError } from './errors.ts';

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

/** A limit on what one member does; the answer to one too many says when to try again. */
export function memberLimit(db: Database, rule: RateLimitRule & { what: string }) {
  const limit = rateLimit(db, rule);
  return async function takeOrRefuse(memberId: number): Promise<void> {
    if (await limit.take(String(memberId))) return;
    throw new ProblemError(
      'too-many',
      `You have ${rule.what} a lot in a short time. Please try again in a few minutes.`,
      { retryAfter: rule.seconds },
    );
  };
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
