import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { Logger } from 'pino';
import type { BackupPlan } from '#server/platform/config.ts';
import type { Database } from '#server/platform/database.ts';
import type { BackupState } from '#server/platform/metrics-of-parts.ts';
import { errorCode, messageOf } from '#server/platform/startup-error.ts';
import { beginRun, type LastRuns, lastRuns, noteFailed, noteGood, noteVerified } from './queries.ts';
import { isDue, isHalf, outdated, scheduledName } from './schedule.ts';
import type { BackupTask, BackupTaskEnd } from './worker.ts';

export type ScheduledOptions = {
  plan: BackupPlan;
  db: Database;
  connection: pg.ClientConfig;
  /** What this node is called. */
  node: string;
  /** Parley's version. */
  version: string;
  migrationsFolder: string;
  log: Logger;
};

/** Backups that a node makes by itself. */
export type ScheduledBackups = {
  /** Makes one where it is time; resolves when that is done. The node looks every minute by itself. */
  look: () => Promise<void>;
  stop: () => Promise<void>;
};

const minute = 60_000;
const week = 7 * 24 * 60 * minute;

/** Milliseconds that work on a backup gets to clean up when the node stops. */
const patience = 3_000;

/** Any fixed number: who holds it makes the backup. PostgreSQL takes it back from a node that dies. */
const backupLock = 4_051_717;

/** Makes backups by the plan, one node at a time (docs/decisions/034). What fails is logged, kept, and tried again. */
export function startScheduledBackups(options: ScheduledOptions): ScheduledBackups {
  const { plan, db, connection, log } = options;
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  const look = () =>
    (looking ??= lookOnce()
      .catch((error: unknown) => {
        // The database restarts: the next look is in a minute.
        if (!stopping.signal.aborted) log.warn({ err: error }, 'backups wait for the database');
      })
      .finally(() => (looking = undefined)));
  const timer = setInterval(() => void look(), minute);
  void look();
  return {
    look,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };

  async function lookOnce(): Promise<void> {
    if (stopping.signal.aborted || !isDue(await lastRuns(db), plan.at)) return;
    const client = new pg.Client({ ...connection, application_name: 'parley backup' });
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
        backupLock,
      ]);
      // Another node may have been quicker, and be done by now.
      if (rows[0]?.mine !== true || !isDue(await lastRuns(db), plan.at)) return;
      await makeOne(options, stopping.signal);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function makeOne(options: ScheduledOptions, signal: AbortSignal): Promise<void> {
  const { plan, db, connection, node, version, log } = options;
  const began = performance.now();
  const file = path.join(plan.folder, scheduledName(new Date()));
  const id = await beginRun(db, { node, file });
  const problem =
    (await prepareFolder(plan.folder)) ?? (await runTask({ do: 'write', file, connection, version }, signal));
  if (problem !== null) {
    log.error(`The backup failed, and those before it stay: ${problem} It is tried again in 15 minutes.`);
    return noteFailed(db, id, problem);
  }
  const { size } = await stat(file);
  await noteGood(db, id, size);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  log.info(`Backed up to ${file}: ${(size / 1024 / 1024).toFixed(1)} MB in ${seconds} s.`);
  if ((await verifyWeekly(options, { id, file }, signal)) === 'wrong') return;
  await removeOutdated(plan, log);
}

/** The name of a folder that is not there is made by nobody: a disk that is not mounted must not fill another one. */
async function prepareFolder(folder: string): Promise<string | null> {
  try {
    for (const name of (await readdir(folder)).filter(isHalf))
      await rm(path.join(folder, name), { force: true });
    return null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return `The folder ${folder} (BACKUP_FOLDER) is not there.`;
    return `The folder ${folder} (BACKUP_FOLDER) cannot be used: ${messageOf(error)}.`;
  }
}

async function verifyWeekly(
  { plan, db, migrationsFolder, log }: ScheduledOptions,
  { id, file }: { id: number; file: string },
  signal: AbortSignal,
): Promise<'right' | 'wrong'> {
  const { now, lastVerified } = await lastRuns(db);
  const { scratch } = plan;
  if (scratch === undefined) return 'right';
  // An hour less than a week, so that it stays at the same time of the day.
  if (lastVerified !== null && now.getTime() - lastVerified.getTime() < week - 60 * minute) return 'right';
  const problem = await runTask({ do: 'verify', file, scratch, migrationsFolder }, signal);
  if (signal.aborted) return 'wrong';
  await noteVerified(db, id, problem);
  if (problem === null) {
    log.info(`${file} was restored and compared: it is whole.`);
    return 'right';
  }
  log.error(`${file} was written, but restoring it showed: ${problem} Older backups stay.`);
  return 'wrong';
}

async function removeOutdated({ folder, keep }: BackupPlan, log: Logger): Promise<void> {
  for (const name of outdated(await readdir(folder), keep)) {
    await rm(path.join(folder, name), { force: true });
    log.info(`Removed the backup ${name}: newer ones are kept.`);
  }
}

/** Returns why it could not be done, in a sentence; null when it was. */
async function runTask(task: BackupTask, signal: AbortSignal): Promise<string | null> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: task });
  let end: BackupTaskEnd = { problem: 'It ended before it was done.' };
  worker.on('message', (message: BackupTaskEnd) => (end = message));
  worker.on('error', (error) => (end = { problem: `It failed: ${messageOf(error)}.` }));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let tooLong: NodeJS.Timeout | undefined;
  const stop = () => {
    worker.postMessage('stop', []);
    tooLong = setTimeout(() => void worker.terminate(), patience);
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await ended;
  clearTimeout(tooLong);
  signal.removeEventListener('abort', stop);
  return end.problem;
}

/** What is known of the backups that were made by themselves. */
export const knownBackups = (db: Database): Promise<LastRuns> => lastRuns(db);

/** What the metrics tell of them. */
export async function backupState(db: Database): Promise<BackupState> {
  const { lastGood, goodBytes, lastVerified, problem } = await lastRuns(db);
  return {
    lastGood: lastGood === null ? null : { startedAt: lastGood, bytes: goodBytes },
    lastVerified,
    lastFailed: problem !== null,
  };
}
