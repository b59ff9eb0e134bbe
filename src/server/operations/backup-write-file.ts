import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '#server/postgres/index.ts';
import { backUpDatabase } from './backup.ts';
import { CommandRefusedError } from './backup-errors.ts';
import type { BackupCompletion } from './backup-file.ts';

/**
 * The file has a temporary name until it is complete and synced.
 * @throws CommandRefusedError if the file exists
 */
export async function writeBackupFile(
  file: string,
  options: Omit<Parameters<typeof backUpDatabase>[0], 'to'>,
): Promise<BackupCompletion> {
  const half = `${file}.partial`;
  const handle = await open(half, 'wx', 0o600);
  try {
    // The open file keeps others from writing one of this name meanwhile.
    if (existsSync(file)) throw new CommandRefusedError(`${file} already exists.`);
    const completion = await backUpDatabase({ ...options, to: handle.createWriteStream({ flush: true }) });
    await rename(half, file);
    await syncDirectory(path.dirname(file));
    return completion;
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  } finally {
    await handle.close().catch(() => {});
  }
}
