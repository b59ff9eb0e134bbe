import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** Apart by more, a node says so, in milliseconds. */
const toleranceMs = 5_000;

/** Milliseconds between two comparisons. */
const intervalMs = 30_000;

/** What has to be added to `performance.now()` for the database's time; undefined until it was compared. */
let base: number | undefined;

/**
 * The time by the database's clock, in milliseconds since 1970, for what one node writes down and another one reads: until
 * when a link, a step of a sign-in or a session is good. Where no database was asked, this machine's.
 */
export function databaseNowMs(): number {
  return base === undefined ? Date.now() : base + performance.now();
}

export type ClockMonitor = {
  /** Seconds that this machine's clock is ahead of the database's; negative: behind. 0 where that is little. */
  aheadSeconds: () => number;
  stop: () => void;
};

/** Compares this machine's clock with the database's, now and again, and says so where they are apart. */
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
    else if (ahead === 0 && before !== 0) log.info("This machine's clock is the database's again.");
  }
}

/** What is to be said of a clock that is ahead by so many seconds. */
export function describeClockSkew(ahead: number): string {
  return `This machine's clock is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. Let both follow a time server.`;
}

/** How much later the database's clock is than this machine's, and how far that may be wrong, in milliseconds. */
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
