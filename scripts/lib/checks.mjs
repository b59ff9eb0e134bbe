import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findBrowser, findOtherBrowsers } from './browser.mjs';
import { buildWeb } from './build.mjs';
import { runInForeground, runCaptured, wasInterrupted } from './child-process.mjs';
import { findTestsNotRun, listPlaywrightTests } from './spec-coverage.mjs';
import { countResults, listPlaywrightFailures } from './failures.mjs';
import { ensurePgBouncer, findPostgresPrograms } from './postgresql.mjs';
import { getCommandEnvironment, getPackageDirectory, getPinnedNode } from './project.mjs';
import { withScratchDirectory } from './scratch-directory.mjs';
import { findTestFiles, isHeavy } from './tiers.mjs';
import { combineVitestRuns, filesToRunAgain } from './vitest-runs.mjs';

/**
 * The result of a check. `skipped` tests did not run. `failures` and `flaky` are repeated at the end of the run; each entry
 * is a test and its error. A flaky test failed once and passed when it ran again; it counts as passed.
 * @typedef {{
 *   passed: number, failed: number, skipped: number, output?: string, failures?: readonly string[],
 *   flaky?: readonly string[]
 * }} Result
 * The tests to run: the files of both tiers whose paths contain one of `filters`; without filters the fast tier and, with
 * `all`, also the heavy one.
 * @typedef {{ filters: string[], all: boolean }} Selection
 * `tests`: the kind of test files of a check that takes filters. The fast tier starts all checks at the same time; with
 * the heavy tier or filters, those with tests run after the others, one after the other.
 * @typedef {{
 *   name: string, description: string, needs?: string, tests?: 'test' | 'spec', heavy?: boolean,
 *   run: (selection: Selection) => Promise<Result>
 * }} Check
 */

/**
 * All checks, the fast ones first. By default, the threads of lint and types would each check the same types again and
 * need almost twice the processor time, beside the other checks.
 * @type {Check[]}
 */
export const checks = [
  {
    name: 'format',
    description: 'files are formatted (oxfmt)',
    run: () => runTool('oxfmt', 'bin/oxfmt', ['--check']),
  },
  {
    name: 'lint',
    description: 'the lint rules hold (oxlint)',
    run: () => runTool('oxlint', 'bin/oxlint', ['--type-aware', '--deny-warnings'], { GOMAXPROCS: '1' }),
  },
  {
    name: 'types',
    description: 'types are correct (tsc)',
    run: () => runTool('typescript', 'bin/tsc', ['-b', '--checkers', '1']),
  },
  {
    name: 'unused',
    description: 'no file, export or dependency is unused (knip)',
    run: () => runTool('knip', 'bin/knip.js', []),
  },
  { name: 'build', description: 'the web app builds (vite)', run: buildWebApp },
  {
    name: 'server',
    description: 'the tests against a real PostgreSQL (vitest)',
    tests: 'test',
    run: serverTests,
  },
  {
    name: 'browser',
    description: 'the tests in a real browser (playwright)',
    needs: 'build',
    tests: 'spec',
    run: browserTests,
  },
  {
    name: 'browsers',
    description: 'the main journeys in Firefox and WebKit (playwright, selenium); only with --all or --only',
    needs: 'build',
    tests: 'spec',
    heavy: true,
    run: otherBrowsersTests,
  },
];

const success = { passed: 1, failed: 0, skipped: 0 };
/** The filters match test files of another check only. */
const nothingToRun = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {string} name of the package
 * @param {string} file in it
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Result>}
 */
async function runTool(name, file, parameters, env = {}) {
  const program = path.join(getPackageDirectory(name), file);
  const { code, output } = await runCaptured(getPinnedNode(), [program, ...parameters], {
    env: { ...process.env, ...env },
  });
  return code === 0 ? success : { passed: 0, failed: 1, skipped: 0, output };
}

async function buildWebApp() {
  await buildWeb();
  return success;
}

/**
 * Runs the tests, and then each file with a failure once more on its own: it gets a new database, and a failed hook or
 * an unhandled error is repeated like a failed test.
 * @param {Selection} selection
 * @returns {Promise<Result>}
 */
async function serverTests({ filters, all }) {
  const isComplete = filters.length === 0;
  const selected = findTestFiles('test', filters);
  if (!isComplete && selected.length === 0) return nothingToRun;
  const isSelected = (/** @type {string} */ word) =>
    isComplete ? all : selected.some((file) => file.includes(word));
  const programs = isSelected('replica') ? await findPostgresPrograms() : undefined;
  if (isSelected('pgbouncer')) await ensurePgBouncer();
  const projects = isComplete && !all ? ['--project=!heavy*'] : [];
  const env = { ...(programs !== undefined && { PARLEY_POSTGRES_PROGRAMS: programs }) };
  const first = await runVitest([...projects, ...selected], env, isComplete);
  const files = filesToRunAgain(first);
  const runs = [first];
  if (files.length > 0 && !wasInterrupted()) {
    console.log(`\nRunning failed files again:\n${files.join('\n')}`);
    runs.push(await runVitest(files, env, false));
  }
  const { ran, ...result } = combineVitestRuns(runs);
  return isComplete ? withMissingTests(result, '.test.ts', ran, all) : result;
}

