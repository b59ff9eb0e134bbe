import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { spawnParley } from './process.ts';

const run = promisify(execFile);

/** Those of earlier states of the project stay here, until the packages are installed anew. */
const kept = path.join(projectFolder, 'node_modules/.cache/served');

/**
 * Makes `folder` a data folder in which a Parley of this version has served and stopped, with nobody in it: a copy, which
 * takes a fraction of the first start's time. Where a test is not about first starts, use this.
 */
export async function copyServedFolder(folder: string): Promise<void> {
  const served = path.join(kept, await stateOfDatabase());
  if (!existsSync(served)) await make(served);
  await copy(served, folder);
}

/** Changes with what a first start writes: the migrations, and PostgreSQL's own files. */
async function stateOfDatabase(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(projectFolder, 'package-lock.json')));
  const folders = ['migrations', 'src/server/platform', 'src/server/platform/embedded'];
  for (const folder of folders)
    for (const entry of (await readdir(path.join(projectFolder, folder))).toSorted())
      if (/\.(sql|ts)$/.test(entry)) hash.update(await readFile(path.join(projectFolder, folder, entry)));
  return hash.digest('hex').slice(0, 16);
}

/** Made where root's PostgreSQL can reach it. Of two who make it at once, the second is thrown away. */
async function make(served: string): Promise<void> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-served-'));
  await chmod(parent, 0o711);
  const whole = `${served}.${path.basename(parent)}`;
  try {
    const data = path.join(parent, 'data');
    const parley = spawnParley({ env: { PARLEY_DATA: data } });
    await parley.ready;
    parley.signal('SIGTERM');
    await parley.ended;
    await mkdir(kept, { recursive: true });
    await copy(data, whole);
    await rename(whole, served).catch((error: unknown) => {
      if (!existsSync(served)) throw error;
    });
  } finally {
    await rm(parent, { recursive: true, force: true });
    await rm(whole, { recursive: true, force: true });
  }
}

/** With owners and modes: root's PostgreSQL runs as another user. */
async function copy(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await run('cp', ['-a', from, to]);
}
