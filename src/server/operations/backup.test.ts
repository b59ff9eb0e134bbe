import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { migrationsDirectory } from '#server/core/paths.ts';
import { withClient } from '#tests/support/database-client.ts';
import { runAsAdmin, type TestDatabase, withDatabase } from '#tests/support/database.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { createTemporaryDirectory, eventually, isRoot, unprivilegedUser } from '#tests/support/parley.ts';
import { startServerOn, startTestServer } from '#tests/support/server.ts';
import { registerBackupCommands } from './backup-command.ts';
import { listTables } from './backup-tables.ts';

const server = await startTestServer();
const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-backup-'));
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const hostile = 'tab\there, line\nfeed, back\\slash \\N \\. "quotes" \u{1F600} عربي\r\n\\t';
const whole = path.join(directory, 'whole.tar');

beforeAll(async () => {
  const id = await ann.ask({ title: 'What is kept?', content: hostile, tags: ['Backups', 'ünï'] });
  const answer = await bob.answer(id, hostile);
  await ann.replyToAnswer(answer.id);
  await bob.vote('questions', id, 'up');
  await ann.vote('answers', answer.id, 'down');
  await bob.put(`/questions/${id}/view`);
  // The id of a deleted question must not be used again.
  await ann.remove('questions', await ann.ask());
  await backup(whole);
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Runs a command line on a database and returns what a terminal would show. */
async function run(
  connection: pg.ClientConfig,
  parameters: string[],
  prepare: (client: pg.Client) => void = () => {},
) {
  const result = { out: '', err: '', code: 0 };
  const program = new Command('parley').exitOverride();
  registerBackupCommands(program, {
    withClient: (work) =>
      withClient(connection, (client) => {
        prepare(client);
        return work(client);
      }),
    migrationsDirectory,
    version: '0.0.0',
    out: { write: (text) => (result.out += text) },
    // Without the progress, which a slow machine shows.
    err: { write: (text) => (result.err += /^\d+% \|/u.test(text) ? '' : text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(parameters, { from: 'user' });
  return result;
}

const backup = (file: string) => run(server.database.connection, ['backup', file]);

async function emptyDatabase(): Promise<TestDatabase> {
  const { admin, user, owner } = inject('testServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${name} owner ${owner}`);
  const drop = () => runAsAdmin(admin, `drop database if exists ${name} with (force)`);
  onTestFinished(drop);
  return { connection: withDatabase(user, name), drop };
}

/** Returns every row of every table, and the definition of every table, index, constraint and trigger. */
function everything(connection: pg.ClientConfig) {
  return withClient(connection, async (client) => {
    const rows: Record<string, unknown> = {};
    for (const { name } of await listTables(client)) {
      const table = await client.query(`select to_jsonb(each)::text as row from "${name}" each order by 1`);
      rows[name] = table.rows;
    }
    const definitions = await client.query(`
      select 'index' as kind, indexdef as as from pg_indexes where schemaname = 'public'
      union all select 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select 'trigger ' || tgenabled::text, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      order by 1, 2`);
    return { rows, definitions: definitions.rows };
  });
}

test('restores every row, and the definitions of all tables', async () => {
  const { connection } = await emptyDatabase();
  const restored = await run(connection, ['restore', whole]);
  expect(restored.err).toBe('');
  expect(restored).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Restored the community of 20\S+: 2 members, 1 questions, 1 answers, 1 replies/,
    ),
  });
  expect(await everything(connection)).toEqual(await everything(server.database.connection));
});

test('restores every date if the databases write dates in different styles', async () => {
  const withStyle = (style: string) => (client: pg.Client) =>
    void client.query(`set datestyle = '${style}'; set intervalstyle = 'sql_standard'`);
  const file = path.join(directory, 'dates.backup.tar');
  await run(server.database.connection, ['backup', file], withStyle('SQL, DMY'));
  const { connection } = await emptyDatabase();
  expect((await run(connection, ['restore', file], withStyle('SQL, MDY'))).err).toBe('');
  expect(await everything(connection)).toEqual(await everything(server.database.connection));
});

test('says that the disk is full if PostgreSQL has no space for a restore', async () => {
  const { connection } = await emptyDatabase();
  const full = await run(connection, ['restore', whole], (client) => {
    // The statement of PostgreSQL fails in the place of the commit.
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    Reflect.set(client, 'query', (text: unknown, ...more: unknown[]) =>
      query(
        text === 'commit' ? `do $$ begin raise exception using errcode = 'disk_full'; end $$` : text,
        ...more,
      ),
    );
  });
  expect(full).toMatchObject({ code: 1, err: 'The disk is full. Nothing was changed.\n' });
});

test('reports a restore as done if the connection breaks after the commit', async () => {
  const { connection } = await emptyDatabase();
  const restored = await run(connection, ['restore', whole], (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    Reflect.set(client, 'query', (...parameters: unknown[]) => {
      const answer = query(...parameters);
      if (parameters[0] === 'analyze') client.connection.stream.destroy();
      return answer;
    });
  });
  expect(restored).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^Restored the community/) });
});

test('does not say that nothing was changed if the connection breaks before the response to the commit', async () => {
  const { connection } = await emptyDatabase();
  const restored = await run(connection, ['restore', whole], (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>;
    const commit = async () => {
      await query('commit');
      client.connection.stream.destroy();
      throw new Error('Connection terminated unexpectedly');
    };
    Reflect.set(client, 'query', (...parameters: unknown[]) =>
      parameters[0] === 'commit' ? commit() : query(...parameters),
    );
  });
  expect(restored).toMatchObject({
    code: 1,
    err: expect.stringContaining('The connection to PostgreSQL was lost.'),
  });
  expect(restored.err).toContain('After a restore, check whether the database is empty.');
  expect(restored.err).not.toContain('Nothing was changed');
  expect(await everything(connection)).toEqual(await everything(server.database.connection));
});

test.runIf(isRoot)('does not touch what another user has put into the scratch directory', async () => {
  const scratch = await createTemporaryDirectory();
  const file = path.join(scratch, 'a file of root');
  await writeFile(file, '', { mode: 0o644 });
  const data = path.join(scratch, 'parley-verify-other', 'data');
  await mkdir(path.join(data, 'postgresql'), { recursive: true });
  await symlink(file, path.join(data, 'lock'));
  await chown(path.dirname(data), unprivilegedUser.uid, unprivilegedUser.gid);
  const verified = await run(server.database.connection, ['verify', whole, '--scratch', scratch]);
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o644);
});

