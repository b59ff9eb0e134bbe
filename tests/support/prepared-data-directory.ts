import { projectRoot } from '#server/core/paths.ts';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { withTemporaryDirectory, withTemporaryParley } from './temporary-parley.ts';

const run = promisify(execFile);

/** Copies of earlier versions stay here until the packages are installed again. */
const cacheDirectory = path.join(projectRoot, 'node_modules/.cache/served');

/**
 * Copies a data directory to `directory` on which a Parley of this version has run and stopped, without members. This
 * takes a fraction of the time of a first start; use it in tests that are not about first starts.
 */
export async function copyPreparedDataDirectory(directory: string): Promise<void> {
  const served = path.join(cacheDirectory, await computeStateHash());
  if (!existsSync(served)) await prepareDirectory(served);
  await copy(served, directory);
}

/** Changes with everything a first start writes: the migrations and PostgreSQL's own files. */
async function computeStateHash(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path.join(projectRoot, 'package-lock.json')));
  const directories = ['migrations', 'src/server/core', 'src/server/postgres'];
  for (const directory of directories)
    for (const entry of (await readdir(path.join(projectRoot, directory))).toSorted())
      if (/\.(sql|ts)$/.test(entry)) hash.update(await readFile(path.join(projectRoot, directory, entry)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * Created in a temporary directory that PostgreSQL can access when started by root. If two processes create it at the
 * same time, the second copy is discarded.
 */
function prepareDirectory(served: string): Promise<void> {
  return withTemporaryDirectory(async (directory) => {
    const whole = `${served}.${path.basename(directory)}`;
    const data = path.join(directory, 'data');
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

/** Keeps owners and modes: as root, PostgreSQL runs as another user. */
async function copy(from: string, to: string): Promise<void> {
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await run('cp', ['-a', from, to]);
}
