import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { brokenInvariants } from '#server/invariants.ts';
import { type Database, openDatabase } from '#server/platform/database.ts';
import { connectionOfRunning } from '#server/platform/embedded/embedded.ts';
import { Ledger } from './ledger.ts';
import { register } from './member.ts';
import { type ParleyProcess, spawnParley } from './process.ts';

const run = promisify(execFile);

/** What is killed with SIGKILL: Parley, PostgreSQL's first process, one of its others, or Parley and PostgreSQL. */
export const victims = ['server', 'postmaster', 'backend', 'both'] as const;
type Victim = (typeof victims)[number];

export type KillFigures = {
  rounds: number;
  /** Writes that were acknowledged, and those of them that had to be sent more than once. */
  acknowledged: number;
  repeated: number;
  /** Requests that were refused for the moment (503) or whose connection broke. */
  refused: number;
  broken: number;
  /** Milliseconds from each kill to the next acknowledged write. */
  recoveries: Record<Victim, number[]>;
};

export type KillOptions = {
  /** A data folder that is not made yet, or one that has nobody in it. */
  data: string;
  rounds: number;
  /** The order of victims and the moments follow from it. */
  seed?: number;
  tell?: (line: string) => void;
};

/** How long the members write before something is killed, in milliseconds at most, and after it came back. */
const before = 1_200;
const after = 300;

/**
 * Rounds of writes by several members against a real Parley on its embedded PostgreSQL, with something killed in the
 * middle of each. After each round every acknowledged write must be there, each write once, and every count right.
 * Throws at the first that is not.
 */
export async function killRounds({
  data,
  rounds,
  seed = 1,
  tell = () => {},
}: KillOptions): Promise<KillFigures> {
  const random = seeded(seed);
  const stage: Stage = { data, parley: start(data), address: '' };
  stage.address = await stage.parley.ready;
  const recoveries: KillFigures['recoveries'] = { server: [], postmaster: [], backend: [], both: [] };
  const total = { acknowledged: 0, repeated: 0, refused: 0, broken: 0 };
  try {
    const names = ['Ann', 'Bob', 'Eve', 'Kim'];
    const ledgers = await Promise.all(
      names.map(async (name) => new Ledger(await register(stage.address, name), random)),
    );
    for (let round = 1; round <= rounds; round++) {
      const victim = victims[(round - 1) % victims.length] ?? 'server';
      const took = await killOnce(stage, { ledgers, victim, pause: random() * before });
      recoveries[victim].push(took);
      await forgetRates(stage);
      await check(stage, ledgers);
      tell(`round ${round} of ${rounds}: killed ${victim}, back after ${took} ms`);
    }
    for (const ledger of ledgers)
      for (const count of ['acknowledged', 'repeated', 'refused', 'broken'] as const)
        total[count] += ledger[count];
    return { rounds, ...total, recoveries };
  } catch (error) {
    throw new Error(`with seed ${seed}:\n${stage.parley.output().slice(-6_000)}`, { cause: error });
  } finally {
    stage.parley.signal('SIGTERM');
    await stage.parley.ended;
  }
}

/** The Parley that runs now. */
type Stage = { data: string; parley: ParleyProcess; address: string };

const start = (data: string) => spawnParley({ env: { PARLEY_DATA: data } });

/** Returns the milliseconds until a write was acknowledged again. */
async function killOnce(
  stage: Stage,
  { ledgers, victim, pause }: { ledgers: Ledger[]; victim: Victim; pause: number },
): Promise<number> {
  let isOver = false;
  const writing = Promise.all(
    ledgers.map((ledger) =>
      ledger.write(
        () => stage.address,
        () => isOver,
      ),
    ),
  );
  // Awaited below; until then a failure waits as well.
  writing.catch(() => {});
  await delay(pause);
  const killedAt = performance.now();
  await kill(stage, victim);
  // Each member must get something through: a write begun after the kill, or one that it broke.
  const marks = ledgers.map(({ acknowledged }) => acknowledged);
  await Promise.race([
    writing,
    until(() => ledgers.every((ledger, index) => ledger.acknowledged > (marks[index] ?? 0))),
  ]);
  const took = Math.round(performance.now() - killedAt);
  await delay(after);
  isOver = true;
  await writing;
  return took;
}

async function kill(stage: Stage, victim: Victim): Promise<void> {
  const postmaster = await postmasterPid(stage.data);
  if (victim === 'backend') return killIfThere(await anyBackend(postmaster));
  if (victim === 'postmaster') return killIfThere(postmaster);
  stage.parley.signal('SIGKILL');
  if (victim === 'both') killIfThere(postmaster);
  await stage.parley.ended;
  stage.parley = start(stage.data);
  stage.address = await stage.parley.ready;
}

async function postmasterPid(data: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(data, 'postgresql/postmaster.pid'), 'utf8'), 10);
}

/** One that serves a connection of Parley's. */
async function anyBackend(postmaster: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(postmaster)]);
  const backends = [...stdout.matchAll(/^ *(\d+) .*\bparley parley\b/gm)].map(([, pid]) => Number(pid));
  const chosen = backends[Math.floor(backends.length / 2)];
  if (chosen === undefined) throw new Error(`no backend to kill:\n${stdout}`);
  return chosen;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function check(stage: Stage, ledgers: Ledger[]): Promise<void> {
  const wrong = await onDatabase(stage, async (db) => {
    const broken = await brokenInvariants(db);
    const missing = await Promise.all(ledgers.map((ledger) => ledger.missingIn(db)));
    return [...broken.map((row) => JSON.stringify(row)), ...missing.flat()];
  });
  if (wrong.length > 0) throw new Error(`after a kill:\n${wrong.join('\n')}`);
}

/** Nobody writes as fast as these members do. */
async function forgetRates(stage: Stage): Promise<void> {
  await onDatabase(stage, (db) => sql`truncate rate_limit`.execute(db));
}

async function onDatabase<Result>(stage: Stage, work: (db: Database) => Promise<Result>): Promise<Result> {
  const connection = await connectionOfRunning(stage.data);
  if (connection === undefined) throw new Error('Parley does not run');
  const db = openDatabase({ connection, size: 2 });
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
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
