import { stripVTControlCharacters } from 'node:util';

/** How many lines of an error are repeated at the end of a run. */
const lines = 25;

/**
 * Counts a run that failed without a failed test (it did not start, or it was aborted) as one failure.
 * @param {number} code
 * @param {number} passed
 * @param {number} failed
 * @param {number} skipped
 */
export function countResults(code, passed, failed, skipped) {
  const failures = failed || 0;
  return {
    passed: passed || 0,
    failed: code === 0 ? failures : Math.max(1, failures),
    skipped: skipped || 0,
  };
}

/**
 * @typedef {'expected' | 'unexpected' | 'flaky' | 'skipped'} Outcome
 * @typedef {{ status: Outcome, results: { error?: { message?: string, stack?: string } }[] }} RunTest
 * @typedef {{ title: string, tests: RunTest[] }} Spec
 * @typedef {{ title: string, file: string, specs: Spec[], suites?: Suite[] }} Suite
 */

/**
 * The tests with this outcome in a report of Playwright's reporter 'json', each with its first error. An error outside
 * a test counts as 'unexpected'.
 * @param {{ suites?: Suite[], errors?: { message?: string }[] }} report
 * @param {Outcome} outcome
 */
export function listPlaywrightFailures({ suites = [], errors = [] }, outcome) {
  return [
    ...(outcome === 'unexpected' ? errors.map(({ message }) => formatFailure('e2e', message)) : []),
    ...suites.flatMap((suite) => failedInSuite(suite, [`tests/e2e/${suite.file}`], outcome)),
  ];
}

/**
 * @param {Suite} suite
 * @param {string[]} parts
 * @param {Outcome} outcome
 * @returns {string[]}
 */
function failedInSuite({ specs, suites = [] }, parts, outcome) {
  const failed = specs.filter(({ tests }) => tests.some(({ status }) => status === outcome));
  return [
    ...failed.map(({ title, tests }) => {
      const errors = tests.flatMap(({ results }) =>
        results.map(({ error }) => error?.stack ?? error?.message),
      );
      return formatFailure(
        [...parts, title].join(' › '),
        errors.find((error) => error !== undefined),
      );
    }),
    ...suites.flatMap((suite) => failedInSuite(suite, [...parts, suite.title], outcome)),
  ];
}

/**
 * Formats a test and the first lines of its error, indented.
 * @param {string} what
 * @param {string | undefined} error
 */
export function formatFailure(what, error = '') {
  const text = stripVTControlCharacters(error).trim().split('\n').slice(0, lines);
  return [what, ...text.map((line) => `    ${line}`)].join('\n').trimEnd();
}
