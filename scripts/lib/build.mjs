import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';
import { Failure, getPackageDirectory, getPinnedNode, project } from './project.mjs';

const built = path.join(project, 'dist/web');
/** The web app as the server renders it. */
const serverPart = path.join(project, 'dist/render');
/** Contains the hash of the sources of the current build. */
const stamp = path.join(project, 'dist/web.sources');

/** The sources of the web build, in addition to the configuration files. */
const directories = ['src/web', 'src/shared'];
const buildFiles = /^(vite\.config\.|postcss\.config\.|package(-lock)?\.json$|tsconfig\.base\.json$)/;

/** Builds the web app if its sources have changed. */
export async function buildWeb() {
  if (await isCurrent(await hashSources())) return;
  await withLock(async () => {
    const hash = await hashSources();
    if (await isCurrent(hash)) return;
    console.log('Building the web app …');
    // Built in another directory and then moved, so that a running server never sees an incomplete build.
    await Promise.all([runVite(`${built}.new`), runVite(`${serverPart}.new`, '--ssr', 'render-page.tsx')]);
    await rm(stamp, { force: true });
    for (const directory of [serverPart, built]) {
      await rm(directory, { recursive: true, force: true });
      await rename(`${directory}.new`, directory);
    }
    await writeFile(stamp, hash);
  });
}

/**
 * @param {string} output the directory of the build
 * @param {string[]} parameters
 */
async function runVite(output, ...parameters) {
  const vite = path.join(getPackageDirectory('vite'), 'bin/vite.js');
  const { code, output: log } = await runCaptured(
    getPinnedNode(),
    [vite, 'build', '--outDir', output, '--emptyOutDir', ...parameters],
    // Vite bundles React's development build, which is 60 KB larger, if the shell has another value.
    { env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (code !== 0) throw new Failure(`${log.trim()}\nFailed to build the web app.`);
}

/** @param {string} hash */
async function isCurrent(hash) {
  const lastHash = await readFile(stamp, 'utf8').catch(() => '');
  return lastHash === hash && existsSync(path.join(built, 'index.html'));
}

async function hashSources() {
  const configFiles = (await readdir(project)).filter((name) => buildFiles.test(name));
  const files = [...(await Promise.all(directories.map(listFiles))).flat(), ...configFiles].toSorted();
  const contents = await Promise.all(files.map((file) => readFile(path.join(project, file))));
  const hash = createHash('sha256');
  for (const [index, file] of files.entries()) {
    // The length separates file names from contents.
    hash.update(`${file}\0${contents[index]?.length}\0`).update(contents[index] ?? '');
  }
  return hash.digest('hex');
}

/**
 * @param {string} directory
 * @returns {Promise<string[]>}
 */
async function listFiles(directory) {
  const entries = await readdir(path.join(project, directory), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
  return files.map((entry) => path.relative(project, path.join(entry.parentPath, entry.name)));
}
