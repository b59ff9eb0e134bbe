import { existsSync } from 'node:fs';
import path from 'node:path';
import { runQuietly } from './child.mjs';
import { Failure, packageFolder, pinnedNode, project } from './project.mjs';

/**
 * The program of a Chromium for the browser tests: the one named by PARLEY_CHROMIUM, one on the path, Playwright's
 * own, and where there is none, one installed now.
 * @returns {Promise<string>}
 */
export async function findBrowser() {
  const named = process.env['PARLEY_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (await runs(named)) return named;
    throw new Failure(`PARLEY_CHROMIUM is ${named}, which does not run.`);
  }
  return (await onPath()) ?? (await playwrightsOwn()) ?? (await installed());
}

async function onPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of names) {
      const file = path.join(folder, name);
      if (existsSync(file) && (await runs(file))) return file;
    }
  return undefined;
}

async function playwrightsOwn() {
  const script = `import { chromium } from '@playwright/test'; console.log(chromium.executablePath());`;
  const { output } = await runQuietly(pinnedNode(), ['--input-type=module', '--eval', script]);
  const file = output.trim();
  return existsSync(file) && (await runs(file)) ? file : undefined;
}

async function installed() {
  console.log('There is no Chromium for the browser tests. Installing the one that Playwright brings …');
  const playwright = path.join(packageFolder('@playwright/test'), 'cli.js');
  const { output } = await runQuietly(pinnedNode(), [playwright, 'install', 'chromium']);
  return (await playwrightsOwn()) ?? (await fromDebian(output));
}

/** @param {string} before what was said by what had been tried before */
async function fromDebian(before) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Failure(
      `${before.trim()}\nNo Chromium could be installed. Install one, or name its program in PARLEY_CHROMIUM.`,
    );
  console.log("That did not work. Installing Debian's package chromium …");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const parameters of [['update'], ['install', '-y', 'chromium']]) {
    const { code, output } = await runQuietly('apt-get', parameters, { env, cwd: project });
    if (code !== 0) throw new Failure(`${output.trim()}\nChromium could not be installed.`);
  }
  const file = await onPath();
  if (file === undefined) throw new Failure('The Chromium that was installed does not run.');
  return file;
}

/** @param {string} file */
async function runs(file) {
  return runQuietly(file, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}
