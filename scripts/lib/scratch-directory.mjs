import { constants } from 'node:fs';
import { access, chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import path from 'node:path';

/** Memory as a file system, where Linux has it. */
const memory = '/dev/shm';

/** Bytes: of room there, and half of what memory is free. The tests keep less than half a gigabyte at once. */
const needed = 2 * 2 ** 30;

/**
 * Runs `work` with the environment in which programs make their temporary folders where that costs least: in memory, if
 * there is plenty. Hundreds of databases are made and dropped, and most of what that takes is the file system's.
 * A TMPDIR that is given stays.
 * @template Result
 * @param {(env: NodeJS.ProcessEnv) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withScratchDirectory(work) {
  if (process.env['TMPDIR'] || !(await hasRoom())) return work(process.env);
  await removeStale();
  const folder = await mkdtemp(path.join(memory, `${prefix}${process.pid}-`));
  // Root's PostgreSQL runs as another user, who must be able to pass.
  await chmod(folder, 0o755);
  try {
    return await work({ ...process.env, TMPDIR: folder });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const prefix = 'parley-check-';

/** Programs must be startable there: tests copy whole checkouts. */
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

/** What a run that was killed left would take memory until the machine starts anew. */
async function removeStale() {
  for (const name of await readdir(memory)) {
    const pid = Number(/^parley-check-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(path.join(memory, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
