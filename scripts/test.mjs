import './lib/node-version.mjs';
import { parseArgs } from 'node:util';
import { checks } from './lib/checks.mjs';
import { installPackages } from './lib/install.mjs';
import { Failure, runScript } from './lib/project.mjs';

/** @typedef {import('./lib/checks.mjs').Check} Check */
/** @typedef {import('./lib/checks.mjs').Wanted} Wanted */

const help = `npm test [-- OPTIONS] [-- FILTERS]

Installs what is missing, a browser included, and runs the checks. The tests have two tiers:
  fast   covers every feature; npm test runs it in at most 6 minutes on two quiet cores
  heavy  what takes long: kill rounds, real archives, replicas, poolers, rolling restarts, plans at size, generated
         requests and long journeys in the browser; npm test -- --all runs both tiers in at most 20 minutes

A test that fails runs once more; if it passes then, it counts as passed and is listed under 'Flaky'. The last line counts
tests and checks; the lines above it repeat what failed.

Options:
  --all         run the heavy tier as well; installs a PostgreSQL with replicas and PgBouncer where they are missing
  --only NAMES  run these checks only, separated by commas
  -h, --help    explain the command

Filters are names of test files of both tiers, or parts of them, for the checks server and browser.

Checks:
${checks.map(({ name, explains }) => `  ${name.padEnd(8)} ${explains}`).join('\n')}

TEST_DATABASE_URL lets the check server use that PostgreSQL, whose user must be allowed to create databases.
PARLEY_CHROMIUM names the browser's program, PARLEY_POSTGRES_PROGRAMS the folder with those of a PostgreSQL that has
replicas. With CI=true, a skipped test counts as failed.`;

await runScript(async () => {
  const { only, filters, all, wantsHelp } = readParameters();
  if (wantsHelp) {
    console.log(help);
    return 0;
  }
  await installPackages();
  const sum = { passed: 0, failed: 0 };
  /** @type {Set<string>} */
  const broken = new Set();
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  const flaky = [];
  /** @param {Check} check */
  const run = async (check) => {
    const {
      passed,
      failed,
      failures: found,
      flaky: passedLater,
    } = await runCheck(check, broken, { filters, all });
    flaky.push(...passedLater.map((each) => `${check.name}: ${each}`));
    if (failed > 0) {
      broken.add(check.name);
      failures.push(...found.map((each) => `${check.name}: ${each}`));
    }
    sum.passed += passed;
    sum.failed += failed;
  };
  const chosen = checks.filter(({ name }) => only === undefined || only.includes(name));
  await Promise.all(chosen.filter(({ alone }) => !alone).map(run));
  for (const check of chosen.filter(({ alone }) => alone)) await run(check);
  if (flaky.length > 0)
    console.log(
      `\nFlaky (failed once, passed when run again):\n${flaky.map((each) => `~ ${each}`).join('\n')}`,
    );
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `✗ ${each}`).join('\n')}`);
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
});

/**
 * @param {Check} check
 * @param {Set<string>} broken checks that failed
 * @param {Wanted} wanted
 */
async function runCheck(check, broken, wanted) {
  const start = performance.now();
  const { passed, failed: wrong, skipped, output, ...found } = await attempt(check, broken, wanted);
  const failed = process.env['CI'] === 'true' ? wrong + skipped : wrong;
  if (output) console.log(output.trim());
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const left = skipped > 0 ? `, ${skipped} SKIPPED` : '';
  console.log(`${failed === 0 ? '✓' : '✗'} ${check.name} (${seconds} s${left})`);
  return { passed, failed, failures: found.failures ?? [`see above${left}`], flaky: found.flaky ?? [] };
}

/**
 * @param {Check} check
 * @param {Set<string>} broken
 * @param {Wanted} wanted
 * @returns {Promise<import('./lib/checks.mjs').Result>}
 */
async function attempt(check, broken, wanted) {
  const failure = { passed: 0, failed: 1, skipped: 0 };
  if (check.needs !== undefined && broken.has(check.needs))
    return { ...failure, output: `${check.name} was not run, because ${check.needs} failed.` };
  try {
    return await check.run(wanted);
  } catch (error) {
    if (error instanceof Failure) return { ...failure, output: error.message };
    throw error;
  }
}

function readParameters() {
  const { values, positionals } = readOrFail();
  const only = values.only?.split(',');
  const unknown = only?.filter((name) => !checks.some((check) => check.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Failure(`There is no check ${unknown.join(', ')}. npm test -- --help lists them.`);
  return { only, filters: positionals, all: values.all ?? false, wantsHelp: values.help };
}

function readOrFail() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Failure(
      `${error instanceof Error ? error.message : String(error)} npm test -- --help explains.`,
    );
  }
}
