import { existsSync } from 'node:fs';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';
import { canInstall, installDebianPackages } from './debian.mjs';
import { Failure, getPackageDirectory, getPinnedNode } from './project.mjs';

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
  const fromApt = await installFromApt();
  if (fromApt !== undefined || (await findOnPath(browsers)) !== undefined) return fromApt;
  console.log('Chromium for the browser tests is missing. Installing it with Playwright …');
  const playwright = path.join(getPackageDirectory('@playwright/test'), 'cli.js');
  const { output } = await runCaptured(getPinnedNode(), [playwright, 'install', 'chromium']);
  const chromium = await findPlaywrightChromium();
  if (chromium === undefined) console.log(output.trim());
  return chromium;
}

async function installFromApt() {
  if (!canInstall()) return undefined;
  console.log('Headless Chromium for the browser tests is missing. Installing it from Debian …');
  const failure = await installDebianPackages('chromium-headless-shell');
  if (failure === undefined) return findOnPath(['chromium-headless-shell']);
  console.log(`${failure}\nThe installation failed.`);
  return undefined;
}

/**
 * The browsers for the check `browsers`, which Debian has and Playwright's own builds are not: their programs, and the
 * packages that have them.
 */
const otherBrowsers = [
  { programs: ['firefox-esr', 'firefox'], packages: ['firefox-esr'] },
  { programs: ['WebKitWebDriver'], packages: ['webkit2gtk-driver'] },
  { programs: ['Xvfb'], packages: ['xvfb'] },
];

/**
 * Finds Firefox, the driver of WebKitGTK and the X server that WebKitGTK needs, on the PATH or installed now. Returns the
 * path of Firefox; the others are on the PATH.
 * @returns {Promise<string>}
 */
export async function findOtherBrowsers() {
  const missing = otherBrowsers.filter(({ programs }) => !isOnPath(programs));
  const packages = missing.flatMap((each) => each.packages);
  if (missing.length > 0) {
    const names = packages.join(', ');
    if (!canInstall()) throw new Failure(`Install the Debian packages ${names} or their counterparts.`);
    console.log(`Firefox and WebKit for the browser tests are missing. Installing ${names} from Debian …`);
    const failure = await installDebianPackages('--no-install-recommends', ...packages);
    if (failure !== undefined) throw new Failure(`${failure}\n${names} could not be installed.`);
  }
  for (const { programs } of otherBrowsers)
    if (!isOnPath(programs)) throw new Failure(`${programs.join(' or ')} is not on the PATH.`);
  const firefox = await findOnPath(otherBrowsers[0]?.programs ?? []);
  if (firefox === undefined) throw new Failure('Firefox is on the PATH, but cannot be run.');
  return firefox;
}

/** @param {string[]} names */
function isOnPath(names) {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  return directories.some((directory) => names.some((name) => existsSync(path.join(directory, name))));
}

/** @param {string} file */
async function runs(file) {
  return runCaptured(file, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}
