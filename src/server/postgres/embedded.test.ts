import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
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
  // As an interrupted first start leaves it.
  await mkdir(path.join(parent, 'data'), { mode: 0o711 });
  await writeFile(path.join(parent, 'data', 'passwords.json'), '{"postgres":"p1","parley":"p2"}', {
    mode: 0o600,
  });
  embedded = await startEmbeddedPostgres({
    dataDirectory: path.join(parent, 'data'),
    log: pino({ level: 'silent' }),
  });
});

afterAll(async () => {
  await embedded.stop();
  await rm(parent, { recursive: true, force: true });
});

test('handles upper and lower case of every script, in ILIKE too', async () => {
  expect(await row(`select upper('éñæжω'), lower('ÉÑÆЖΩ'), 'ÜBER' ilike 'über', 'ЖУК' ~* 'жук'`)).toEqual([
    'ÉÑÆЖΩ',
    'éñæжω',
    true,
    true,
  ]);
});

test('searches full text by inflection, and trigrams in every script', async () => {
  await query('create extension pg_trgm');
  expect(
    await row(`select to_tsvector('english', 'indexes') @@ to_tsquery('english', 'index'),
                      to_tsvector('german', 'Häuser') @@ to_tsquery('german', 'Haus'),
                      similarity('größe', 'grösse') > 0.2`),
  ).toEqual([true, true, true]);
});

test('writes commits to disk and has a checksum on every page', async () => {
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

test('connects Parley as a role without rights outside its own database', async () => {
  expect(
    await row('select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user'),
  ).toEqual([false, false, false]);
});

test('lets PostgreSQL listen only on a socket in a private directory', async () => {
  expect(await row(`select current_setting('listen_addresses')`)).toEqual(['']);
  expect((await stat(embedded.connection.host)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(embedded.dataDirectory, 'postgresql'))).mode & 0o777).toBe(0o700);
  for (const file of ['passwords.json', 'lock'])
    expect((await stat(path.join(embedded.dataDirectory, file))).mode & 0o777).toBe(0o600);
});

test.each(['parley', 'postgres'])('refuses a connection as %s without the password', async (user) => {
  const client = new pg.Client({ ...embedded.superuser, user, password: 'wrong' });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
  const bare = new pg.Client({ ...embedded.superuser, user, password: '' });
  await expect(bare.connect()).rejects.toThrow('password');
});

test('logs errors in the data directory without texts of members', async () => {
  await expect(row(`select $1::int`, ['something private'])).rejects.toThrow('invalid input syntax');
  const directory = path.join(embedded.dataDirectory, 'log');
  const files = (await readdir(directory)).map((name) => readFile(path.join(directory, name), 'utf8'));
  const log = (await Promise.all(files)).join('');
  expect(log).toContain('database system is ready');
  expect(log).toContain('select $1::int');
});

test('creates the cluster with the stored passwords, which may be those of a cluster that is not mounted', async () => {
  expect(embedded.superuser.password).toBe('p1');
  expect(embedded.connection.password).toBe('p2');
});

test('lets another command find the running database', async () => {
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

test('says in one sentence why the file of the running instance cannot be written', async () => {
  const root = path.join(parent, 'unwritable');
  await mkdir(path.join(root, 'instance.json.new'), { recursive: true });
  await expect(
    startEmbeddedPostgres({ dataDirectory: root, log: pino({ level: 'silent' }) }),
  ).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(`The data directory ${root} cannot be written: `),
  });
});
