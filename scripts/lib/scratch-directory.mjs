import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from './child-process.mjs';

/** A file system in memory, on Linux. */
const memory = '/dev/shm';

/**
 * In bytes: the space needed there, which must also be at most half of the free memory. The tests use less than half a
 * gigabyte at a time.
 */
const needed = 2 * 2 ** 30;

/**
 * Runs `work` with an environment whose temporary directory is in memory, if there is enough. The tests create and drop
 * hundreds of databases, which is mostly file system work. A TMPDIR that is already set stays.
 * @template Result
 * @param {(env: NodeJS.ProcessEnv) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withScratchDirectory(work) {
  if (process.env['TMPDIR'] || !(await hasRoom())) return work(process.env);
  await removeStale();
  const directory = await mkdtemp(path.join(memory, `${prefix}${process.pid}-`));
  // A PostgreSQL started by root runs as another user, who needs access.
  await chmod(directory, 0o755);
  try {
    return await work({ ...process.env, TMPDIR: directory });
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const prefix = 'parley-check-';

/** It must allow programs to run, because tests copy whole checkouts. */
async function hasRoom() {
  if (process.platform !== 'linux' || process.availableMemory() < 2 * needed) return false;
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    const mounts = await readFile('/proc/mounts', 'utf8');
    const mounted = mounts.split('\n').find((line) => line.split(' ')[1] === memory);
    const options = mounted?.split(' ')[3]?.split(',') ?? ['noexec'];
    return bavail * bsize >= needed && !options.includes('noexec');
  } catch {
    return false;
  }
}

/** Removes directories of killed runs, which would use memory until the next reboot. */
async function removeStale() {
  for (const name of await readdir(memory)) {
    const pid = Number(/^parley-check-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(path.join(memory, name), { recursive: true, force: true });
  }
}
