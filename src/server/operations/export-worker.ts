import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { ArchiveError, loadExport } from '#server/import-export/index.ts';
import { createObjectStore, type ObjectStoreSettings } from '#server/core/object-store.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import type { WorkerTaskResult } from './worker-task.ts';

/** A scheduled export: what members can see, as JSON lines. It runs in a worker thread, which ends with the node. */
export type ExportTask = {
  directory: string;
  connection: pg.ClientConfig;
  objectStore: ObjectStoreSettings | undefined;
  license: string;
  origin: string;
};

const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
const end = await run(workerData as ExportTask).then(
  () => ({ problem: null }),
  (error: unknown) => ({
    problem: error instanceof ArchiveError ? error.message : `The export failed: ${getErrorMessage(error)}.`,
  }),
);
parentPort?.postMessage(end satisfies WorkerTaskResult, []);
parentPort?.close();

async function run({ directory, connection, objectStore, license, origin }: ExportTask): Promise<void> {
  const { exportCommunity } = await loadExport();
  const client = new pg.Client({ ...connection, application_name: 'parley export' });
  // A broken connection also makes the running statement fail.
  client.on('error', () => {});
  await client.connect();
  try {
    await exportCommunity({
      client,
      directory,
      objectStore: objectStore && createObjectStore(objectStore),
      format: 'jsonl',
      withPrivateData: false,
      license,
      origin,
      signal: stopping.signal,
    });
  } finally {
    await client.end().catch(() => {});
  }
}
