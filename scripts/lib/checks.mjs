import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from './browser.mjs';
import { buildWeb } from './build.mjs';
import { runInForeground, runCaptured } from './child-process.mjs';
import { findTestsNotRun, listPlaywrightTests } from './spec-coverage.mjs';
import { countResults, listPlaywrightFailures } from './failures.mjs';
import { ensurePgBouncer, findPostgresPrograms } from './postgresql.mjs';
import { getPackageDirectory, getPinnedNode } from './project.mjs';
import { withScratchDirectory } from './scratch-directory.mjs';
import { heavyFiles, isHeavy } from './tiers.mjs';
import { combineVitestRuns, filesToRunAgain } from './vitest-runs.mjs';

/**
 * What a check found. `skipped` tests did not run. `failures` and `flaky` are repeated at the end of the run: each entry
 * is a test and its error. A flaky test failed once and passed when it ran again; it counts as passed.
 * @typedef {{
 *   passed: number, failed: number, skipped: number, output?: string, failures?: readonly string[],
 *   flaky?: readonly string[]
 * }} Result
 * What of the tests runs: the files whose names contain one of `filters`, of both tiers, or where there are none, the fast
 * tier, with `all` the heavy one as well.
 * @typedef {{ filters: string[], all: boolean }} Wanted
 * `alone` keeps all processors busy by itself, and begins when the others are done.
 * @typedef {{
 *   name: string, explains: string, needs?: string, alone?: boolean, run: (wanted: Wanted) => Promise<Result>
 * }} Check
 */

/**
 * Every check, the fast ones first.
 * @type {Check[]}
 */
export const checks = [
  {
    name: 'format',
    explains: 'files are formatted (oxfmt)',
    run: () => runTool('oxfmt', 'bin/oxfmt', ['--check']),
  },
  {
    name: 'lint',
    explains: 'the rules of the house hold (oxlint)',
    run: () => runTool('oxlint', 'bin/oxlint', ['--type-aware', '--deny-warnings']),
  },
  { name: 'types', explains: 'types fit (tsc)', run: () => runTool('typescript', 'bin/tsc', ['-b']) },
  {
    name: 'unused',
    explains: 'no file, export or dependency is unused (knip)',
    run: () => runTool('knip', 'bin/knip.js', []),
  },
  { name: 'build', explains: 'the browser part builds (vite)', run: buildBrowserPart },
  {
    name: 'server',
    explains: 'the tests against a real PostgreSQL (vitest)',
    alone: true,
    run: serverTests,
  },
  {
    name: 'browser',
    explains: 'the tests in a real browser (playwright)',
    needs: 'build',
    alone: true,
    run: browserTests,
  },
];

const success = { passed: 1, failed: 0, skipped: 0 };

/**
 * @param {string} name of the package
 * @param {string} file in it
 * @param {string[]} parameters
 * @returns {Promise<Result>}
 */
async function runTool(name, file, parameters) {
  const { code, output } = await runCaptured(getPinnedNode(), [
    path.join(getPackageDirectory(name), file),
    ...parameters,
  ]);
  return code === 0 ? success : { passed: 0, failed: 1, skipped: 0, output };
}

async function buildBrowserPart() {
  await buildWeb();
  return success;
}

/**
 * Runs the tests. Runs each file with a failure once more, by itself: it gets a new database, and a failed hook or an
 * unhandled error is repeated like a failed test.
 * @param {Wanted} wanted
 * @returns {Promise<Result>}
 */
async function serverTests({ filters, all }) {
  const isComplete = filters.length === 0;
  const wants = (/** @type {string} */ word) =>
    isComplete ? all : filters.some((filter) => filter.includes(word));
  const programs = wants('replica') ? await findPostgresPrograms() : undefined;
  if (wants('pgbouncer')) await ensurePgBouncer();
  const left = isComplete && !all ? heavyFiles.map((pattern) => `--exclude=${pattern}`) : [];
  const env = { ...(programs !== undefined && { PARLEY_POSTGRES_PROGRAMS: programs }) };
  const first = await runVitest([...left, ...filters], env);
  const files = filesToRunAgain(first);
  const runs = [first];
  if (files.length > 0) {
    console.log(`\nRunning again what failed:\n${files.join('\n')}`);
    runs.push(await runVitest(files, env));
  }
  const { ran, ...result } = combineVitestRuns(runs);
  return isComplete ? covered(result, '.test.ts', ran, all) : result;
}

/**
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} given
 * @returns {Promise<import('./vitest-runs.mjs').VitestRun>}
 */
function runVitest(parameters, given) {
  return withReport(async (report, scratch) => {
    const unhandled = `${report}.unhandled`;
    const env = { ...scratch, ...given, PARLEY_UNHANDLED_ERRORS: unhandled };
    const vitest = path.join(getPackageDirectory('vitest'), 'vitest.mjs');
    const reporters = [
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${path.join(import.meta.dirname, 'unhandled-errors.mjs')}`,
    ];
    const code = await runInForeground(getPinnedNode(), [vitest, 'run', ...reporters, ...parameters], {
      env,
    });
    return { code, report: await readReport(report), unhandled: await readReport(unhandled, []) };
  });
}

/**
 * @param {Wanted} wanted
 * @returns {Promise<Result>}
 */
async function browserTests({ filters, all }) {
  const isComplete = filters.length === 0;
  const projects = isComplete && !all ? ['--project=longest', '--project=others'] : [];
  const browser = await findBrowser();
  return withReport(async (report, given) => {
    const playwright = path.join(getPackageDirectory('@playwright/test'), 'cli.js');
    const env = { ...given, PARLEY_CHROMIUM: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: report };
    const parameters = [playwright, 'test', '--reporter=list,json', ...projects, ...filters];
    const code = await runInForeground(getPinnedNode(), parameters, { env });
    const found = await readReport(report);
    const { stats = {} } = found;
    const result = {
      ...countResults(code, stats.expected + stats.flaky, stats.unexpected, stats.skipped),
      failures: listPlaywrightFailures(found, 'unexpected'),
      flaky: listPlaywrightFailures(found, 'flaky'),
    };
    return isComplete ? covered(result, '.spec.ts', listPlaywrightTests(found), all) : result;
  });
}

/**
 * A test that is said to prove a sentence of the specification, and did not run, counts as a failure.
 * @param {Result} result
 * @param {string} ending of the files that the tests are in
 * @param {string[]} ran
 * @param {boolean} all whether the heavy tier ran as well
 * @returns {Promise<Result>}
 */
async function covered(result, ending, ran, all) {
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
    const folder = await mkdtemp(path.join(env['TMPDIR'] || os.tmpdir(), 'parley-report-'));
    try {
      return await work(path.join(folder, 'report.json'), env);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/**
 * @param {string} file
 * @param {unknown} [missing] what a run that wrote no report gives
 */
async function readReport(file, missing = {}) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? missing : JSON.parse(text);
}