/**
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} given
 * @param {boolean} byLine
 * @returns {Promise<import('./vitest-runs.mjs').VitestRun>}
 */
function runVitest(parameters, given, byLine) {
  return withReport(async (report, scratch) => {
    const unhandled = `${report}.unhandled`;
    const env = { ...getCommandEnvironment(), ...scratch, ...given, PARLEY_UNHANDLED_ERRORS: unhandled };
    const vitest = path.join(getPackageDirectory('vitest'), 'vitest.mjs');
    const reporters = [
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${path.join(import.meta.dirname, 'unhandled-errors.mjs')}`,
    ];
    const code = await runInForeground(getPinnedNode(), [vitest, 'run', ...reporters, ...parameters], {
      env,
      byLine,
    });
    return { code, report: await readReport(report), unhandled: await readReport(unhandled, []) };
  });
}

/**
 * @param {Selection} selection
 * @returns {Promise<Result>}
 */
async function browserTests({ filters, all }) {
  const isComplete = filters.length === 0;
  const selected = findTestFiles('spec', filters).filter((file) => !isOfOtherBrowsers(file));
  if (!isComplete && selected.length === 0) return nothingToRun;
  // A third worker uses the time that pages wait.
  const workers = isComplete ? ['--workers=3'] : [];
  const projects = isComplete && !all ? ['--project=fast'] : [];
  const browser = await findBrowser();
  const parameters = [...workers, ...projects, ...selected];
  const { stored, result } = await runPlaywright(parameters, { PARLEY_CHROMIUM: browser }, isComplete);
  return isComplete ? withMissingTests(result, '.spec.ts', listPlaywrightTests(stored), all) : result;
}

/**
 * Runs the tests in tests/e2e/other-browsers, and in Firefox those of other files with the tag @firefox.
 * @param {Selection} selection
 * @returns {Promise<Result>}
 */
async function otherBrowsersTests({ filters }) {
  const selected = findTestFiles('spec', filters);
  if (filters.length > 0 && selected.length === 0) return nothingToRun;
  const firefox = await findOtherBrowsers();
  const config = ['--config=playwright.other-browsers.config.ts'];
  const { result } = await runPlaywright([...config, ...selected], { PARLEY_FIREFOX: firefox }, true);
  return result;
}

/** @param {string} file */
const isOfOtherBrowsers = (file) => file.startsWith('tests/e2e/other-browsers/');

/**
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} given
 * @param {boolean} byLine
 */
function runPlaywright(parameters, given, byLine) {
  return withReport(async (report, scratch) => {
    const playwright = path.join(getPackageDirectory('@playwright/test'), 'cli.js');
    const env = {
      ...getCommandEnvironment(),
      ...scratch,
      ...given,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      // Node reads TypeScript itself. Playwright would translate every file first, alone on one core.
      PW_DISABLE_TS_ESM: '1',
    };
    const all = [playwright, 'test', '--reporter=list,json', ...parameters];
    const code = await runInForeground(getPinnedNode(), all, { env, byLine });
    const stored = await readReport(report);
    const { stats = {} } = stored;
    const result = {
      ...countResults(code, stats.expected + stats.flaky, stats.unexpected, stats.skipped),
      failures: listPlaywrightFailures(stored, 'unexpected'),
      flaky: listPlaywrightFailures(stored, 'flaky'),
    };
    return { stored, result };
  });
}

/**
 * Counts a test as failed if docs/SPEC-COVERAGE.md lists it and it did not run.
 * @param {Result} result
 * @param {string} ending of the names of the test files
 * @param {string[]} ran
 * @param {boolean} all whether the heavy tier ran as well
 * @returns {Promise<Result>}
 */
async function withMissingTests(result, ending, ran, all) {
  const named = await findTestsNotRun(ending, ran);
  const missing = named.filter((test) => all || !isHeavy(test.split(' › ')[0] ?? ''));
  if (missing.length === 0) return result;
  const output = `Named in docs/SPEC-COVERAGE.md, but did not run:\n${missing.join('\n')}`;
  const failures = [...(result.failures ?? []), output];
  return { ...result, failed: result.failed + missing.length, output, failures };
}

/**
 * @template T
 * @param {(file: string, env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T>}
 */
function withReport(work) {
  return withScratchDirectory(async (env) => {
    const directory = await mkdtemp(path.join(env['TMPDIR'] || os.tmpdir(), 'parley-report-'));
    try {
      return await work(path.join(directory, 'report.json'), env);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

/**
 * @param {string} file
 * @param {unknown} [missing] the result if the run wrote no report
 */
async function readReport(file, missing = {}) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? missing : JSON.parse(text);
}