test.runIf(isRoot)(
  'says that the disk of the scratch directory is full, and leaves nothing there',
  async (context) => {
    const scratch = await createTemporaryDirectory();
    // Less than PostgreSQL needs, such as /tmp of the container. Some machines allow no mounts.
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', scratch]);
    if (mounted.status !== 0) return context.skip('mount is not allowed');
    onTestFinished(() => void spawnSync('umount', [scratch]));
    const verified = await run(server.database.connection, ['verify', whole, '--scratch', scratch]);
    expect(verified).toMatchObject({
      code: 1,
      err: `The disk of ${scratch} is full. Name a directory with space for the whole database (--scratch, BACKUP_SCRATCH_DIRECTORY).\n`,
    });
    expect(await readdir(scratch)).toEqual([]);
  },
);

test.runIf(isRoot)('says that a backup is damaged also if the disk is small', async (context) => {
  const scratch = await createTemporaryDirectory();
  // PostgreSQL starts, and leaves less than it needs.
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=72m', 'tmpfs', scratch]);
  if (mounted.status !== 0) return context.skip('mount is not allowed');
  onTestFinished(() => void spawnSync('umount', [scratch]));
  const damaged = path.join(directory, 'damaged.backup.tar');
  await writeFile(damaged, (await readFile(whole)).subarray(0, -2_000));
  const verified = await run(server.database.connection, ['verify', damaged, '--scratch', scratch]);
  expect(verified).toMatchObject({ code: 1, err: expect.stringMatching(/^The backup cannot be used\./) });
});

test('keeps members of a restored community signed in, and does not use ids of deleted posts again', async () => {
  const database = await emptyDatabase();
  await run(database.connection, ['restore', whole]);
  const next = await ann.ask();
  const there = await startServerOn(database);
  onTestFinished(() => there.stop());
  const annThere = ann.onServer(there.address);
  expect((await annThere.feed('recent')).items.map(({ title }) => title)).toEqual(['What is kept?']);
  expect(await annThere.ask()).toBe(next);
});

test('gives no version of drafts again in a restored community', async () => {
  const fields = { title: 'A draft', content: 'Of a text.', tags: '' };
  const draft = { key: 'a-key-of-a-draft', fields, basedOn: null, clientId: 'a-browser' };
  const save = async (member: Member, sequence: number, basedOn: number | null) =>
    expectOk(await member.put<{ version: number }>('/drafts/ask', { ...draft, basedOn, sequence })).version;
  const first = await save(ann, 1, null);
  const latest = await save(ann, 2, first);
  const file = path.join(directory, 'drafts.tar');
  expect(await backup(file)).toMatchObject({ code: 0 });
  const database = await emptyDatabase();
  expect(await run(database.connection, ['restore', file])).toMatchObject({ code: 0 });
  const there = await startServerOn(database);
  onTestFinished(() => there.stop());
  expect(await save(ann.onServer(there.address), 3, latest)).toBeGreaterThan(latest);
});

