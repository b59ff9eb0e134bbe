import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { withFolder, withParley } from './throwaway.ts';

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
function make(served: string): Promise<void> {
  return withFolder(async (folder) => {
    const whole = `${served}.${path.basename(folder)}`;
    const data = path.join(folder, 'data');
    await withParley({ env: { PARLEY_DATA: data } }, async () => {});
    try {
      await mkdir(kept, { recursive: true });
      await copy(data, whole);
      await rename(whole, served).catch((error: unknown) => {
        if (!existsSync(served)) throw error;
      });
    } finally {
      await rm(whole, { recursive: true, force: true });
    }
  });
}

/** With owners and modes: root's PostgreSQL runs as another user. */
async function copy(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await run('cp', ['-a', from, to]);
}
