import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/postgres/embedded.ts';
import { type ParleyOptions, type ParleyProcess, spawnParley } from './parley-process.ts';

/** Works in a folder of its own, which is removed with the work. */
export async function withTemporaryDirectory<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-throwaway-'));
  // Root's PostgreSQL runs as another user, who must be able to pass.
  await chmod(folder, 0o711);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Works with an embedded PostgreSQL with nothing in it. */
export function withTemporaryPostgres<Result>(
  work: (embedded: EmbeddedPostgres) => Promise<Result>,
): Promise<Result> {
  return withTemporaryDirectory(async (folder) => {
    const embedded = await startEmbeddedPostgres({
      dataDirectory: path.join(folder, 'data'),
      log: pino({ level: 'error' }),
    });
    try {
      return await work(embedded);
    } finally {
      await embedded.stop();
    }
  });
}

/**
 * Works with a Parley that is stopped with the work.
 * @throws with all that it wrote where it does not become ready
 */
export async function withTemporaryParley<Result>(
  options: ParleyOptions,
  work: (address: string, parley: ParleyProcess) => Promise<Result>,
): Promise<Result> {
  const parley = spawnParley(options);
  try {
    return await work(await parley.ready, parley);
  } finally {
    parley.signal('SIGTERM');
    await parley.ended;
  }
}
