import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { project } from './project.mjs';

/** Lines of an error that are repeated; the whole of it stands where the test ran. */
const lines = 25;

/**
 * The tests that failed, and the files that could not be run, each with its error, by a report of Vitest's reporter
 * 'json'.
 * @param {{ testResults?: {
 *   name: string, status: string, message?: string,
 *   assertionResults: { fullName: string, status: string, failureMessages?: string[] | null }[]
 * }[] }} report
 */
export function failedInVitest({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(project, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [told(file, message)] : [];
    return failed.map(({ fullName, failureMessages }) =>
      told(`${file} › ${fullName}`, failureMessages?.join('\n')),
    );
  });
}

/**
 * @typedef {{ results: { error?: { message?: string, stack?: string } }[] }} RunTest
 * @typedef {{ title: string, ok: boolean, tests: RunTest[] }} Spec
 * @typedef {{ title: string, file: string, specs: Spec[], suites?: Suite[] }} Suite
 */

/**
 * The same by a report of Playwright's reporter 'json'.
 * @param {{ suites?: Suite[], errors?: { message?: string }[] }} report
 */
export function failedInPlaywright({ suites = [], errors = [] }) {
  return [
    ...errors.map(({ message }) => told('e2e', message)),
    ...suites.flatMap((suite) => failedInSuite(suite, [`e2e/${suite.file}`])),
  ];
}

/**
 * @param {Suite} suite
 * @param {string[]} parts
 * @returns {string[]}
 */
function failedInSuite({ specs, suites = [] }, parts) {
  const failed = specs.filter(({ ok }) => !ok);
  return [
    ...failed.map(({ title, tests }) => {
      const errors = tests.flatMap(({ results }) =>
        results.map(({ error }) => error?.stack ?? error?.message),
      );
      return told(
        [...parts, title].join(' › '),
        errors.find((error) => error !== undefined),
      );
    }),
    ...suites.flatMap((suite) => failedInSuite(suite, [...parts, suite.title])),
  ];
}

/**
 * @param {string} what
 * @param {string | undefined} error
 */
function told(what, error = '') {
  const text = stripVTControlCharacters(error).trim().split('\n').slice(0, lines);
  return [what, ...text.map((line) => `    ${line}`)].join('\n').trimEnd();
}