test('contains concurrent writes completely or not at all', async () => {
  const file = path.join(directory, 'busy.tar');
  const enough = new AbortController();
  const writers = [ann, bob].map(async (member) => {
    while (!enough.signal.aborted) {
      const { id } = await member.answer(await member.ask());
      await (member === ann ? bob : ann).vote('answers', id, 'up');
    }
  });
  for (let n = 0; n < 3; n++) {
    await rm(file, { force: true });
    expect(await backup(file)).toMatchObject({ code: 0 });
  }
  enough.abort();
  await Promise.all(writers);
  expect(await run(server.database.connection, ['verify', file])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${file} is intact: the community of 20`),
  });
});

test('refuses a damaged or incomplete backup, wherever the damage is, and keeps the database empty', async () => {
  const bytes = await readFile(whole);
  const file = path.join(directory, 'damaged.tar');
  const { connection } = await emptyDatabase();
  const damaged = [
    Buffer.from('garbage'),
    Buffer.alloc(0),
    bytes.subarray(0, bytes.length / 2),
    bytes.subarray(0, bytes.length - 2048),
    ...bodiesIn(bytes).map(({ at, size }) => flipped(bytes, at + Math.floor(size / 2))),
  ];
  expect(damaged.length).toBeGreaterThan(15);
  for (const version of damaged) {
    await writeFile(file, version);
    expect(await run(connection, ['restore', file])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The (backup cannot be used\.|migration|database has the migration) /m),
    });
  }
  expect(await everything(connection)).toEqual({ rows: {}, definitions: [] });
});

/**
 * Returns the positions of the entries in a tar archive: after headers of 512 bytes, which have the size in octal
 * digits.
 */
function bodiesIn(tar: Buffer): { at: number; size: number }[] {
  const bodies: { at: number; size: number }[] = [];
  for (let header = 0; tar[header] !== 0;) {
    const size = Number.parseInt(tar.toString('latin1', header + 124, header + 135), 8);
    bodies.push({ at: header + 512, size });
    header += 512 * (1 + Math.ceil(size / 512));
  }
  return bodies;
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0x55, at);
  return copy;
}

test('refuses a database that is not empty, and does not change it', async () => {
  const before = await everything(server.database.connection);
  const refused = await run(server.database.connection, ['restore', whole]);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^The database is not empty: it has the table \w+\. Nothing was changed\.$/m);
  expect(await everything(server.database.connection)).toEqual(before);
});

test('refuses a database that a starting node fills at the same moment', async () => {
  const { connection } = await emptyDatabase();
  const restored = await withClient(connection, async (node) => {
    await node.query('begin; select pg_advisory_xact_lock(7275539); create table setting (name text)');
    const restoring = run(connection, ['restore', whole]);
    await eventually(async () => {
      const { rows } = await node.query(`select from pg_locks where locktype = 'advisory' and not granted`);
      return rows.length > 0;
    });
    await node.query('commit');
    return restoring;
  });
  expect(restored).toMatchObject({
    code: 1,
    err: expect.stringContaining('The database is not empty: it has the table setting.'),
  });
});

test('refuses to overwrite an existing file, and one that another backup is writing', async () => {
  const file = path.join(directory, 'taken.tar');
  await writeFile(file, 'mine');
  expect(await backup(file)).toMatchObject({ code: 1, err: expect.stringContaining('already exists') });
  expect(await readFile(file, 'utf8')).toBe('mine');
  const other = path.join(directory, 'other.tar');
  await writeFile(`${other}.partial`, 'half');
  expect(await backup(other)).toMatchObject({ code: 1 });
  expect(await readFile(`${other}.partial`, 'utf8')).toBe('half');
});

test('leaves no files if the disk is full or the directory does not exist', async () => {
  const nowhere = path.join(directory, 'nowhere/x.tar');
  expect(await backup(nowhere)).toMatchObject({ code: 1, err: 'The file or directory does not exist.\n' });
  expect(await run(server.database.connection, ['restore', nowhere])).toMatchObject({ code: 1 });
  expect(existsSync(`${nowhere}.partial`)).toBe(false);
});
