import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { backUp } from './backup.ts';
import type { Completion } from './file.ts';

/** Under another name until it is whole and on the disk. */
export async function writeFileOf(
  file: string,
  options: Omit<Parameters<typeof backUp>[0], 'to'>,
): Promise<Completion> {
  const half = `${file}.partial`;
  const handle = await open(half, 'wx', 0o600);
  try {
    const completion = await backUp({ ...options, to: handle.createWriteStream({ flush: true }) });
    await rename(half, file);
    await syncFolder(path.dirname(file));
    return completion;
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  } finally {
    await handle.close().catch(() => {});
  }
}

/** Makes a rename in this folder last. Windows does not let folders be opened. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
