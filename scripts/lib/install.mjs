import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';
import { Failure, project } from './project.mjs';

/** @typedef {{ version?: string, optional?: boolean, os?: string | string[], cpu?: string | string[], libc?: string | string[], link?: boolean }} LockedPackage */

/** Installs the packages of package-lock.json if the installed ones differ. */
export async function installPackages() {
  const reason = await findInstallReason();
  if (reason === undefined) return;
  if (await isLink(path.join(project, 'node_modules'))) {
    console.error(`node_modules is a symbolic link and is left unchanged, although ${reason}.`);
    return;
  }
  await withLock(async () => {
    const reasonNow = await findInstallReason();
    if (reasonNow === undefined) return;
    console.log(
      `Installing packages with npm ci, because ${reasonNow}. The first installation takes a minute …`,
    );
    const { code, output } = await runNpm([
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--include=dev',
      '--include=optional',
    ]);
    const failure = code === 0 ? await findInstallReason() : 'npm ci failed';
    if (failure !== undefined)
      throw new Failure(`${output.trim()}\nFailed to install the packages: ${failure}.`);
  });
}

/**
 * npm would empty the target directory, which others use.
 * @param {string} file
 */
async function isLink(file) {
  const status = await lstat(file).catch(() => undefined);
  return status?.isSymbolicLink() ?? false;
}

/**
 * Returns why packages must be installed, or undefined. npm writes its list of installed packages at the end of a
 * complete installation.
 */
async function findInstallReason() {
  const locked = await readPackages(path.join(project, 'package-lock.json'));
  if (locked === undefined) throw new Failure('package-lock.json is missing; the checkout is incomplete.');
  const installed = await readPackages(path.join(project, 'node_modules/.package-lock.json'));
  if (installed === undefined) return 'none are installed';
  for (const [place, wanted] of Object.entries(locked)) {
    if (place === '' || wanted.link) continue;
    const version = installed[place]?.version;
    const name = place.replace(/^.*node_modules\//, '');
    if (version === undefined && isNeededHere(wanted)) return `${name} is missing`;
    if (version !== undefined && version !== wanted.version)
      return `${name} is ${version} instead of ${wanted.version}`;
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
 * Optional packages are for certain platforms. Those without a platform belong to one that has it, and only npm knows
 * the C library of the machine.
 * @param {LockedPackage} wanted
 */
function isNeededHere({ optional, os, cpu, libc }) {
  if (!optional) return true;
  if (libc !== undefined || (os === undefined && cpu === undefined)) return false;
  return fits(os, process.platform) && fits(cpu, process.arch);
}

/**
 * @param {string | string[] | undefined} given names, or excluded names with a leading '!'
 * @param {string} name
 */
function fits(given, name) {
  if (given === undefined) return true;
  const list = [given].flat();
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((entry) => entry.startsWith('!'));
}

/**
 * Runs npm and returns its output.
 * @param {string[]} parameters
 */
export function runNpm(parameters) {
  const script = process.env['npm_execpath'];
  // The npm that runs this script; otherwise the one on the PATH.
  if (script?.endsWith('.js')) return runCaptured(process.execPath, [script, ...parameters]);
  return runCaptured(process.platform === 'win32' ? 'npm.cmd' : 'npm', parameters);
}
