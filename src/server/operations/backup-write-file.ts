import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { backUpDatabase } from './backup.ts';
import type { BackupCompletion } from './backup-file.ts';

/** Under another name until it is whole and on the disk. */
export async function writeBackupFile(
  file: string,
  options: Omit<Parameters<typeof backUpDatabase>[0], 'to'>,
): Promise<BackupCompletion> {
  const half = `${file}.partial`;
  const handle = await open(half, 'wx', 0o600);
  try {
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

/** Makes a rename in this folder last. Windows does not let folders be opened. */
async function syncDirectory(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
