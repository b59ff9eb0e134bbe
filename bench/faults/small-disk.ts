import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '#server/core/startup-error.ts';

const run = promisify(execFile);

/** Creates a file system of this size in megabytes, in memory. Needs root. */
export async function withSmallDisk<Result>(
  directory: string,
  megabytes: number,
  work: (disk: string) => Promise<Result>,
): Promise<Result> {
  const disk = path.join(directory, 'disk');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', disk]);
  try {
    return await work(disk);
  } finally {
    await run('umount', ['-l', disk]);
  }
}

/** Writes a file until only `spare` bytes are free. Returns a function that frees the space. */
export async function fillUp(disk: string, spare: number): Promise<() => Promise<void>> {
  const file = path.join(disk, 'filler');
  const { bavail, bsize } = await statfs(disk);
  await using handle = await open(file, 'w');
  const piece = Buffer.alloc(64 * 1024, 1);
  for (let left = bavail * bsize - spare; left > 0; left -= piece.length)
    try {
      await handle.write(piece, 0, Math.min(left, piece.length));
    } catch (error) {
      // Other processes wrote meanwhile.
      if (getErrorCode(error) === 'ENOSPC') break;
      throw error;
    }
  return () => rm(file);
}
