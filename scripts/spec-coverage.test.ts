import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ranInPlaywright, readCoverage } from './lib/coverage.mjs';

const project = path.dirname(import.meta.dirname);
const run = promisify(execFile);
const rows = await readCoverage();

/** The parts of the specification that say what must hold, and the numbered decisions. */
const places = [
  ...['Routes', '/', '/login', '/register', '/profile', '/question', '/ask', '/search', '/topics'].map(
    (route) => `SPEC 2 ${route}`,
  ),
  ...['/following', '/notifications', 'Layout'].map((route) => `SPEC 2 ${route}`),
  ...['users', 'questions', 'answers', 'replies', 'notifications'].map((entity) => `SPEC 3 ${entity}`),
  ...['Auth', 'Vote', 'Follow question', 'Follow topic', 'Notification', 'View', 'Deleting', 'Posting'].map(
    (state) => `SPEC 4 ${state}`,
  ),
  ...['Register', 'Ask', 'Answer', 'Reply', 'Other'].map((rules) => `SPEC 5 ${rules}`),
  'SPEC 6',
  ...['Authentication', 'users', 'questions', 'answers', 'replies', 'notifications'].map(
    (calls) => `SPEC 7 ${calls}`,
  ),
  ...['Sign-up', 'Login', 'Other'].map((errors) => `SPEC 8 ${errors}`),
  'SPEC 9',
  ...[4, 6, 5, 4, 7, 5, 2, 6].flatMap((count, index) =>
    Array.from({ length: count }, (_, point) => `DECISIONS ${index + 1}.${point + 1}`),
  ),
  ...['/login', '/register', 'top bar', 'sidebar', 'question card', '/ask', '/question', 'confirmations'].map(
    (place) => `DECISIONS 9 ${place}`,
  ),
  ...['/search', '/topics', '/following', '/profile', 'bell menu', 'messages'].map(
    (place) => `DECISIONS 9 ${place}`,
  ),
];

describe('docs/SPEC-COVERAGE.md', () => {
  test('has a row for every part of the specification and every decision, and none for others', () => {
    expect([...new Set(rows.map(({ where }) => where))].toSorted()).toEqual(places.toSorted());
  });

  test('names a test for every sentence, or the reason why there is none', () => {
    const empty = rows.filter(({ tests, unproven }) => unproven === undefined && tests.join('') === '');
    expect(empty).toEqual([]);
  });

  test('names only tests that exist under exactly that title and are not skipped', async () => {
    const there = new Set([...(await serverTests()), ...(await browserTests())]);
    const gone = rows.flatMap(({ tests }) => tests).filter((name) => !there.has(name));
    expect(there.size).toBeGreaterThan(400);
    expect([...new Set(gone)]).toEqual([]);
  });
});

async function serverTests(): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-coverage-'));
  const list = path.join(folder, 'tests.json');
  try {
    await node('node_modules/vitest/vitest.mjs', 'list', `--json=${list}`);
    const listed = JSON.parse(await readFile(list, 'utf8')) as { name: string; file: string }[];
    return listed.map(({ name, file }) =>
      // The list has titles as they stand in the source: quotes behind a backslash, and groups before ' > '.
      [path.relative(project, file), ...name.replaceAll(/\\(["'`])/gu, '$1').split(' > ')].join(' › '),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function browserTests(): Promise<string[]> {
  const { stdout } = await node('node_modules/@playwright/test/cli.js', 'test', '--list', '--reporter=json');
  return ranInPlaywright(JSON.parse(stdout) as Parameters<typeof ranInPlaywright>[0]);
}

function node(...parameters: string[]) {
  return run(process.execPath, parameters, { cwd: project, maxBuffer: 64 * 1024 * 1024 });
}
