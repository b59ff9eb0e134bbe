import { createSeededRandom } from './seeded-random.ts';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type LoadedCommunity,
  sumFigures,
  type LoadFigures,
  restartCommunity,
  startCommunity,
  stopCommunity,
  runUnderLoad,
} from './under-load.ts';

const run = promisify(execFile);

/** The process killed with SIGKILL: Parley, PostgreSQL's postmaster, a PostgreSQL backend, or Parley and PostgreSQL. */
export const killTargets = ['server', 'postmaster', 'backend', 'both'] as const;
type KillTarget = (typeof killTargets)[number];

export type KillFigures = LoadFigures & {
  rounds: number;
  /** Milliseconds from each kill until every member has an acknowledged write. */
  recoveries: Record<KillTarget, number[]>;
};

export type KillOptions = {
  /** A data directory that does not exist yet, or one without members. */
  data: string;
  rounds: number;
  /** Determines the order of targets and the moments. */
  seed?: number;
  log?: (line: string) => void;
};

/** Maximum time of writes before a kill, in milliseconds. */
const maxWriteMs = 1_200;

/**
 * Runs rounds of writes by several members against a real Parley with its embedded PostgreSQL, and kills a process in
 * the middle of each. After each round every acknowledged write must exist once, every count must be correct, and no
 * member may have seen private data of others. Throws at the first violation.
 */
export async function runKillRounds({
  data,
  rounds,
  seed = 1,
  log: report = () => {},
}: KillOptions): Promise<KillFigures> {
  const random = createSeededRandom(seed);
  const community = await startCommunity({ data, random });
  const recoveries: KillFigures['recoveries'] = { server: [], postmaster: [], backend: [], both: [] };
  try {
    for (let round = 1; round <= rounds; round++) {
      const victim = killTargets[(round - 1) % killTargets.length] ?? 'server';
      const pause = random() * maxWriteMs;
      const took = await runUnderLoad(community, {
        before: () => delay(pause),
        fault: () => kill(community, victim),
      });
      recoveries[victim].push(took);
      report(`round ${round} of ${rounds}: killed ${victim}, recovered in ${took} ms`);
    }
    return { rounds, ...sumFigures(community), recoveries };
  } catch (error) {
    throw new Error(`seed ${seed}:\n${community.parley.output().slice(-6_000)}`, { cause: error });
  } finally {
    await stopCommunity(community);
  }
}

async function kill(community: LoadedCommunity, victim: KillTarget): Promise<void> {
  const postmaster = await readPostmasterPid(community.data);
  if (victim === 'backend') return killIfThere(await anyBackend(postmaster));
  if (victim === 'postmaster') return killIfThere(postmaster);
  community.parley.signal('SIGKILL');
  if (victim === 'both') killIfThere(postmaster);
  await community.parley.ended;
  await restartCommunity(community);
}

async function readPostmasterPid(data: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(data, 'postgresql/postmaster.pid'), 'utf8'), 10);
}

/** The process id of a backend that serves a connection of Parley. */
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
