import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  register,
  startParley,
  createTemporaryDataDirectory,
  createTemporaryDirectory,
} from '#tests/support/parley.ts';
import { ApiClient, password } from '#tests/support/member.ts';
import { type Database, openDatabase } from './database.ts';
import { type SecretOptions, getOrCreateSecret } from './secret.ts';

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ connection: database.connection });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const given = 'a secret of the environment, long enough for one';

/** The secret that one start uses, and the warnings it logs. */
async function start(options: Partial<SecretOptions> = {}) {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const defaults = {
    configured: undefined,
    dataDirectory: await createTemporaryDirectory(),
    removesFile: true,
  };
  return { secret: await getOrCreateSecret(db, { ...defaults, log, ...options }), warnings };
}

test('shares one secret between nodes that start at the same time on an empty database', async () => {
  const starts = await Promise.all(Array.from({ length: 8 }, () => start()));
  expect(new Set(starts.map(({ secret }) => secret)).size).toBe(1);
  expect(starts[0]?.secret).toMatch(/^[\w-]{43}$/);
  expect((await start()).secret).toBe(starts[0]?.secret);
  expect(starts.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test('takes over the secret file of an older data directory and deletes the file', async () => {
  const dataDirectory = await createTemporaryDirectory();
  const file = path.join(dataDirectory, 'secret');
  await writeFile(file, 'stored-at-the-first-start\n');
  expect((await start({ dataDirectory })).secret).toBe('stored-at-the-first-start');
  await expect(readFile(file)).rejects.toThrow('ENOENT');
  expect((await start({ dataDirectory })).secret).toBe('stored-at-the-first-start');
});

test('leaves the secret file if its directory belongs to another database or the secret differs', async () => {
  const dataDirectory = await createTemporaryDirectory();
  const file = path.join(dataDirectory, 'secret');
  await writeFile(file, 'stored-at-the-first-start\n');
  expect((await start({ dataDirectory, configured: given })).secret).toBe(given);
  expect((await start({ dataDirectory, removesFile: false })).secret).toBe('stored-at-the-first-start');
  await writeFile(file, 'of-another-time\n');
  expect((await start({ dataDirectory })).secret).toBe('stored-at-the-first-start');
  expect(await readFile(file, 'utf8')).toBe('of-another-time\n');
});

test('prefers SECRET and does not store it in the database', async () => {
  const made = await start();
  expect((await start({ configured: given })).secret).toBe(given);
  const { rows } = await sql`select * from setting`.execute(db);
  expect(JSON.stringify(rows)).not.toContain(given);
  expect((await start()).secret).toBe(made.secret);
});

test('warns once about a secret that differs from the last start', async () => {
  await start();
  const changed = await start({ configured: given });
  expect(changed.warnings).toHaveLength(1);
  expect(changed.warnings[0]).toContain(
    'Set the same SECRET on every Parley that shares the database, or on none.',
  );
  expect(changed.warnings[0]).not.toContain(given);
  expect((await start({ configured: given })).warnings).toEqual([]);
  expect((await start()).warnings).toHaveLength(1);
});

test('warns on one of two nodes that start at the same time with different secrets', async () => {
  const starts = await Promise.all([
    start({ configured: given }),
    start({ configured: `${given}, but another` }),
  ]);
  expect(starts.flatMap(({ warnings }) => warnings)).toHaveLength(1);
});

test('keeps members signed in when the secret moves from the data directory to the database', async () => {
  const data = await createTemporaryDataDirectory();
  // As an older version left it: a secret in the directory, and cookies signed with it.
  const env = { PARLEY_DATA: data, SECRET: 'the secret of the data directory, from before' };
  const before = startParley({ env });
  expect(await register(await before.ready, 'Ada')).toBe(201);
  const ada = new ApiClient(await before.ready);
  await ada.signIn('ada@example.org', password);
  before.signal('SIGTERM');
  await before.ended;
  await writeFile(path.join(data, 'secret'), `${env.SECRET}\n`);

  const after = startParley({ env: { PARLEY_DATA: data } });
  const there = new ApiClient(await after.ready);
  there.cookies = ada.cookies;
  expect((await there.get('/session')).body).toMatchObject({ member: { displayName: 'Ada' } });
  await expect(readFile(path.join(data, 'secret'))).rejects.toThrow('ENOENT');
  expect(after.output()).not.toContain('secret for session cookies');
});
