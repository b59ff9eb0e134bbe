import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { projectRoot } from '#server/core/paths.ts';
import { StartupError } from '#server/core/startup-error.ts';
import { connectDatabase } from '#server/postgres/index.ts';
import { isProcessAlive } from '#server/postgres/embedded-orphan-cleanup.ts';
import { withClient } from '#tests/support/database-client.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { createTestDatabase, runAsAdmin, withDatabase } from '#tests/support/database.ts';
import { startOldPostgres } from '#tests/support/old-postgres.ts';
import {
  eventually,
  isRoot,
  createDirectory,
  unprivilegedUser,
  readPostmasterPid,
  register,
  createPreparedDataDirectory,
  startParley,
  createTemporaryDataDirectory,
  createTemporaryDirectory,
} from '#tests/support/parley.ts';

test('a port in use gives a one-sentence error that names it and says how to choose another', async () => {
  const { port, close } = await takePort();
  const message = await refusal({ PORT: String(port), PARLEY_DATA: await createPreparedDataDirectory() });
  close();
  expect(message).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another port with PORT=, such as PORT=${port + 1}.`,
  );
});

test('an address that this machine does not have gives a one-sentence error', async () => {
  const message = await refusal({ HOST: '192.0.2.1', PARLEY_DATA: await createPreparedDataDirectory() });
  expect(message).toBe('This machine has no address 192.0.2.1. Choose another with HOST=.');
});

test('an invalid configuration is reported line by line', async () => {
  expect(await refusal({ PORT: 'http', SIGN_UP: 'perhaps' })).toBe(
    'The configuration is not valid:\n  PORT must be a whole number from 0 to 65535.\n  SIGN_UP must be on or off.',
  );
});

test('an unreachable database gives a one-sentence error without the password', async () => {
  const message = await refusal({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/ask?password=hunter2' });
  expect(message).toBe(
    'The database at postgres://me@127.0.0.1:1/ask cannot be reached: nothing listens there (ECONNREFUSED).',
  );
});

test('a wrong password gives a one-sentence error without the password', async () => {
  const url = toDatabaseUrl({ ...inject('testServer').user, password: 'hunter2' });
  let log = '';
  const message = await connectionRefusal({ DATABASE_URL: url }, (line) => (log += line));
  expect(message).toMatch(/^The database at postgres:.* cannot be reached: password authentication failed/);
  expect(message + log).not.toContain('hunter2');
});

test('a PostgreSQL older than 15 is rejected', async () => {
  const old = await startOldPostgres();
  const message = await connectionRefusal({ DATABASE_URL: `postgres://me@127.0.0.1:${old.port}/ask` });
  old.close();
  expect(message).toBe(
    `PostgreSQL at postgres://me@127.0.0.1:${old.port}/ask has version 14. Parley needs 15 or newer.`,
  );
});

