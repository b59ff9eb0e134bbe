import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pg from 'pg';

/**
 * How long the first attempt of a transaction waits for a lock with its database connection, in milliseconds: longer
 * than locks are held in normal use, and short, because any number of requests may need the same row.
 */
export const firstLockTimeoutMs = 250;

/** How long further attempts may take together, in milliseconds. */
const maxWaitMs = 15_000;

/**
 * How many further attempts of this node run at a time, of all transactions that did not get a lock. Each can wait for a
 * lock with its connection, so these limits leave connections for other requests.
 */
const maxWaits = 6;
const limits = { tries: pLimit(4), waits: pLimit(maxWaits) };

/** Short, because each try that needs a locked row holds up those that need others. */
const tryTimeoutMs = 50;

const pauseMs = 250;

/**
 * Runs a transaction that did not get a lock again. It first tries with a short wait for locks, then waits for as long
 * as needed. While all waits are taken, it tries again after a pause without a connection, so that a transaction whose
 * lock ends does not wait for those of the others.
 * @throws the error of PostgreSQL (55P03) if the lock is not free within 15 seconds
 */
export async function waitForLocks<Result>(
  attempt: (lockTimeoutMs: number) => Promise<Result>,
): Promise<Result> {
  const end = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return await limits.tries(() => attempt(tryTimeoutMs));
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > end) throw error;
    }
    const { activeCount, pendingCount } = limits.waits;
    if (activeCount + pendingCount < maxWaits)
      return limits.waits(() => attempt(Math.max(1, Math.ceil(end - performance.now()))));
    await delay(pauseMs);
  }
}

/** Whether PostgreSQL gave up waiting for a lock. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55P03';
