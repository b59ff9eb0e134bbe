import path from 'node:path';
import { listVitestTests } from './spec-coverage.mjs';
import { countResults, formatFailure } from './failures.mjs';
import { project } from './project.mjs';

/**
 * @typedef {{ ancestorTitles: string[], title: string, fullName: string, status: string, failureMessages?: string[] | null }} TestReport
 * @typedef {{ name: string, status: string, message?: string, assertionResults: TestReport[] }} FileReport
 * A run of Vitest: its exit code, the report of its reporter 'json', and the errors outside of tests.
 * @typedef {{
 *   code: number, report: { testResults?: FileReport[] }, unhandled: { file?: string, error?: string }[]
 * }} VitestRun
 */

/**
 * The files with a failed test, a failed hook or an unhandled error. Paths are relative to the project.
 * @param {VitestRun} run
 */
export function filesToRunAgain({ report, unhandled }) {
  const failed = (report.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name);
  const interrupted = unhandled.flatMap(({ file }) => (file === undefined ? [] : [file]));
  return [...new Set([...failed, ...interrupted])].map((file) => path.relative(project, file));
}

/**
 * Combines a run and, if something failed, the second run of the files with failures into one result. A file's last run
 * decides. A failure that did not repeat is flaky. An unhandled error without a file is not repeated and fails.
 * @param {VitestRun[]} runs one or two
 */
export function combineVitestRuns(runs) {
  const last = runs.at(-1);
  const files = new Map(
    runs.flatMap(({ report }) => (report.testResults ?? []).map((file) => [file.name, file])),
  );
  const tests = [...files.values()].flatMap(({ assertionResults }) => assertionResults);
  const failures = last === undefined ? [] : failuresIn(last);
  const lost = runs
    .slice(0, -1)
    .flatMap(({ unhandled }) => unhandled.filter(({ file }) => file === undefined));
  failures.push(...lost.map(({ error }) => formatFailure('unhandled error', error)));
  const again = new Set(failures.map(titleOf));
  const flaky = runs
    .slice(0, -1)
    .flatMap(failuresIn)
    .filter((failure) => !again.has(titleOf(failure)));
  const count = (/** @type {string} */ status) => tests.filter((test) => test.status === status).length;
  const passed = count('passed');
  const failed = count('failed');
  const skipped = tests.length - passed - failed;
  return {
    ...countResults(lost.length > 0 ? 1 : (last?.code ?? 1), passed, failed + lost.length, skipped),
    failures,
    flaky,
    ran: listVitestTests({ testResults: [...files.values()] }),
  };
}

/** @param {string} failure */
function titleOf(failure) {
  return failure.split('\n')[0];
}

/**
 * @param {VitestRun} run
 * @returns {string[]}
 */
function failuresIn({ report, unhandled }) {
  const failed = (report.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(project, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [formatFailure(file, message)] : [];
    return tests.map(({ fullName, failureMessages }) =>
      formatFailure(`${file} › ${fullName}`, failureMessages?.join('\n')),
    );
  });
  const outside = unhandled.map(({ file, error }) =>
    formatFailure(
      file === undefined ? 'unhandled error' : `${path.relative(project, file)} › unhandled error`,
      error,
    ),
  );
  return [...failed, ...outside];
}
