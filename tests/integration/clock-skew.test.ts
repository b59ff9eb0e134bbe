import { projectRoot } from '#server/core/paths.ts';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { ApiClient, password, register } from '#tests/support/member.ts';
import { type ParleyProcess, spawnParley } from '#tests/support/parley-process.ts';

const hours = 2;

let database: TestDatabase;
const nodes: ParleyProcess[] = [];
/** The addresses of a node with the right clock and of one whose clock is two hours ahead. */
let right: string;
let ahead: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: toDatabaseUrl(database.connection), LOG_LEVEL: 'info' };
  const preload = path.join(projectRoot, 'tests/support/skewed-clock.ts');
  const skewed = { NODE_OPTIONS: `--import=${preload}`, SKEWED_BY: String(hours * 3_600_000) };
  nodes.push(spawnParley({ env }), spawnParley({ env: { ...env, ...skewed } }));
  [right = '', ahead = ''] = await Promise.all(nodes.map((node) => node.ready));
});
afterAll(async () => {
  for (const node of nodes) node.signal('SIGTERM');
  await Promise.all(nodes.map((node) => node.ended));
  await database.drop();
});

test('sign-in is limited after five wrong passwords on two nodes whose clocks differ by two hours', async () => {
  const { email } = await register(right, 'Ada');
  const codes: (string | undefined)[] = [];
  for (const address of [right, ahead, right, ahead, right, ahead, right])
    codes.push((await new ApiClient(address).signIn(email, 'guess')).kind);
  expect(codes).toEqual([...Array.from({ length: 5 }, () => 'wrong-password'), 'too-many', 'too-many']);
  expect(await new ApiClient(ahead).signIn(email, password)).toMatchObject({ status: 429 });
});

test('a node with a wrong clock reports it in its log and at /readyz, and the other node does not', async () => {
  const message = "This machine's clock is 7200 s ahead of the database's.";
  expect(nodes[1]?.output()).toContain(message);
  expect(nodes[0]?.output()).not.toContain('clock');
  expect(await (await fetch(`${right}/readyz`)).text()).toBe('ready\n');
  const wrong = await fetch(`${ahead}/readyz`);
  expect(wrong.status).toBe(200);
  expect(await wrong.text()).toMatch(/^ready\nThis machine's clock is 7200 s ahead/);
});