test('DATABASE_URL serves from that database with full password cost, and does not start PostgreSQL', async () => {
  const { connection, drop } = await createTestDatabase();
  const data = await createTemporaryDataDirectory();
  const parley = startParley({ env: { DATABASE_URL: toDatabaseUrl(connection), PARLEY_DATA: data } });
  expect(await register(await parley.ready, 'Ann')).toBe(201);
  expect(await storedPassword(connection)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  await expect(readPostmasterPid(data)).rejects.toThrow('ENOENT');
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  await drop();
});

test('a data directory that is a file gives a one-sentence error', async () => {
  const file = path.join(await createTemporaryDirectory(), 'file');
  await writeFile(file, '');
  expect(await connectionRefusal({ PARLEY_DATA: file })).toBe(
    `The data directory ${file} cannot be written: it is a file, not a directory. Choose another with PARLEY_DATA.`,
  );
});

test('a data directory that is not writable gives a one-sentence error', async () => {
  const closed = await createDirectory(path.join(await createTemporaryDirectory(), 'closed'), 0o555);
  const data = path.join(closed, 'data');
  expect(await refusal({ PARLEY_DATA: data }, isRoot ? unprivilegedUser : undefined)).toBe(
    `The data directory ${data} cannot be written: no permission. Choose another with PARLEY_DATA.`,
  );
});

test.runIf(existsSync('/proc/self'))(
  'a data directory in /proc, which refuses new directories, gives a one-sentence error',
  async () => {
    for (const directory of ['/proc/none', '/proc'])
      expect(await refusal({ PARLEY_DATA: directory })).toBe(
        `The data directory ${directory} cannot be written: its file system refuses new directories. Choose another with PARLEY_DATA.`,
      );
  },
);

test('a data directory of another PostgreSQL version is rejected and left unchanged', async () => {
  const data = await createTemporaryDataDirectory();
  const cluster = await createDirectory(path.join(data, 'postgresql'));
  await writeFile(path.join(cluster, 'PG_VERSION'), '17\n');
  if (isRoot) await chown(cluster, unprivilegedUser.uid, unprivilegedUser.gid);
  expect(await connectionRefusal({ PARLEY_DATA: data })).toBe(
    `The data directory ${data} was created by PostgreSQL 17, but this Parley contains PostgreSQL 18. Write a backup with the Parley that created it (parley backup), and restore it with this one into another directory (PARLEY_DATA).`,
  );
  expect(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n');
});

test.each([
  ['has no PG_VERSION', { 'base/1/1259': '' }],
  ['has an empty PG_VERSION', { PG_VERSION: '' }],
])('a cluster that %s is rejected, and its passwords stay', async (_, files) => {
  const data = await createTemporaryDataDirectory();
  const cluster = path.join(data, 'postgresql');
  for (const [name, text] of Object.entries(files)) {
    await createDirectory(path.dirname(path.join(cluster, name)));
    await writeFile(path.join(cluster, name), text);
  }
  if (isRoot) await chown(cluster, unprivilegedUser.uid, unprivilegedUser.gid);
  const passwords = '{"postgres":"p1","parley":"p2"}';
  await writeFile(path.join(data, 'passwords.json'), passwords);
  expect(await connectionRefusal({ PARLEY_DATA: data })).toBe(
    `The database in ${cluster} is damaged: its file PG_VERSION is missing or not valid. Restore the directory from a copy, or move it away and restore a backup (parley restore).`,
  );
  expect(await readFile(path.join(data, 'passwords.json'), 'utf8')).toBe(passwords);
});

test('a PostgreSQL that refuses the stored passwords is stopped, and the start fails', async () => {
  const data = await createPreparedDataDirectory();
  await writeFile(path.join(data, 'passwords.json'), '{"postgres":"p1","parley":"p2"}');
  expect(await refusal({ PARLEY_DATA: data })).toBe(
    'The embedded PostgreSQL refuses Parley: password authentication failed for user "postgres".',
  );
  await expect(readPostmasterPid(data)).rejects.toThrow('ENOENT');
});

test('a missing data directory is refused beside backups, because its disk may not be mounted', async () => {
  const data = await createTemporaryDataDirectory();
  const backups = await createTemporaryDirectory();
  await writeFile(path.join(backups, 'parley-scheduled-2026-11-22-0330.backup.tar'), '');
  expect(await refusal({ PARLEY_DATA: data, BACKUP_DIRECTORY: backups })).toBe(
    `There is no community in ${data}, but ${backups} has backups of one. Mount the disk of its data, or restore a backup (parley restore). A new community needs another BACKUP_DIRECTORY.`,
  );
  expect(existsSync(data)).toBe(false);
  // Neither does a command create an empty community, also where the disk would be mounted.
  const cluster = path.join(data, 'postgresql');
  await mkdir(cluster, { recursive: true });
  if (isRoot)
    for (const each of [data, cluster]) await chown(each, unprivilegedUser.uid, unprivilegedUser.gid);
  for (const parameters of [['member', 'list'], ['doctor'], ['backup', path.join(backups, 'new.tar')]]) {
    const { command, output, ended } = startCommand(parameters, {
      PARLEY_DATA: data,
      BACKUP_DIRECTORY: backups,
    });
    await ended;
    expect(command.exitCode).toBe(1);
    expect(output()).toContain(`There is no community in ${data}`);
    expect(await readdir(cluster)).toEqual([]);
  }
});

test('an empty database is refused beside backups, as after a restore that failed', async () => {
  const backups = await createTemporaryDirectory();
  await writeFile(path.join(backups, 'parley-scheduled-2026-11-22-0330.backup.tar'), 'damaged');
  const { admin, user, owner } = inject('testServer');
  const database = `test_empty_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${database} owner ${owner}`);
  onTestFinished(() => runAsAdmin(admin, `drop database ${database} with (force)`));
  const data = await createTemporaryDataDirectory();
  const stores = [{ PARLEY_DATA: data }, { DATABASE_URL: toDatabaseUrl(withDatabase(user, database)) }];
  for (const store of stores) {
    const restore = ['restore', path.join(backups, 'parley-scheduled-2026-11-22-0330.backup.tar')];
    const env = { ...store, BACKUP_DIRECTORY: backups };
    const { output, ended } = startCommand(restore, env);
    await ended;
    expect(output()).toContain('The backup cannot be used.');
    expect(await refusal(env)).toMatch(
      /^The database in .* is empty, but .* has backups of a community\. Restore one \(parley restore\), or correct the settings\. A new community needs another BACKUP_DIRECTORY\.$/,
    );
    const settings = startCommand(['settings', 'list'], env);
    await settings.ended;
    expect(settings.output()).toContain('Restore one (parley restore)');
  }
});

test('an interrupted command stops the PostgreSQL that it started', async () => {
  const data = await createPreparedDataDirectory();
  const { command, ended } = startCommand(['member', 'list'], { PARLEY_DATA: data });
  let pid = 0;
  // Often, because the command ends by itself after a moment.
  for (; pid === 0; await delay(5)) pid = await readPostmasterPid(data).catch(() => 0);
  command.kill('SIGINT');
  await ended;
  expect(isProcessAlive(pid)).toBe(false);
});

test('a command in a data directory without a community says that it creates one', async () => {
  const data = await createTemporaryDataDirectory();
  const { command, ended } = startCommand(['settings', 'list'], { PARLEY_DATA: data });
  const [line] = (await once(command.stderr, 'data')) as [Buffer];
  expect(line.toString()).toBe(`There is no community in ${data} yet. Creating its database …\n`);
  command.kill('SIGINT');
  await ended;
});

test('a database newer than this Parley gives a one-sentence error', async () => {
  const { connection, drop } = await createTestDatabase();
  await runAsAdmin(connection, `insert into migration (name, checksum) values ('9999_later.sql', '')`);
  const message = await refusal({
    DATABASE_URL: toDatabaseUrl(connection),
    PARLEY_DATA: await createTemporaryDataDirectory(),
  });
  expect(message).toMatch(
    /^The database has the migration 9999_later.sql, which this version of Parley does not contain/,
  );
  await drop();
});

test('a start that was killed while it created the database is repaired by the next start', async () => {
  const data = await createTemporaryDataDirectory();
  const first = startParley({ env: { PARLEY_DATA: data } });
  const halfMade = async () => {
    const names = await readdir(data).catch(() => []);
    const half = names.find((name) => name.startsWith('postgresql.new-'));
    return half !== undefined && existsSync(path.join(data, half, 'cluster/PG_VERSION'));
  };
  await eventually(halfMade);
  first.signal('SIGKILL');
  await first.ended;
  const second = startParley({ env: { PARLEY_DATA: data } });
  expect((await fetch(`${await second.ready}/api/session`)).status).toBe(200);
});

test('a postmaster.pid whose process id now belongs to another program does not prevent a start', async () => {
  const data = await createPreparedDataDirectory();
  const first = startParley({ env: { PARLEY_DATA: data } });
  await first.ready;
  const file = path.join(data, 'postgresql/postmaster.pid');
  const lines = (await readFile(file, 'utf8')).split('\n');
  first.signal('SIGTERM');
  await first.ended;
  await writeFile(file, [process.pid, ...lines.slice(1)].join('\n'));
  const second = startParley({ env: { PARLEY_DATA: data } });
  expect((await fetch(`${await second.ready}/api/session`)).status).toBe(200);
});

test('a data directory whose path is a symbolic link, has spaces and 150 characters works', async () => {
  const long = path.join(
    await createTemporaryDirectory(),
    `it's a "long" path, ${'ä'.repeat(60)}`,
    'b'.repeat(70),
  );
  await mkdir(long, { recursive: true });
  const link = path.join(await createTemporaryDirectory(), 'link to data');
  await symlink(long, link);
  const parley = startParley({ env: { PARLEY_DATA: link } });
  expect((await fetch(`${await parley.ready}/api/session`)).status).toBe(200);
  const postmaster = await readPostmasterPid(link);
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  expect(isProcessAlive(postmaster)).toBe(false);
});

/** Starts a command as `npm run parley` does. */
function startCommand(parameters: string[], env: NodeJS.ProcessEnv) {
  const program = path.join(projectRoot, 'src/server/cli-main.ts');
  const command = spawn(process.execPath, [program, ...parameters], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [command.stdout, command.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { command, ended: once(command, 'close'), output: () => output };
}

/** Starts Parley, expects exit code 1, and returns its whole output. */
async function refusal(env: NodeJS.ProcessEnv, user?: { uid: number; gid: number }): Promise<string> {
  const parley = startParley({ env, ...(user && { user }) });
  const code = await parley.ended;
  expect(parley.output()).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
  return parley.output().trimEnd();
}

/**
 * The refusal of the first step of a start, without the 0.9 s of processor time of a process. The command prints it as
 * every other refusal.
 */
async function connectionRefusal(
  env: NodeJS.ProcessEnv,
  write: (line: string) => void = () => {},
): Promise<string> {
  const log = pino({ level: 'trace' }, { write });
  const refused = await connectDatabase(readConfig(env), log, new AbortController().signal).then(
    ({ stop }) => stop(),
    (error: unknown) => error,
  );
  if (!(refused instanceof StartupError)) throw refused ?? new Error('the database was not refused');
  return refused.message;
}

/** The single password hash in a database. */
async function storedPassword(connection: pg.ClientConfig): Promise<string> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ password: string }>('select password from account'),
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.password ?? '';
}

async function takePort(): Promise<{ port: number; close: () => void }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => void server.close(),
  };
}
