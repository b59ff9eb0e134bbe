import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure, getPinnedNode, project } from './project.mjs';

/**
 * @typedef {{
 *   version?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }>
 * }} LockedPackage
 * @typedef {Record<string, LockedPackage>} Packages by their place, such as 'node_modules/hono'
 */

/** What the server reads, apart from packages. The web app and the server's page renderer are in `dist`. */
const sources = [
  'package.json',
  'LICENSE',
  'CHANGELOG.md',
  'migrations',
  'demo',
  'dist/web',
  'dist/render',
  'src/server',
  'src/shared',
];

/** The packages with the Node that `npm start` uses. */
const pinnedNode = /^node_modules\/node-(bin-)?(darwin|linux|win)-/u;

/** Tests, types, source maps, documentation, files for linking, and pictures of fonts. */
const notNeeded =
  /\.(test\.ts|d\.[cm]?ts|map|markdown|a|ttf\.png)$|node_modules\/.*(\.md|\/src\/.*\.ts)$|\/native\/include$/u;

/**
 * Copies what a built Parley needs to run into a new directory: no tests, no build tools, no sources of the web app.
 * Writes its start script to `bin/parley`.
 * @param {string} target
 * @param {{ revision?: string | undefined, withNode?: boolean }} [options] `revision` is the commit, which admins see.
 * `withNode` copies the pinned Node to `bin/node`; without it, Node must be on the PATH.
 */
export async function copyRuntime(target, { revision, withNode = false } = {}) {
  if ((await mkdir(target, { recursive: true })) === undefined)
    throw new Failure(`${target} exists. Name a new directory.`);
  const { packages: locked } = await readJson('package-lock.json');
  const { packages: installed } = await readJson('node_modules/.package-lock.json');
  const places = listRuntimePackages(locked).filter(
    (place) => installed[place] !== undefined && !pinnedNode.test(place),
  );
  for (const name of [...sources, ...places])
    await cp(path.join(project, name), path.join(target, name), {
      recursive: true,
      verbatimSymlinks: true,
      // Packages inside other packages are copied on their own, if they are needed.
      filter: (file) => !notNeeded.test(file) && !(isPackage(name) && isNested(file, name)),
    });
  for (const place of places) await linkLibraries(path.join(target, place));
  await mkdir(path.join(target, 'bin'));
  await writeFile(path.join(target, 'bin/parley'), await startScript(), { mode: 0o755 });
  if (withNode) await copyFile(getPinnedNode(), path.join(target, 'bin/node'));
  if (revision) await writeFile(path.join(target, 'revision'), `${revision}\n`);
}

/** @param {string} name */
const isPackage = (name) => name.startsWith('node_modules/');

/**
 * @param {string} file
 * @param {string} place
 */
const isNested = (file, place) => path.relative(path.join(project, place), file).startsWith('node_modules');

/**
 * The places of the packages that `dependencies` need, with the peers that these require. npm also installs peers that
 * are optional, if another package needs them for development; `npm ci --omit=dev` does not leave those out.
 * @param {Packages} packages of package-lock.json
 * @returns {string[]}
 */
export function listRuntimePackages(packages) {
  const found = new Set(['']);
  for (const place of found) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[place] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => peerDependenciesMeta?.[name]?.optional !== true,
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const needed = resolvePackage(packages, place, name);
      if (needed !== undefined) found.add(needed);
    }
  }
  found.delete('');
  return [...found].toSorted();
}

/**
 * As Node resolves it: the nearest `node_modules` upwards.
 * @param {Packages} packages
 * @param {string} from
 * @param {string} name
 */
function resolvePackage(packages, from, name) {
  for (let parent = from; ; parent = parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/')))) {
    const place = path.posix.join(parent, 'node_modules', name);
    if (packages[place] !== undefined) return place;
    if (parent === '') return undefined;
  }
}

/**
 * Makes the symbolic links that the embedded PostgreSQL needs and npm packages cannot contain. The server would make
 * them, but here it may find a read-only file system.
 * @param {string} directory of the package
 */
async function linkLibraries(directory) {
  const list = path.join(directory, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(await readFile(list, 'utf8'));
  for (const { source, target } of links) {
    const link = path.join(directory, target);
    if (!existsSync(link)) await symlink(path.relative(path.dirname(target), source), link);
  }
}

/** The server and imports run with the flags of `src/server/node-options.json`, other commands without. */
async function startScript() {
  const { flags, env } = await readJson('src/server/node-options.json');
  const variables = Object.entries(env).map(([name, value]) => `export ${name}="\${${name}:-${value}}"`);
  return `#!/bin/sh
# Written by scripts/runtime.mjs. Runs a command of Parley without installing or building anything.
set -eu
directory=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
node=node
if [ -x "$directory/bin/node" ]; then node=$directory/bin/node; fi
case \${1:-} in
serve | import)
  ${variables.join('\n  ')}
  exec "$node" ${flags.join(' ')} "$directory/src/server/cli-main.ts" "$@" ;;
esac
exec "$node" "$directory/src/server/cli-main.ts" "$@"
`;
}

/** @param {string} name */
async function readJson(name) {
  return JSON.parse(await readFile(path.join(project, name), 'utf8'));
}
