import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ExportSchedule } from '#server/core/config.ts';
import type { ObjectStoreSettings } from '#server/core/object-store.ts';
import type { Database } from '#server/core/database.ts';
import { type ExportStatus, finishExportRun, getExportStatus, startExportRun } from './export-queries.ts';
import type { ExportTask } from './export-worker.ts';
import { prepareDirectory, type Schedule, startExclusiveSchedule } from './exclusive-schedule.ts';
import { runInWorker } from './worker-task.ts';

export type ExportSchedulerOptions = {
  schedule: ExportSchedule;
  db: Database;
  connection: pg.ClientConfig;
  /** The bucket for the files of pictures, if one is configured. */
  objectStore?: ObjectStoreSettings | undefined;
  /** The address of the community, for links. */
  origin: string;
  /** Name of this node. */
  node: string;
  log: Logger;
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Milliseconds after which a failed export is tried again. */
const retryAfterMs = 60 * minuteMs;

/** Starts scheduled exports, one node at a time, as backups (docs/decisions/034). */
export function startExportScheduler(options: ExportSchedulerOptions): Schedule {
  const { schedule, db, connection, log } = options;
  return startExclusiveSchedule({
    db,
    connection,
    log,
    name: 'export',
    lock: 4_051_718,
    getStatus: getExportStatus,
    isDue: (status) => isExportDue(status, schedule.days),
    run: (signal) => runExport(options, signal),
  });
}

/** Whether an export is due: none has succeeded for that many days, and none has failed in the last hour. */
export function isExportDue(
  { now, lastSuccess, lastAttempt }: Pick<ExportStatus, 'now' | 'lastSuccess' | 'lastAttempt'>,
  days: number,
): boolean {
  if (lastSuccess !== null && now.getTime() - lastSuccess.getTime() < days * dayMs) return false;
  return (
    lastAttempt === null ||
    lastAttempt.getTime() === lastSuccess?.getTime() ||
    now.getTime() - lastAttempt.getTime() >= retryAfterMs
  );
}

async function runExport(options: ExportSchedulerOptions, signal: AbortSignal): Promise<void> {
  const { schedule, db, connection, objectStore, origin, node, log } = options;
  const directory = path.join(schedule.directory, getExportName(new Date()));
  const id = await startExportRun(db, { node, directory });
  const task: ExportTask = { directory, connection, objectStore, license: schedule.license, origin };
  const problem =
    (await prepareDirectory(schedule.directory, { name: 'EXPORT_DIRECTORY', isPartial: isPartialExport })) ??
    (await runInWorker(new URL('export-worker.ts', import.meta.url), { task, what: 'export', signal }));
  await finishExportRun(db, id, problem);
  if (problem !== null)
    return log.error(`The export failed, and earlier exports are kept: ${problem} It is retried in an hour.`);
  log.info(`Exported what members can see to ${directory}.`);
  for (const name of listOutdatedExports(await readdir(schedule.directory), schedule.retention)) {
    await rm(path.join(schedule.directory, name), { recursive: true, force: true });
    log.info(`Removed the export ${name}, because newer ones are kept.`);
  }
}

/** For example 'parley-export-2026-11-22-033012', in UTC. Other names in the directory are the operator's own. */
export const getExportName = (at: Date) =>
  `parley-export-${at.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}`;

const exportName = /^parley-export-\d{4}-\d\d-\d\d-\d{6}$/;
const isPartialExport = (name: string) => /^parley-export-\d{4}-\d\d-\d\d-\d{6}\.partial-\w+$/.test(name);

/** Returns the names of exports to delete: all except the newest ones. */
export function listOutdatedExports(names: readonly string[], retention: number): string[] {
  return names
    .filter((name) => exportName.test(name))
    .toSorted()
    .toReversed()
    .slice(retention);
}
