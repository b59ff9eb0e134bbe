import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import os from 'node:os';
import { findRunningConnection, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

let parent: string;
let embedded: EmbeddedPostgres;

beforeAll(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), 'parley test '));
  await chmod(parent, 0o711);
  embedded = await startEmbeddedPostgres({
    dataDirectory: path.join(parent, 'data'),
    log: pino({ level: 'silent' }),
  });
});

afterAll(async () => {
  await embedded.stop();
  await rm(parent, { recursive: true, force: true });
});

test('letters of every script have upper and lower case, and ILIKE finds them', async () => {
  expect(await row(`select upper('éñæжω'), lower('ÉÑÆЖΩ'), 'ÜBER' ilike 'über', 'ЖУК' ~* 'жук'`)).toEqual([
    'ÉÑÆЖΩ',
    'éñæжω',
    true,
    true,
  ]);
});

test('full text search knows inflections, and trigrams know words of every script', async () => {
  await query('create extension pg_trgm');
  expect(
    await row(`select to_tsvector('english', 'indexes') @@ to_tsquery('english', 'index'),
                      to_tsvector('german', 'Häuser') @@ to_tsquery('german', 'Haus'),
                      similarity('größe', 'grösse') > 0.2`),
  ).toEqual([true, true, true]);
});

test('what is committed is on disk, and every page has a checksum', async () => {
  const names = [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'data_checksums',
    'jit',
    'server_encoding',
  ];
  const values = await Promise.all(names.map((name) => row(`select current_setting('${name}')`)));
  expect(values.flat()).toEqual(['on', 'on', 'on', 'on', 'off', 'UTF8']);
});

test('Parley works as a role that may do nothing outside its own database', async () => {
  expect(
    await row('select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user'),
  ).toEqual([false, false, false]);
});

test('PostgreSQL listens on a socket only, in a folder that is closed to others', async () => {
  expect(await row(`select current_setting('listen_addresses')`)).toEqual(['']);
  expect((await stat(embedded.connection.host)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(embedded.dataDirectory, 'postgresql'))).mode & 0o777).toBe(0o700);
  for (const file of ['passwords.json', 'lock'])
    expect((await stat(path.join(embedded.dataDirectory, file))).mode & 0o777).toBe(0o600);
});

test.each(['parley', 'postgres'])('nobody gets in as %s without the password', async (user) => {
  const client = new pg.Client({ ...embedded.superuser, user, password: 'wrong' });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
  const bare = new pg.Client({ ...embedded.superuser, user, password: '' });
  await expect(bare.connect()).rejects.toThrow('password');
});

test('the log in the data folder tells of errors without what members wrote', async () => {
  await expect(row(`select $1::int`, ['something private'])).rejects.toThrow('invalid input syntax');
  const folder = path.join(embedded.dataDirectory, 'log');
  const files = (await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8'));
  const log = (await Promise.all(files)).join('');
  expect(log).toContain('database system is ready');
  expect(log).toContain('select $1::int');
});

test('a command beside it finds the running database', async () => {
  expect(await findRunningConnection(embedded.dataDirectory)).toEqual(embedded.connection);
  expect(await findRunningConnection(path.join(parent, 'other'))).toBeUndefined();
});

async function row(text: string, values: unknown[] = []): Promise<unknown[]> {
  const rows = await query(text, values);
  return rows[0] ?? [];
}

async function query(text: string, values: unknown[] = []): Promise<unknown[][]> {
  const client = new pg.Client(embedded.connection);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, values, rowMode: 'array' });
    return rows;
  } finally {
    await client.end();
  }
}
