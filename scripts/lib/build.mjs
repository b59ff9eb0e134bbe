import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';
import { Failure, getPackageDirectory, getPinnedNode, project } from './project.mjs';

const built = path.join(project, 'dist/web');
/** Holds the hash of the sources that the built browser part was made of. */
const stamp = path.join(project, 'dist/web.sources');

/** What the browser part is made of: these folders, and what lies beside them to build it with. */
const folders = ['src/web', 'src/shared'];
const buildFiles = /^(vite\.config\.|postcss\.config\.|package(-lock)?\.json$|tsconfig\.base\.json$)/;

/** Builds the browser part where its sources have changed since. */
export async function buildWeb() {
  if (await isCurrent(await hashSources())) return;
  await withLock(async () => {
    const hash = await hashSources();
    if (await isCurrent(hash)) return;
    console.log('Building the browser part …');
    // Made beside its place and moved there: a server that runs meanwhile finds the old one or the new one whole.
    const half = path.join(project, 'dist/web.new');
    const vite = path.join(getPackageDirectory('vite'), 'bin/vite.js');
    const { code, output } = await runCaptured(getPinnedNode(), [
      vite,
      'build',
      '--outDir',
      half,
      '--emptyOutDir',
    ]);
    if (code !== 0) throw new Failure(`${output.trim()}\nThe browser part could not be built.`);
    await rm(stamp, { force: true });
    await rm(built, { recursive: true, force: true });
    await rename(half, built);
    await writeFile(stamp, hash);
  });
}

/** @param {string} hash */
async function isCurrent(hash) {
  const made = await readFile(stamp, 'utf8').catch(() => '');
  return made === hash && existsSync(path.join(built, 'index.html'));
}

async function hashSources() {
  const beside = (await readdir(project)).filter((name) => buildFiles.test(name));
  const files = [...(await Promise.all(folders.map(listFiles))).flat(), ...beside].toSorted();
  const contents = await Promise.all(files.map((file) => readFile(path.join(project, file))));
  const hash = createHash('sha256');
  for (const [index, file] of files.entries()) {
    // Lengths keep two different lists of files from reading alike.
    hash.update(`${file}\0${contents[index]?.length}\0`).update(contents[index] ?? '');
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function listFiles(folder) {
  const entries = await readdir(path.join(project, folder), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
  return files.map((entry) => path.relative(project, path.join(entry.parentPath, entry.name)));
}
