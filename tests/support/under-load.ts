import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { findViolations } from '#server/operations/integrity-check.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { WriteLedger } from './write-ledger.ts';
import { register } from './member.ts';
import { PrivacyObserver } from './privacy-observer.ts';
import { type ParleyProcess, spawnParley } from './parley-process.ts';

/** A real Parley with its embedded PostgreSQL, and members who write and read their private pages. */
export type LoadedCommunity = {
  data: string;
  env: NodeJS.ProcessEnv;
  /** The process that runs now. */
  parley: ParleyProcess;
  address: string;
  writers: WriteLedger[];
  observers: PrivacyObserver[];
};

export type LoadFigures = {
  /** Acknowledged writes, and those of them that were sent more than once. */
  acknowledged: number;
  repeated: number;
  /** Requests that were refused temporarily (503, 429) or whose connection broke. */
  refused: number;
  brokenConnections: number;
  /** Reads of private pages by observers. */
  privateReads: number;
};

const names = ['Ann', 'Bob', 'Eve', 'Kim'];

/** @param data a data directory that does not exist yet, or one without members */
export async function startCommunity(options: {
  data: string;
  env?: NodeJS.ProcessEnv;
  random: () => number;
}): Promise<LoadedCommunity> {
  const { data, random } = options;
  const env = { ...options.env, PARLEY_DATA: data };
  const parley = spawnParley({ env });
  const address = await parley.ready;
  const members = await Promise.all(names.map((name) => register(address, name)));
  const observers = await PrivacyObserver.prepare(members);
  const writers = members.map((member) => new WriteLedger(member, random));
  return { data, env, parley, address, writers, observers };
}

/** Restarts Parley on the same data. */
export async function restartCommunity(community: LoadedCommunity): Promise<void> {
  community.parley = spawnParley({ env: community.env });
  community.address = await community.parley.ready;
}

export async function stopCommunity({ parley }: LoadedCommunity): Promise<void> {
  parley.signal('SIGTERM');
  await parley.ended;
}

/** How long members keep writing after the recovery, in milliseconds. */
const writeAfterMs = 300;

/**
 * Causes a fault while members write. Afterwards checks that every acknowledged write exists once, every count is
 * correct, and no member saw private data of others.
 * @returns milliseconds from the start of `fault` (from `end`, if given) until each member has an acknowledged write
 * @throws with all violations
 */
export async function runUnderLoad(
  community: LoadedCommunity,
  {
    before,
    fault,
    end,
  }: { before: () => Promise<void>; fault: () => Promise<void>; end?: () => Promise<void> },
): Promise<number> {
  const { writers, observers } = community;
  let isOver = false;
  const over = () => isOver;
  const address = () => community.address;
  const working = Promise.all([
    ...writers.map((ledger) => ledger.write(address, over)),
    ...observers.map((observer) => observer.readPrivatePages(address, over)),
    resetRateLimits(community, over),
  ]);
  // Awaited below; until then a rejection is not unhandled.
  working.catch(() => {});
  try {
    await before();
    let since = performance.now();
    await fault();
    if (end !== undefined) {
      since = performance.now();
      await end();
    }
    // Each member needs an acknowledged write: a new one, or a repeated one.
    const marks = writers.map(({ acknowledged }) => acknowledged);
    const allRecovered = () => writers.every((ledger, index) => ledger.acknowledged > (marks[index] ?? 0));
    await Promise.race([working, until(allRecovered)]);
    const took = Math.round(performance.now() - since);
    await delay(writeAfterMs);
    isOver = true;
    await working;
    await check(community);
    return took;
  } finally {
    isOver = true;
  }
}

export function sumFigures({ writers, observers }: LoadedCommunity): LoadFigures {
  const total = { acknowledged: 0, repeated: 0, refused: 0, brokenConnections: 0, privateReads: 0 };
  for (const ledger of writers)
    for (const count of ['acknowledged', 'repeated', 'refused', 'brokenConnections'] as const)
      total[count] += ledger[count];
  for (const { privateReads } of observers) total.privateReads += privateReads;
  return total;
}

async function check(community: LoadedCommunity): Promise<void> {
  const { writers, observers } = community;
  const wrong = await withDatabase(community, async (db) => {
    const brokenConnections = await findViolations(db);
    const missing = await Promise.all(writers.map((ledger) => ledger.findMissing(db)));
    return [...brokenConnections.map((row) => JSON.stringify(row)), ...missing.flat()];
  });
  wrong.push(...observers.flatMap((observer) => observer.violations));
  if (wrong.length > 0) throw new Error(`after the fault:\n${wrong.slice(0, 50).join('\n')}`);
}

/** Resets rate limits, which these members exceed. Skipped while the database is down. */
async function resetRateLimits(community: LoadedCommunity, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await withDatabase(community, (db) => sql`truncate rate_limit`.execute(db)).catch(() => {});
    for (let waited = 0; waited < 500 && !isOver(); waited += 20) await delay(20);
  }
}

export async function withDatabase<Result>(
  { data }: Pick<LoadedCommunity, 'data'>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const connection = await findRunningConnection(data);
  if (connection === undefined) throw new Error('Parley is not running');
  const db = openDatabase({ connection, maxConnections: 2 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}
