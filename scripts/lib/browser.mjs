import { existsSync } from 'node:fs';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { withLock } from './lock.mjs';
import { Failure, getPackageDirectory, getPinnedNode, project } from './project.mjs';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds the Chromium for the browser tests: the one in PARLEY_CHROMIUM, Playwright's own, one on the PATH, or one
 * installed now. A headless shell is preferred, and is installed if that needs no permission: it takes a third less
 * time.
 * @returns {Promise<string>}
 */
export async function findBrowser() {
  const named = process.env['PARLEY_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (await runs(named)) return named;
    throw new Failure(`PARLEY_CHROMIUM is ${named}, which cannot be run.`);
  }
  const shell = (await findOnPath(['chromium-headless-shell'])) ?? (await findPlaywrightChromium());
  const file = shell ?? (await installChromium()) ?? (await findOnPath(browsers));
  if (file !== undefined) return file;
  throw new Failure('Chromium could not be installed. Install it, or set PARLEY_CHROMIUM to its path.');
}

/** @param {string[]} names */
async function findOnPath(names) {
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of names) {
      const file = path.join(directory, name);
      if (existsSync(file) && (await runs(file))) return file;
    }
  return undefined;
}

async function findPlaywrightChromium() {
  const script = `import { chromium } from '@playwright/test'; console.log(chromium.executablePath());`;
  const { output } = await runCaptured(getPinnedNode(), ['--input-type=module', '--eval', script]);
  const file = output.trim();
  return existsSync(file) && (await runs(file)) ? file : undefined;
}

/** Installs a headless shell from Debian or, if there is no browser at all, the one from Playwright. */
async function installChromium() {
  const fromApt = await withLock(installFromApt);
  if (fromApt !== undefined || (await findOnPath(browsers)) !== undefined) return fromApt;
  console.log('Chromium for the browser tests is missing. Installing it with Playwright …');
  const playwright = path.join(getPackageDirectory('@playwright/test'), 'cli.js');
  const { output } = await runCaptured(getPinnedNode(), [playwright, 'install', 'chromium']);
  const chromium = await findPlaywrightChromium();
  if (chromium === undefined) console.log(output.trim());
  return chromium;
}

async function installFromApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('Headless Chromium for the browser tests is missing. Installing it from Debian …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const parameters of [['update'], ['install', '-y', 'chromium-headless-shell']]) {
    const { code, output } = await runCaptured('apt-get', parameters, { env, cwd: project });
    if (code === 0) continue;
    console.log(`${output.trim()}\nThe installation failed.`);
    return undefined;
  }
  return findOnPath(['chromium-headless-shell']);
}

/** @param {string} file */
async function runs(file) {
  return runCaptured(file, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}
