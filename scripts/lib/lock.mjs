import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, project } from './project.mjs';

const file = path.join(project, 'dist/.lock');

/**
 * Installing and building are done by one process at a time; others wait, and then mostly find nothing left to do.
 * The file names the process that holds it, so that one left behind by a killed process is taken over.
 * @param {() => Promise<void>} work
 */
export async function withLock(work) {
  await mkdir(path.dirname(file), { recursive: true }).catch((error) => {
    throw new Failure(`${path.dirname(file)} cannot be written: ${error.message}.`);
  });
  for (let waited = false; !(await take()); waited = true) {
    if (!waited) console.log('Waiting for another process that installs or builds here …');
    await delay(200);
  }
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function take() {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!('code' in error && error.code === 'EEXIST'))
      throw new Failure(`${file} cannot be written: ${error.message}.`);
  }
  const holder = Number(await readFile(file, 'utf8').catch(() => ''));
  // A file without a number is being written at this moment, or was left by a crash of the machine.
  if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
  return false;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
