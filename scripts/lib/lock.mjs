import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './child-process.mjs';
import { Failure, project } from './project.mjs';

const file = path.join(project, 'dist/.lock');

/**
 * Lets one process at a time install or build. The others wait and then usually have nothing left to do. The lock file
 * contains the process id, so that the lock of a killed process can be taken over.
 * @template Result
 * @param {() => Promise<Result>} work
 */
export async function withLock(work) {
  await mkdir(path.dirname(file), { recursive: true }).catch((error) => {
    throw new Failure(`Failed to write ${path.dirname(file)}: ${error.message}.`);
  });
  for (let waited = false; !(await acquire()); waited = true) {
    if (!waited) console.log('Waiting for another process that installs or builds here …');
    await delay(200);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire() {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!('code' in error && error.code === 'EEXIST'))
      throw new Failure(`Failed to write ${file}: ${error.message}.`);
  }
  const holder = Number(await readFile(file, 'utf8').catch(() => ''));
  // A file without a number is just being written, or remains from a system crash.
  if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
  return false;
}
