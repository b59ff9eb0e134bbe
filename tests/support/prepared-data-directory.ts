import { projectRoot } from '#server/core/paths.ts';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { withTemporaryDirectory, withTemporaryParley } from './temporary-parley.ts';

const run = promisify(execFile);

/** Those of earlier states of the project stay here, until the packages are installed anew. */
const cacheDirectory = path.join(projectRoot, 'node_modules/.cache/served');

/**
 * Makes `folder` a data folder in which a Parley of this version has served and stopped, with nobody in it: a copy, which
 * takes a fraction of the first start's time. Where a test is not about first starts, use this.
 */
export async function copyPreparedDataDirectory(folder: string): Promise<void> {
  const served = path.join(cacheDirectory, await computeStateHash());
  if (!existsSync(served)) await prepareDirectory(served);
  await copy(served, folder);
}

/** Changes with what a first start writes: the migrations, and PostgreSQL's own files. */
async function computeStateHash(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(projectRoot, 'package-lock.json')));
  const folders = ['migrations', 'src/server/core', 'src/server/postgres'];
  for (const folder of folders)
    for (const entry of (await readdir(path.join(projectRoot, folder))).toSorted())
      if (/\.(sql|ts)$/.test(entry)) hash.update(await readFile(path.join(projectRoot, folder, entry)));
  return hash.digest('hex').slice(0, 16);
}

/** Made where root's PostgreSQL can reach it. Of two who make it at once, the second is thrown away. */
function prepareDirectory(served: string): Promise<void> {
  return withTemporaryDirectory(async (folder) => {
    const whole = `${served}.${path.basename(folder)}`;
    const data = path.join(folder, 'data');
    await withTemporaryParley({ env: { PARLEY_DATA: data } }, async () => {});
    try {
      await mkdir(cacheDirectory, { recursive: true });
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
