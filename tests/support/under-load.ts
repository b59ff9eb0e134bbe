import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { findViolations } from '#server/operations/integrity-check.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { WriteLedger } from './write-ledger.ts';
import { register } from './member.ts';
import { PrivacyObserver } from './privacy-observer.ts';
import { type ParleyProcess, spawnParley } from './parley-process.ts';

/** A real Parley on its embedded PostgreSQL, with members who write and look at what is theirs. */
export type LoadedCommunity = {
  data: string;
  env: NodeJS.ProcessEnv;
  /** The Parley that runs now. */
  parley: ParleyProcess;
  address: string;
  writers: WriteLedger[];
  observers: PrivacyObserver[];
};

export type LoadFigures = {
  /** Writes that were acknowledged, and those of them that had to be sent more than once. */
  acknowledged: number;
  repeated: number;
  /** Requests that were refused for the moment (503, 429) or whose connection broke. */
  refused: number;
  broken: number;
  /** Times that somebody looked at what is theirs alone. */
  looks: number;
};

const names = ['Ann', 'Bob', 'Eve', 'Kim'];

/** @param data a data folder that is not made yet, or one that has nobody in it */
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

/** Starts Parley again on the same data. */
export async function restartCommunity(community: LoadedCommunity): Promise<void> {
  community.parley = spawnParley({ env: community.env });
  community.address = await community.parley.ready;
}

export async function stopCommunity({ parley }: LoadedCommunity): Promise<void> {
  parley.signal('SIGTERM');
  await parley.ended;
}

/** How long the members write after everything is well again, in milliseconds. */
const writeAfterMs = 300;

/**
 * Something happens while members write. Resolves when each of them has got something through after it, with the
 * milliseconds since `fault` began (its `end`, where it lasts). Then every acknowledged write must be there, each write once, every count be right,
 * and nobody have seen what is somebody else's. Throws where that is not so.
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
    ...observers.map((onlooker) => onlooker.look(address, over)),
    forgetRates(community, over),
  ]);
  // Awaited below; until then a failure waits as well.
  working.catch(() => {});
  try {
    await before();
    let since = performance.now();
    await fault();
    if (end !== undefined) {
      since = performance.now();
      await end();
    }
    // Each member must get something through: a write begun since, or one that was broken.
    const marks = writers.map(({ acknowledged }) => acknowledged);
    const through = () => writers.every((ledger, index) => ledger.acknowledged > (marks[index] ?? 0));
    await Promise.race([working, until(through)]);
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
  const total = { acknowledged: 0, repeated: 0, refused: 0, broken: 0, looks: 0 };
  for (const ledger of writers)
    for (const count of ['acknowledged', 'repeated', 'refused', 'broken'] as const)
      total[count] += ledger[count];
  for (const { looks } of observers) total.looks += looks;
  return total;
}

async function check(community: LoadedCommunity): Promise<void> {
  const { writers, observers } = community;
  const wrong = await withDatabase(community, async (db) => {
    const broken = await findViolations(db);
    const missing = await Promise.all(writers.map((ledger) => ledger.findMissing(db)));
    return [...broken.map((row) => JSON.stringify(row)), ...missing.flat()];
  });
  wrong.push(...observers.flatMap((onlooker) => onlooker.violations));
  if (wrong.length > 0) throw new Error(`afterwards:\n${wrong.slice(0, 50).join('\n')}`);
}

/** Nobody writes as fast as these members do. Not while the database is away. */
async function forgetRates(community: LoadedCommunity, isOver: () => boolean): Promise<void> {
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
  if (connection === undefined) throw new Error('Parley does not run');
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

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
