import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { BackupSchedule, Config } from '#server/core/config.ts';
import { type Database, openDatabase } from '#server/core/database.ts';
import type { BackupState } from '#server/core/metrics-collectors.ts';
import { StartupError } from '#server/core/startup-error.ts';
import { defaultDataDirectory, redactPassword, resolveDataDirectory } from '#server/postgres/index.ts';
import {
  startBackupRun,
  getBackupStatus,
  listRecordedBackups,
  recordBackupFailure,
  recordBackupSuccess,
  recordBackupVerification,
} from './backup-queries.ts';
import { isBackupDue, isScheduledFile, listOutdatedBackups, scheduledFileName } from './backup-schedule.ts';
import type { BackupTask } from './backup-worker.ts';
import { isDatabaseEmpty } from './doctor-queries.ts';
import { prepareDirectory, type Schedule, startExclusiveSchedule } from './exclusive-schedule.ts';
import { runInWorker } from './worker-task.ts';

export type BackupSchedulerOptions = {
  schedule: BackupSchedule;
  db: Database;
  connection: pg.ClientConfig;
  /** Name of this node. */
  node: string;
  /** Parley's version. */
  version: string;
  migrationsDirectory: string;
  log: Logger;
};

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

/**
 * Refuses to create an empty community beside backups of another one: the disk of its data may not be mounted.
 * @throws StartupError
 */
export async function assertNoDataIsMissing({ databaseUrl, dataDirectory, backups }: Config): Promise<void> {
  if (databaseUrl !== undefined || backups === undefined) return;
  const data = resolveDataDirectory(dataDirectory ?? defaultDataDirectory());
  // The directory where a disk would be mounted exists without it.
  if ((await readdir(data.cluster).catch(() => [])).length > 0) return;
  const names = await readdir(backups.directory).catch(() => []);
  if (names.some(isScheduledFile))
    throw new StartupError(
      `There is no community in ${data.root}, but ${backups.directory} has backups of one. Mount the disk of its data, or restore a backup (parley restore). A new community needs another BACKUP_DIRECTORY.`,
    );
}

/**
 * Refuses to fill an empty database beside backups of a community: a restore may have failed, or the address of the
 * database may be wrong.
 * @throws StartupError
 */
export async function assertNoCommunityIsMissing(
  { databaseUrl, dataDirectory, backups }: Config,
  connection: pg.PoolConfig,
): Promise<void> {
  // Before the database is looked at: a node that starts at the same time may fill it and make the first backup.
  const names = backups === undefined ? [] : await readdir(backups.directory).catch(() => []);
  if (backups === undefined || !names.some(isScheduledFile)) return;
  const db = openDatabase({ connection, maxConnections: 1 });
  try {
    if (!(await isDatabaseEmpty(db))) return;
  } finally {
    await db.destroy();
  }
  const where =
    databaseUrl === undefined
      ? resolveDataDirectory(dataDirectory ?? defaultDataDirectory()).root
      : redactPassword(databaseUrl);
  throw new StartupError(
    `The database in ${where} is empty, but ${backups.directory} has backups of a community. Restore one (parley restore), or correct the settings. A new community needs another BACKUP_DIRECTORY.`,
  );
}

/** Starts scheduled backups, one node at a time (docs/decisions/034). Failures are logged, stored and retried. */
export function startBackupScheduler(options: BackupSchedulerOptions): Schedule {
  const { schedule, db, connection, log } = options;
  return startExclusiveSchedule({
    db,
    connection,
    log,
    name: 'backup',
    lock: 4_051_717,
    getStatus: getBackupStatus,
    isDue: (status) => isBackupDue(status, schedule.minuteOfDay),
    run: (signal) => runBackup(options, signal),
  });
}

