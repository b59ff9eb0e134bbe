import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * How much more is asked of a node than it can do. 0: nothing is refused. Up to 1, more and more of what visitors and
 * searches ask is (all at 1); up to 2, of writes as well; up to 3, of all that is not answered from memory.
 */
export type SystemLoad = { level: () => number; stop: () => void };

export const maxLoadLevel = 3;

export type SystemLoadOptions = {
  db: Database;
  /** Requests that wait for a connection to the database. */
  countWaiting: () => number;
  /** Resolves when a connection to this node that is made now has been accepted. */
  waitUntilAccepted: () => Promise<void>;
  /** Milliseconds between two looks. */
  intervalMs?: number;
};

/**
 * A wait that people notice, in milliseconds: of the event loop on average (not a single long turn, such as a pause of
 * the garbage collector), for a connection to the database, and to be accepted. A loop accepts one connection a turn, so
 * those who come may wait for seconds while those who are there hardly do.
 */
const tolerableMs = { loop: 250, connection: 500, admission: 500 } as const;

/**
 * The share of its time from which on the event loop is busy by itself. A loop that has little to do waits as well where
 * other programs have the processors; refusing would help nobody there.
 */
const busyUtilization = 0.9;

/** Looks at the waits of a node twice a second, and lets the level follow them. */
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
  const connection = createWaitProbe(() => db.connection().execute((given) => sql`select 1`.execute(given)));
  const admission = createWaitProbe(waitUntilAccepted);
  let before = performance.eventLoopUtilization();
  let strained = false;
  const timer = setInterval(() => {
    const strain = Math.max(
      waitOfLoop() / tolerableMs.loop,
      // Asked for only where others wait.
      connection(countWaiting() > 0) / tolerableMs.connection,
      admission(true) / tolerableMs.admission,
    );
    // A wait counts when it lasts: by the second look.
    if (strain <= 1 || strained) level = nextLoadLevel(level, strain);
    strained = strain > 1;
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
 * How long one that asks now waits, in milliseconds: what asking took last, or takes by now.
 * @returns asks anew where `again`, and nobody does
 */
function createWaitProbe(ask: () => Promise<unknown>): (again: boolean) => number {
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
    // What cannot be asked at all is answered with 503 by itself.
    await ask().catch(() => {});
    lastWaitMs = performance.now() - start;
    startedAt = undefined;
  }
}

/**
 * Rises quickly, the quicker the longer the waits, and falls slowly, so that it settles where the node has as much to do
 * as it can.
 * @param strain the longest wait, in parts of what is tolerable
 */
export function nextLoadLevel(level: number, strain: number): number {
  if (strain > 1) return Math.min(maxLoadLevel, level + 0.2 * Math.min(strain, 5));
  return strain > 0.5 ? level : Math.max(0, level - 0.1);
}
