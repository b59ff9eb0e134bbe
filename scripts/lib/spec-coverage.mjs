import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { project } from './project.mjs';

/**
 * A row of docs/SPEC-COVERAGE.md: the number of a rule of docs/product.md, the rule in short, and the tests that prove
 * it. A test is its file and its title, groups included, with ' › ' between the parts. `unproven` is the reason where
 * there is none.
 * @typedef {{ where: string, sentence: string, tests: string[], unproven: string | undefined }} CoverageRow
 */

/**
 * The rows of the table; none if the file does not exist.
 * @returns {Promise<CoverageRow[]>}
 */
export async function readCoverage() {
  const text = await readFile(path.join(project, 'docs/SPEC-COVERAGE.md'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => /^\| \d+\.\d+ \|/u.test(line))
    .map(readRow);
}

/** @param {string} line */
function readRow(line) {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/u);
  const [where = '', sentence = '', proof = ''] = cells.map((cell) => cell.replaceAll('\\|', '|').trim());
  const unproven = /^— not proven: (.+)$/u.exec(proof)?.[1];
  const tests = unproven === undefined ? proof.split('<br>').map((test) => test.replaceAll('`', '')) : [];
  return { where, sentence, tests, unproven };
}

/**
 * The tests of the table in files with this ending that did not run. A title with placeholders such as %s ran if one of
 * its instances did.
 * @param {string} ending such as '.spec.ts'
 * @param {string[]} ran
 */
export async function findTestsNotRun(ending, ran) {
  const named = (await readCoverage()).flatMap(({ tests }) => tests);
  const wanted = [...new Set(named)].filter((test) => test.split(' › ')[0]?.endsWith(ending));
  const plain = new Set(ran);
  return wanted.filter((test) => !plain.has(test) && !ran.some((title) => filledIn(test).test(title)));
}

/** @param {string} template */
function filledIn(template) {
  const parts = template.split(/%[sdifjoO]|\$\{[^}]*\}/u);
  return new RegExp(
    `^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')).join('.*')}$`,
    'su',
  );
}

/**
 * The tests in a report of Vitest's reporter 'json', without skipped ones.
 * @param {{ testResults?: { name: string, assertionResults: { ancestorTitles: string[], title: string, status: string
 * }[] }[] }} report
 */
export function listVitestTests({ testResults = [] }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ ancestorTitles, title }) =>
        [path.relative(project, name), ...ancestorTitles, title].join(' › '),
      ),
  );
}

/**
 * @typedef {{ title: string, tests: { expectedStatus: string }[] }} Spec
 * @typedef {{ title: string, file: string, specs: Spec[], suites?: Suite[] }} Suite
 */

/**
 * The tests in a report of Playwright's reporter 'json', without skipped ones. A test that was only listed counts if it
 * would run.
 * @param {{ suites?: Suite[] }} report
 */
export function listPlaywrightTests({ suites = [] }) {
  return suites.flatMap((suite) => ranInSuite(suite, [`tests/e2e/${suite.file}`]));
}

/**
 * @param {Suite} suite
 * @param {string[]} parts
 * @returns {string[]}
 */
function ranInSuite({ specs, suites = [] }, parts) {
  const ran = specs.filter(({ tests }) => tests.some(({ expectedStatus }) => expectedStatus !== 'skipped'));
  return [
    ...ran.map(({ title }) => [...parts, title].join(' › ')),
    ...suites.flatMap((suite) => ranInSuite(suite, [...parts, suite.title])),
  ];
}
