import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/postgres/embedded.ts';
import { type ParleyOptions, type ParleyProcess, spawnParley } from './parley-process.ts';

/** Runs `work` with a temporary directory, which is removed afterwards. */
export async function withTemporaryDirectory<Result>(
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-throwaway-'));
  // As root, PostgreSQL runs as another user, who must be able to enter.
  await chmod(directory, 0o711);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs `work` with an empty embedded PostgreSQL. */
export function withTemporaryPostgres<Result>(
  work: (embedded: EmbeddedPostgres) => Promise<Result>,
): Promise<Result> {
  return withTemporaryDirectory(async (directory) => {
    const embedded = await startEmbeddedPostgres({
      dataDirectory: path.join(directory, 'data'),
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
 * Runs `work` with a Parley, which is stopped afterwards.
 * @throws with its whole output if it does not become ready
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
