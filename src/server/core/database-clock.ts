import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** A larger difference between the clocks is logged, in milliseconds. */
const toleranceMs = 5_000;

/** Milliseconds between two comparisons. */
const intervalMs = 30_000;

/** The offset from `performance.now()` to the database time. Undefined before the first comparison. */
let base: number | undefined;

/**
 * The database time in milliseconds since 1970, for times that one node writes and another reads, such as the expiry of
 * a link, a sign-in step or a session. Without a database connection, the time of this machine.
 */
export function databaseNowMs(): number {
  return base === undefined ? Date.now() : base + performance.now();
}

export type ClockMonitor = {
  /**
   * Seconds by which the clock of this machine is ahead of the database (negative: behind). 0 for a small difference.
   */
  aheadSeconds: () => number;
  stop: () => void;
};

/** Compares the clocks of this machine and the database regularly, and logs a large difference. */
export async function monitorClock(db: Database, log: Logger): Promise<ClockMonitor> {
  let ahead = 0;
  await compareOnce();
  const timer = setInterval(() => void compareOnce().catch(() => {}), intervalMs);
  return { aheadSeconds: () => ahead, stop: () => clearInterval(timer) };

  async function compareOnce(): Promise<void> {
    const before = ahead;
    const { difference, uncertain } = await measureClockSkew(db);
    ahead = Math.abs(difference) - uncertain > toleranceMs ? Math.round(-difference / 1_000) : 0;
    if (ahead !== 0 && before === 0) log.warn(describeClockSkew(ahead));
    else if (ahead === 0 && before !== 0) log.info('The clock of this machine matches the database again.');
  }
}

/** The message for a clock that is ahead by this many seconds (negative: behind). */
export function describeClockSkew(ahead: number): string {
  return `This machine's clock is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. Synchronize both with a time server.`;
}

/**
 * How far the database clock is ahead of the clock of this machine, and the uncertainty of the measurement, in
 * milliseconds.
 */
export async function measureClockSkew(
  db: Database,
  machine: () => number = Date.now,
): Promise<{ difference: number; uncertain: number }> {
  const [sent, sentAt] = [machine(), performance.now()];
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db);
  const took = performance.now() - sentAt;
  const now = rows[0]?.now ?? sent;
  base = now - sentAt - took / 2;
  return { difference: now - sent - took / 2, uncertain: took / 2 };
}
