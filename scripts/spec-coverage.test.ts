import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCoverage } from './lib/spec-coverage.mjs';

const project = path.dirname(import.meta.dirname);
const rows = await readCoverage();

/** The numbers of the rules of docs/product.md, such as '7.2'. */
async function rulesOfProduct(): Promise<string[]> {
  const text = await readFile(path.join(project, 'docs/product.md'), 'utf8');
  let section = '';
  return text.split('\n').flatMap((line) => {
    section = /^## (\d+)\. /u.exec(line)?.[1] ?? section;
    const rule = /^(\d+)\. /u.exec(line)?.[1];
    return rule === undefined ? [] : [`${section}.${rule}`];
  });
}

describe('docs/SPEC-COVERAGE.md', () => {
  test('has a row for every rule of docs/product.md and no others', async () => {
    const rules = await rulesOfProduct();
    expect(rules.length).toBeGreaterThan(100);
    expect([...new Set(rows.map(({ where }) => where))].toSorted()).toEqual(rules.toSorted());
  });

  test('names a test for every rule, or the reason why there is none', () => {
    const empty = rows.filter(({ tests, unproven }) => unproven === undefined && tests.join('') === '');
    expect(empty).toEqual([]);
  });

  // The test run fails for titles that did not run (findTestsNotRun), in the fast tier without those of the heavy one.
  test('names only titles that their files contain', async () => {
    const named = [...new Set(rows.flatMap(({ tests }) => tests))];
    expect(named.length).toBeGreaterThan(400);
    const missing = [];
    for (const name of named) {
      const [file = '', ...titles] = name.split(' › ');
      const source = existsSync(path.join(project, file)) ? await readTexts(file) : '';
      if (titles.length === 0 || titles.some((title) => !source.includes(title))) missing.push(name);
    }
    expect(missing).toEqual([]);
  });
});

/** A source file, with the quotes in its texts as the table has them. */
async function readTexts(file: string): Promise<string> {
  return (await readFile(path.join(project, file), 'utf8')).replaceAll(/\\(["'`])/gu, '$1');
}
