import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isAlive } from './child-process.mjs';
import { endProcessesOf } from './orphans.mjs';

/** A file system in memory, on Linux. */
const memory = '/dev/shm';

/**
 * In bytes: the space needed there, which must also be at most half of the free memory. The tests use less than half a
 * gigabyte at a time.
 */
const needed = 2 * 2 ** 30;

/**
 * Runs `work` with an environment that has a temporary directory of its own. Afterwards, ends all programs that still use
 * the directory, and removes it. It is in memory if there is enough and no TMPDIR is set: the tests create and drop
 * hundreds of databases, which is mostly file system work.
 * @template Result
 * @param {(env: NodeJS.ProcessEnv) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withScratchDirectory(work) {
  const parent = !process.env['TMPDIR'] && (await hasRoom()) ? memory : os.tmpdir();
  await removeStale(parent);
  const directory = await mkdtemp(path.join(parent, `${prefix}${process.pid}-`));
  // A PostgreSQL started by root runs as another user, who needs access.
  await chmod(directory, 0o755);
  try {
    return await work({ ...process.env, TMPDIR: directory });
  } finally {
    await remove(directory);
  }
}

/** @param {string} directory */
async function remove(directory) {
  await endProcessesOf(directory);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
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

/**
 * Removes directories of killed runs. Those in memory would use it until the next reboot.
 * @param {string} parent
 */
async function removeStale(parent) {
  for (const name of await readdir(parent)) {
    const pid = Number(/^parley-check-(\d+)-/.exec(name)?.[1]);
    // It may belong to another user.
    if (pid > 0 && !isAlive(pid)) await remove(path.join(parent, name)).catch(() => {});
  }
}
