import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { Progress } from '#server/core/progress.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { verifyChecksums } from './backup-restore.ts';
import { describeBackupError } from './backup-errors.ts';
import { writeBackupFile } from './backup-write-file.ts';
import { verifyBackup } from './backup-verify.ts';
import type { WorkerTaskResult } from './worker-task.ts';

/** Work on a backup on a serving node. It runs in a worker thread, which ends with the node. */
export type BackupTask =
  /** Writes the file and reads it completely to check it. */
  | { kind: 'write'; file: string; connection: pg.ClientConfig; version: string }
  /** Restores the file into a temporary PostgreSQL below `scratchDirectory`, and compares. */
  | { kind: 'verify'; file: string; scratchDirectory: string; migrationsDirectory: string };

const silent: Progress = { start: () => {}, update: () => {}, stop: () => {} };

const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
const end = await run(workerData as BackupTask).then(
  () => ({ problem: null }),
  (error: unknown) => ({
    problem: describeBackupError(error) ?? `The backup failed: ${getErrorMessage(error)}.`,
  }),
);
parentPort?.postMessage(end satisfies WorkerTaskResult, []);
parentPort?.close();

async function run(task: BackupTask): Promise<void> {
  const { signal } = stopping;
  if (task.kind === 'verify') return void (await verifyBackup({ ...task, progress: silent, signal }));
  const { file, connection, version } = task;
  const client = new pg.Client({ ...connection, application_name: 'parley backup' });
  // A broken connection also makes the running statement fail.
  client.on('error', () => {});
  await client.connect();
  try {
    await writeBackupFile(file, { client, version, progress: silent, signal });
  } finally {
    await client.end().catch(() => {});
  }
  try {
    await verifyChecksums(createReadStream(file), () => signal.throwIfAborted());
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
