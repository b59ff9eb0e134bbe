import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * How much more is asked of a node than it can do. 0: nothing is refused. Up to 1, more and more of what visitors and
 * searches ask is (all at 1); up to 2, of writes as well; up to 3, of all that is not answered from memory.
 */
export type Pressure = { level: () => number; stop: () => void };

export const highestLevel = 3;

export type PressureOptions = {
  db: Database;
  /** Requests that wait for a connection to the database. */
  waiting: () => number;
  /** Resolves when a connection to this node that is made now has been accepted. */
  admitted: () => Promise<void>;
  /** Milliseconds between two looks. */
  interval?: number;
};

/**
 * A wait that people notice, in milliseconds: of the event loop on average (not a single long turn, such as a pause of
 * the garbage collector), for a connection to the database, and to be accepted. A loop accepts one connection a turn, so
 * those who come may wait for seconds while those who are there hardly do.
 */
const tolerable = { loop: 250, connection: 500, admission: 500 } as const;

/**
 * The share of its time from which on the event loop is busy by itself. A loop that has little to do waits as well where
 * other programs have the processors; refusing would help nobody there.
 */
const busy = 0.9;

/** Looks at the waits of a node twice a second, and lets the level follow them. */
export function watchPressure({ db, waiting, admitted, interval = 500 }: PressureOptions): Pressure {
  const resolution = 20;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  let level = 0;
  const connection = timed(() => db.connection().execute((given) => sql`select 1`.execute(given)));
  const admission = timed(admitted);
  let before = performance.eventLoopUtilization();
  let strained = false;
  const timer = setInterval(() => {
    const strain = Math.max(
      waitOfLoop() / tolerable.loop,
      // Asked for only where others wait.
      connection(waiting() > 0) / tolerable.connection,
      admission(true) / tolerable.admission,
    );
    // A wait counts when it lasts: by the second look.
    if (strain <= 1 || strained) level = nextLevel(level, strain);
    strained = strain > 1;
  }, interval);
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
    return utilization < busy ? 0 : delay;
  }
}

/**
 * How long one that asks now waits, in milliseconds: what asking took last, or takes by now.
 * @returns asks anew where `again`, and nobody does
 */
function timed(ask: () => Promise<unknown>): (again: boolean) => number {
  let asked: number | undefined;
  let waited = 0;
  return (again) => {
    if (asked !== undefined) return performance.now() - asked;
    const last = waited;
    waited = 0;
    if (again) void measure();
    return last;
  };

  async function measure(): Promise<void> {
    const start = performance.now();
    asked = start;
    // What cannot be asked at all is answered with 503 by itself.
    await ask().catch(() => {});
    waited = performance.now() - start;
    asked = undefined;
  }
}

/**
 * Rises quickly, the quicker the longer the waits, and falls slowly, so that it settles where the node has as much to do
 * as it can.
 * @param strain the longest wait, in parts of what is tolerable
 */
export function nextLevel(level: number, strain: number): number {
  if (strain > 1) return Math.min(highestLevel, level + 0.2 * Math.min(strain, 5));
  return strain > 0.5 ? level : Math.max(0, level - 0.1);
}
