import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * The overload of a node. 0: no request is refused. Up to 1: an increasing share of visitors' requests and searches is
 * refused (all at 1). Up to 2: also writes. Up to 3: also everything that is not served from the response cache.
 */
export type SystemLoad = { level: () => number; stop: () => void };

export const maxLoadLevel = 3;

export type SystemLoadOptions = {
  db: Database;
  /** The number of requests waiting for a database connection. */
  countWaiting: () => number;
  /** Resolves when a connection opened now to this node has been accepted. */
  waitUntilAccepted: () => Promise<void>;
  /** Milliseconds between two checks. */
  intervalMs?: number;
};

/**
 * Noticeable waits, in milliseconds: the average delay of the event loop (not a single long turn such as a garbage
 * collection), waiting for a database connection, and waiting to be accepted. The loop accepts one connection per turn,
 * so new clients may wait for seconds while connected ones hardly wait.
 */
const tolerableMs = { loop: 250, connection: 500, admission: 500 } as const;

/**
 * Above this utilization, the event loop itself is busy. A mostly idle loop is also delayed when other programs use the
 * processors; refusing requests would not help then.
 */
const busyUtilization = 0.9;

/** Checks the waits of a node twice a second and adjusts the level. */
export function monitorSystemLoad({
  db,
  countWaiting,
  waitUntilAccepted,
  intervalMs = 500,
}: SystemLoadOptions): SystemLoad {
  const resolution = 20;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  let level = 0;
  const connection = createWaitProbe(() => db.connection().execute((probe) => sql`select 1`.execute(probe)));
  const admission = createWaitProbe(waitUntilAccepted);
  let before = performance.eventLoopUtilization();
  let wasOverloaded = false;
  const timer = setInterval(() => {
    const overload = Math.max(
      waitOfLoop() / tolerableMs.loop,
      // Measured only while requests are waiting.
      connection(countWaiting() > 0) / tolerableMs.connection,
      admission(true) / tolerableMs.admission,
    );
    // A wait counts only from the second consecutive check on.
    if (overload <= 1 || wasOverloaded) level = nextLoadLevel(level, overload);
    wasOverloaded = overload > 1;
  }, intervalMs);
  timer.unref();
  return {
    level: () => level,
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };

  function waitOfLoop(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const delay = Number.isNaN(delays.mean) ? 0 : delays.mean / 1e6 - resolution;
    delays.reset();
    return utilization < busyUtilization ? 0 : delay;
  }
}

/**
 * Measures how long a new caller waits, in milliseconds: the duration of the last call, or of the running one.
 * @returns a function that starts another call if `again` is true and none is running
 */
function createWaitProbe(call: () => Promise<unknown>): (again: boolean) => number {
  let startedAt: number | undefined;
  let lastWaitMs = 0;
  return (again) => {
    if (startedAt !== undefined) return performance.now() - startedAt;
    const last = lastWaitMs;
    lastWaitMs = 0;
    if (again) void measure();
    return last;
  };

  async function measure(): Promise<void> {
    const start = performance.now();
    startedAt = start;
    // If the call fails, requests get 503 anyway.
    await call().catch(() => {});
    lastWaitMs = performance.now() - start;
    startedAt = undefined;
  }
}

/**
 * The next level. It rises faster the longer the waits are, and falls slowly, so that it settles where the node is just
 * fully used.
 * @param overload the longest wait relative to what is tolerable
 */
export function nextLoadLevel(level: number, overload: number): number {
  if (overload > 1) return Math.min(maxLoadLevel, level + 0.2 * Math.min(overload, 5));
  return overload > 0.5 ? level : Math.max(0, level - 0.1);
}
