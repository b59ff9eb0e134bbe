import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '#server/core/startup-error.ts';

const run = promisify(execFile);

/** A file system of its own, of so many megabytes, in memory. Only root may make one. */
export async function withSmallDisk<Result>(
  folder: string,
  megabytes: number,
  work: (disk: string) => Promise<Result>,
): Promise<Result> {
  const disk = path.join(folder, 'disk');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', disk]);
  try {
    return await work(disk);
  } finally {
    await run('umount', ['-l', disk]);
  }
}

/** Writes a file until there is no more room than so many bytes. Returns what gives the room back. */
export async function fillUp(disk: string, spare: number): Promise<() => Promise<void>> {
  const file = path.join(disk, 'filler');
  const { bavail, bsize } = await statfs(disk);
  await using handle = await open(file, 'w');
  const piece = Buffer.alloc(64 * 1024, 1);
  for (let left = bavail * bsize - spare; left > 0; left -= piece.length)
    try {
      await handle.write(piece, 0, Math.min(left, piece.length));
    } catch (error) {
      // Others have written meanwhile.
      if (getErrorCode(error) === 'ENOSPC') break;
      throw error;
    }
  return () => rm(file);
}
