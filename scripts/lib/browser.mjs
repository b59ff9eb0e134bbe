import { existsSync } from 'node:fs';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { Failure, getPackageDirectory, getPinnedNode, project } from './project.mjs';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The program of a Chromium for the browser tests: the one named by PARLEY_CHROMIUM, Playwright's own, one on the
 * path, and where there is none, one installed now. A headless shell comes first and is installed where that needs
 * nobody's leave: the same engine without a desktop around it takes two thirds of the time.
 * @returns {Promise<string>}
 */
export async function findBrowser() {
  const named = process.env['PARLEY_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (await runs(named)) return named;
    throw new Failure(`PARLEY_CHROMIUM is ${named}, which does not run.`);
  }
  const shell = (await onPath(['chromium-headless-shell'])) ?? (await playwrightsOwn());
  const file = shell ?? (await installed()) ?? (await onPath(browsers));
  if (file !== undefined) return file;
  throw new Failure('No Chromium could be installed. Install one, or name its program in PARLEY_CHROMIUM.');
}

/** @param {string[]} names */
async function onPath(names) {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of names) {
      const file = path.join(folder, name);
      if (existsSync(file) && (await runs(file))) return file;
    }
  return undefined;
}

async function playwrightsOwn() {
  const script = `import { chromium } from '@playwright/test'; console.log(chromium.executablePath());`;
  const { output } = await runCaptured(getPinnedNode(), ['--input-type=module', '--eval', script]);
  const file = output.trim();
  return existsSync(file) && (await runs(file)) ? file : undefined;
}

/** A headless shell by Debian's packages, or Playwright's where those are none and no browser is there at all. */
async function installed() {
  const fromDebian = await debians();
  if (fromDebian !== undefined || (await onPath(browsers)) !== undefined) return fromDebian;
  console.log('There is no Chromium for the browser tests. Installing the one that Playwright brings …');
  const playwright = path.join(getPackageDirectory('@playwright/test'), 'cli.js');
  const { output } = await runCaptured(getPinnedNode(), [playwright, 'install', 'chromium']);
  const own = await playwrightsOwn();
  if (own === undefined) console.log(output.trim());
  return own;
}

async function debians() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log("There is no headless Chromium for the browser tests. Installing Debian's …");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const parameters of [['update'], ['install', '-y', 'chromium-headless-shell']]) {
    const { code, output } = await runCaptured('apt-get', parameters, { env, cwd: project });
    if (code === 0) continue;
    console.log(`${output.trim()}\nThat did not work.`);
    return undefined;
  }
  return onPath(['chromium-headless-shell']);
}

/** @param {string} file */
async function runs(file) {
  return runCaptured(file, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}
