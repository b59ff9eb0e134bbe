import './lib/node-version.mjs';
import { parseArgs } from 'node:util';
import { checks } from './lib/checks.mjs';
import { wasInterrupted } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { Failure, runScript } from './lib/project.mjs';
import { findTestFiles } from './lib/tiers.mjs';

/** @typedef {import('./lib/checks.mjs').Check} Check */
/** @typedef {import('./lib/checks.mjs').Selection} Selection */

const help = `npm test [-- OPTIONS] [-- FILTERS]

Installs missing packages and a browser, and runs the checks. The tests have two tiers:
  fast   covers every area; npm test runs it in at most 6 minutes on two quiet cores
  heavy  slow tests: kill rounds, real archives, replicas, poolers, rolling restarts, query plans at size, generated
         requests and long journeys in the browser; npm test -- --all runs both tiers in at most 20 minutes

A test that fails runs once more. If it passes then, it counts as passed and is listed under 'Flaky'. The last line counts
tests and checks. The lines above it repeat the failures.

Options:
  --all         also run the heavy tier; installs a PostgreSQL with replicas, PgBouncer, Firefox and WebKitGTK if they
                are missing
  --only NAMES  run only these checks, separated by commas
  -h, --help    show this help

Filters are paths of test files of both tiers, or parts of paths, for the checks server, browser and browsers.

Checks:
${checks.map(({ name, description }) => `  ${name.padEnd(8)} ${description}`).join('\n')}

TEST_DATABASE_URL sets the PostgreSQL for the check server; its user must be allowed to create databases.
PARLEY_CHROMIUM sets the path of the browser, PARLEY_POSTGRES_PROGRAMS the directory with the programs of a PostgreSQL
that supports replicas. With CI=true, skipped tests count as failed.`;

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
    if (wasInterrupted()) return;
    const result = await runCheck(check, broken, { filters, all });
    flaky.push(...result.flaky.map((each) => `${check.name}: ${each}`));
    if (result.failed > 0) {
      broken.add(check.name);
      failures.push(...result.failures.map((each) => `${check.name}: ${each}`));
    }
    sum.passed += result.passed;
    sum.failed += result.failed;
  };
  const chosen = checks.filter(({ name, heavy }) => only?.includes(name) ?? (all || heavy !== true));
  /** @type {Map<string | undefined, Promise<void>>} */
  const started = new Map();
  /** @param {Check} check */
  const start = (check) => {
    const ended = Promise.resolve(started.get(check.needs)).then(() => run(check));
    started.set(check.name, ended);
    return ended;
  };
  // The heavy tier starts, measures and kills whole servers: it competes neither with a build nor with browsers, which
  // made servers refuse requests as overloaded.
  const [last, first] =
    filters.length === 0 && !all ? [[], chosen] : partition(chosen, ({ tests }) => tests !== undefined);
  await Promise.all(first.map(start));
  for (const check of last) await run(check);
  if (wasInterrupted()) {
    console.log('\nInterrupted.');
    return 130;
  }
  if (flaky.length > 0)
    console.log(
      `\nFlaky (failed once, passed when run again):\n${flaky.map((each) => `~ ${each}`).join('\n')}`,
    );
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `✗ ${each}`).join('\n')}`);
  console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
});

/**
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => boolean} matches
 * @returns {[matching: Item[], others: Item[]]}
 */
function partition(items, matches) {
  return [items.filter(matches), items.filter((item) => !matches(item))];
}

/**
 * @param {Check} check
 * @param {Set<string>} broken checks that failed
 * @param {Selection} selection
 */
async function runCheck(check, broken, selection) {
  const start = performance.now();
  const { passed, failed: failedTests, skipped, output, ...found } = await attempt(check, broken, selection);
  const failed = process.env['CI'] === 'true' ? failedTests + skipped : failedTests;
  if (output) console.log(output.trim());
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const skippedText = skipped > 0 ? `, ${skipped} SKIPPED` : '';
  console.log(`${failed === 0 ? '✓' : '✗'} ${check.name} (${seconds} s${skippedText})`);
  return {
    passed,
    failed,
    failures: found.failures ?? [`see above${skippedText}`],
    flaky: found.flaky ?? [],
  };
}

/**
 * @param {Check} check
 * @param {Set<string>} broken
 * @param {Selection} selection
 * @returns {Promise<import('./lib/checks.mjs').Result>}
 */
async function attempt(check, broken, selection) {
  const failure = { passed: 0, failed: 1, skipped: 0 };
  if (check.needs !== undefined && broken.has(check.needs))
    return { ...failure, output: `${check.name} was not run, because ${check.needs} failed.` };
  try {
    return await check.run(selection);
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
  refuseUnmatched(positionals, only);
  return { only, filters: positionals, all: values.all ?? false, wantsHelp: values.help };
}

/**
 * @param {string[]} filters
 * @param {string[] | undefined} only
 */
function refuseUnmatched(filters, only) {
  const taking = checks.filter(({ name, tests }) => tests !== undefined && (only?.includes(name) ?? true));
  const matches = (/** @type {string} */ filter) =>
    taking.some(({ tests }) => tests !== undefined && findTestFiles(tests, [filter]).length > 0);
  const unmatched = filters.filter((filter) => !matches(filter));
  if (unmatched.length === 0) return;
  const where = taking.length === 0 ? 'the chosen checks' : taking.map(({ name }) => name).join(' or ');
  throw new Failure(`No test file of ${where} has ${unmatched.join(' or ')} in its path.`);
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
    throw new Failure(`${error instanceof Error ? error.message : String(error)} See npm test -- --help.`);
  }
}
