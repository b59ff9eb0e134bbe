import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';
import { Failure, project } from './project.mjs';

/** @typedef {{ version?: string, optional?: boolean, os?: string | string[], cpu?: string | string[], libc?: string | string[], link?: boolean }} LockedPackage */

/** Installs the packages of package-lock.json where what is installed differs from it. */
export async function installPackages() {
  const reason = await missing();
  if (reason === undefined) return;
  if (await isLink(path.join(project, 'node_modules'))) {
    console.error(`node_modules is a link and is left as it is, although ${reason}.`);
    return;
  }
  await withLock(async () => {
    const first = await missing();
    if (first === undefined) return;
    console.log(`Installing packages with npm ci, because ${first}. The first time this takes a minute …`);
    const { code, output } = await runNpm([
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--include=dev',
      '--include=optional',
    ]);
    const left = code === 0 ? await missing() : 'npm ci failed';
    if (left !== undefined)
      throw new Failure(`${output.trim()}\nThe packages could not be installed: ${left}.`);
  });
}

/**
 * npm would empty the folder the link leads to, which others work with.
 * @param {string} file
 */
async function isLink(file) {
  const status = await lstat(file).catch(() => undefined);
  return status?.isSymbolicLink() ?? false;
}

/** Why packages must be installed, or undefined. npm writes down what it installed when it is done with all of it. */
async function missing() {
  const locked = await readPackages(path.join(project, 'package-lock.json'));
  if (locked === undefined) throw new Failure('package-lock.json is missing; the checkout is not whole.');
  const installed = await readPackages(path.join(project, 'node_modules/.package-lock.json'));
  if (installed === undefined) return 'none are installed';
  for (const [place, wanted] of Object.entries(locked)) {
    if (place === '' || wanted.link) continue;
    const found = installed[place]?.version;
    const name = place.replace(/^.*node_modules\//, '');
    if (found === undefined && isNeededHere(wanted)) return `${name} is missing`;
    if (found !== undefined && found !== wanted.version)
      return `${name} is ${found} instead of ${wanted.version}`;
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {Promise<Record<string, LockedPackage> | undefined>}
 */
async function readPackages(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Optional packages are for some machines only. Those that do not say for which belong to one that does; and npm alone
 * knows which C library a machine has.
 * @param {LockedPackage} wanted
 */
function isNeededHere({ optional, os, cpu, libc }) {
  if (!optional) return true;
  if (libc !== undefined || (os === undefined && cpu === undefined)) return false;
  return fits(os, process.platform) && fits(cpu, process.arch);
}

/**
 * @param {string | string[] | undefined} given names, or names that are excluded, with '!' before them
 * @param {string} name
 */
function fits(given, name) {
  if (given === undefined) return true;
  const list = [given].flat();
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((entry) => entry.startsWith('!'));
}

/**
 * Runs npm, and gives what it said.
 * @param {string[]} parameters
 */
export function runNpm(parameters) {
  const script = process.env['npm_execpath'];
  // The npm that runs this script; without one, the one on the path.
  if (script?.endsWith('.js')) return runCaptured(process.execPath, [script, ...parameters]);
  return runCaptured(process.platform === 'win32' ? 'npm.cmd' : 'npm', parameters);
}
