import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { listPlaywrightTests, readCoverage } from './lib/spec-coverage.mjs';

const project = path.dirname(import.meta.dirname);
const run = promisify(execFile);
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

  test('names only tests that exist under exactly that title and are not skipped', async () => {
    const existing = new Set([...(await serverTests()), ...(await browserTests())]);
    const missing = rows.flatMap(({ tests }) => tests).filter((name) => !existing.has(name));
    expect(existing.size).toBeGreaterThan(400);
    expect([...new Set(missing)]).toEqual([]);
  });
});

async function serverTests(): Promise<string[]> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-coverage-'));
  const list = path.join(directory, 'tests.json');
  try {
    await node('node_modules/vitest/vitest.mjs', 'list', `--json=${list}`);
    const listed = JSON.parse(await readFile(list, 'utf8')) as { name: string; file: string }[];
    return listed.map(({ name, file }) =>
      // The table has titles as in the source: with escaped quotes, and groups before ' > '.
      [path.relative(project, file), ...name.replaceAll(/\\(["'`])/gu, '$1').split(' > ')].join(' › '),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function browserTests(): Promise<string[]> {
  const { stdout } = await node('node_modules/@playwright/test/cli.js', 'test', '--list', '--reporter=json');
  return listPlaywrightTests(JSON.parse(stdout) as Parameters<typeof listPlaywrightTests>[0]);
}

function node(...parameters: string[]) {
  return run(process.execPath, parameters, { cwd: project, maxBuffer: 64 * 1024 * 1024 });
}