async function runBackup(options: BackupSchedulerOptions, signal: AbortSignal): Promise<void> {
  const { schedule, db, connection, node, version, log } = options;
  const began = performance.now();
  const file = path.join(schedule.directory, scheduledFileName(new Date()));
  const { id, abandoned } = await startBackupRun(db, { node, file });
  // Another community may be writing to the same directory.
  const partial = new Set(abandoned.map((each) => `${path.basename(each)}.partial`));
  const problem =
    (await prepareDirectory(schedule.directory, {
      name: 'BACKUP_DIRECTORY',
      isPartial: (name) => partial.has(name),
    })) ?? (await runBackupTask({ kind: 'write', file, connection, version }, signal));
  if (problem !== null) {
    log.error(`The backup failed, and earlier backups are kept: ${problem} It is retried in 15 minutes.`);
    return recordBackupFailure(db, id, problem);
  }
  const { size } = await stat(file);
  await recordBackupSuccess(db, id, size);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  log.info(`Backed up to ${file}: ${(size / 1024 / 1024).toFixed(1)} MB in ${seconds} s.`);
  if ((await verifyIfDue(options, { id, file }, signal)) === 'invalid') return;
  await removeOutdatedBackups(options);
}

async function verifyIfDue(
  { schedule, db, migrationsDirectory, log }: BackupSchedulerOptions,
  { id, file }: { id: number; file: string },
  signal: AbortSignal,
): Promise<'valid' | 'invalid'> {
  const { now, lastVerified } = await getBackupStatus(db);
  const { scratchDirectory } = schedule;
  if (scratchDirectory === undefined) return 'valid';
  // One hour less than a week, so that it stays at the same time of day.
  if (lastVerified !== null && now.getTime() - lastVerified.getTime() < weekMs - 60 * minuteMs)
    return 'valid';
  const problem = await runBackupTask(
    { kind: 'verify', file, scratchDirectory, migrationsDirectory },
    signal,
  );
  if (signal.aborted) return 'invalid';
  await recordBackupVerification(db, id, problem);
  if (problem === null) {
    log.info(`${file} was verified: restoring it gives the same rows.`);
    return 'valid';
  }
  log.error(`${file} was written, but its verification failed: ${problem} Older backups are kept.`);
  return 'invalid';
}

async function removeOutdatedBackups({ schedule, db, log }: BackupSchedulerOptions): Promise<void> {
  const { directory, retention } = schedule;
  const { own } = await listScheduledBackups(db, directory);
  for (const name of listOutdatedBackups(own, retention, new Date())) {
    await rm(path.join(directory, name), { force: true });
    log.info(`Removed the backup ${name}, because newer ones are kept.`);
  }
}

/**
 * Returns the names of the scheduled backups in a directory: those that this database has recorded, by name and size,
 * and others, such as those of the time before a restore or of another community.
 */
export async function listScheduledBackups(
  db: Database,
  directory: string,
): Promise<{ own: string[]; others: string[] }> {
  const recorded = new Map(
    (await listRecordedBackups(db)).map(({ file, bytes }) => [path.basename(file), bytes]),
  );
  const own: string[] = [];
  const others: string[] = [];
  for (const name of (await readdir(directory)).filter(isScheduledFile)) {
    const bytes = recorded.get(name);
    const isOwn = bytes !== undefined && (await stat(path.join(directory, name))).size === bytes;
    (isOwn ? own : others).push(name);
  }
  return { own, others };
}

/** Returns the error as a sentence; null on success. */
const runBackupTask = (task: BackupTask, signal: AbortSignal): Promise<string | null> =>
  runInWorker(new URL('backup-worker.ts', import.meta.url), { task, what: 'backup', signal });

/** Returns the values for the metrics. */
export async function getBackupMetrics(db: Database): Promise<BackupState> {
  const { lastSuccess, lastSuccessBytes, lastVerified, problem } = await getBackupStatus(db);
  return {
    lastSuccess: lastSuccess === null ? null : { startedAt: lastSuccess, bytes: lastSuccessBytes },
    lastVerified,
    isLastFailed: problem !== null,
  };
}
