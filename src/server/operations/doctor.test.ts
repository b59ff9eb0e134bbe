import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { findViolations } from './integrity-check.ts';
import { readConfig } from '#server/core/config.ts';
import { connectToRunningOrStart } from '#server/postgres/connect.ts';
import { migrationsDirectory, projectRoot } from '#server/core/paths.ts';
import { runAsAdmin, setFsync, withDatabase } from '#tests/support/database.ts';
import { compileCache } from '#tests/support/parley-process.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { startEmailServer } from '#tests/support/email-server.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { createObjectStore } from '#server/core/object-store.ts';
import { movePictures } from '#server/posts/uploads-object-store.ts';
import { startObjectStoreServer } from '#tests/support/object-store-server.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { registerDoctorCommand } from './doctor-command.ts';
import type { Finding } from './doctor-findings.ts';
import { checkClock } from './doctor-check-host.ts';

const { admin, isTemporary } = inject('testServer');
if (isTemporary) await setFsync(admin, 'on');
const server = await startTestServer();
afterAll(async () => {
  await server.stop();
  if (isTemporary) await setFsync(admin, 'off');
});
const url = toDatabaseUrl(server.database.connection);
const ann = await server.register('Ann');
const bob = await server.register('Bob');

/** Returns what a terminal would show, and the exit code. */
async function examine(
  parameters: string[] = [],
  env: NodeJS.ProcessEnv = { DATABASE_URL: url },
  envFile = '/nowhere/.env',
) {
  const result = { out: '', err: '', code: -1 };
  const program = new Command('parley').exitOverride();
  registerDoctorCommand(program, {
    readConfig: () => readConfig(env, envFile),
    connect: (config) => connectToRunningOrStart(config, pino({ level: 'silent' })),
    migrationsDirectory,
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['doctor', ...parameters], { from: 'user' });
  return result;
}

async function findings(parameters: string[] = [], env?: NodeJS.ProcessEnv) {
  const { out, code } = await examine([...parameters, '--json'], env);
  const report = JSON.parse(out) as { well: boolean; findings: Finding[]; changed: object[] };
  return {
    ...report,
    code,
    of: (check: string) => report.findings.filter((finding) => finding.check === check),
  };
}

test('compares the counts of a sound community, and gives the reason for each remaining task', async () => {
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  // Test databases do not wait for the disk.
  expect((await findings()).of('database')).toMatchObject([
    {
      level: 'problem',
      what: 'synchronous_commit is off.',
      why: expect.any(String),
      action: expect.any(String),
    },
  ]);
  const { database } = server.database.connection;
  await runAsAdmin(admin, `alter database ${database ?? ''} set synchronous_commit = on`);
  const { out, code } = await examine();
  expect(out).toMatch(/^ok +database: PostgreSQL \d+\S* has what Parley needs\.$/m);
  expect(out).toMatch(/^ok +clock: /m);
  expect(out).toMatch(/^ok +migrations: The database has this version's schema\.$/m);
  expect(out).toMatch(/^ok +counts: Every count equals its rows\.$/m);
  expect(out).toMatch(
    /^warning +settings: BACKUP_DIRECTORY is not set\.\n +If the disk fails, the community is lost\.\n +To do: /m,
  );
  expect(out).toMatch(/\n0 problems, \d warnings, \d hints\.\n$/);
  expect(code).toBe(3);
});

test('reports wrong counts, repairs them while members write, and lists the changes', async () => {
  const id = await ann.ask();
  const [answer, unsorted] = [await bob.answer(id), await bob.answer(id)];
  await ann.vote('answers', answer.id, 'up');
  await sql`update question set upvotes = upvotes + 7, views = 900 where id = ${id}`.execute(server.db);
  await sql`update answer set upvotes = 5 where id = ${answer.id}`.execute(server.db);
  await sql`update member set reputation = 1000, answers_count = 0 where id = ${bob.id}`.execute(server.db);
  await sql`delete from answer_score where answer_id = ${unsorted.id}`.execute(server.db);
  const before = await findings();
  expect(before.code).toBe(1);
  expect(before.of('counts').map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      `1 rows break 'question.upvotes': ${id} has 7 instead of 0.`,
      `1 rows break 'answer.upvotes': ${answer.id} has 5 instead of 1.`,
    ]),
  );
  expect(before.changed).toEqual([]);

  const enough = new AbortController();
  const writing = (async () => {
    while (!enough.signal.aborted) {
      await bob.vote('questions', id, 'up');
      await bob.vote('questions', id, null);
      await bob.vote('questions', await ann.ask(), 'down');
    }
  })();
  const after = await findings(['--repair']);
  enough.abort();
  await writing;
  expect(after.of('counts')).toMatchObject([{ level: 'ok' }]);
  expect(after.changed).toEqual(
    expect.arrayContaining([
      { rule: 'question.views', id, stored: '900', expected: '0' },
      { rule: 'answer.upvotes', id: answer.id, stored: '5', expected: '1' },
      { rule: 'answer_score.score', id: unsorted.id, stored: null, expected: '0' },
    ]),
  );
  expect(await findViolations(server.db)).toEqual([]);
});

test('reports problems of tables, indexes, permissions and the version', async () => {
  await sql`create unlogged table forgotten (id int)`.execute(server.db);
  await sql`create table twice (id int); insert into twice values (1), (1)`.execute(server.db);
  await sql`create unique index concurrently twice_id on twice (id)`.execute(server.db).catch(() => {});
  await sql`insert into migration (name, checksum) values ('9999_later.sql', '')`.execute(server.db);
  onTestFinished(async () => {
    await sql`drop table forgotten, twice; delete from migration where name = '9999_later.sql'`.execute(
      server.db,
    );
  });
  const report = await findings();
  expect(report.of('tables').map(({ what }) => what)).toEqual([
    'Tables are unlogged: forgotten.',
    'Indexes are invalid: twice_id.',
  ]);
  expect(report.of('migrations')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('9999_later') },
  ]);
  expect(report.of('counts')).toEqual([]);
});

test('reports settings that are unsuitable for the open internet', async () => {
  const { of } = await findings(['--quick'], {
    DATABASE_URL: url,
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://parley.invalid',
    SECRET: 'a'.repeat(40),
    SENDING: 'off',
    SLOW_QUERY_MS: '0',
  });
  const settings = of('settings').map(({ level, what }) => `${level}: ${what}`);
  expect(settings).toEqual(
    expect.arrayContaining([
      'problem: PUBLIC_URL is https, and TRUSTED_PROXIES is 0.',
      'warning: HOST is 0.0.0.0, without a proxy.',
      'problem: SECRET has few different characters.',
      'warning: SENDING is off.',
      'hint: SLOW_QUERY_MS is 0.',
    ]),
  );
  expect(of('address')).toMatchObject([{ level: 'warning' }]);
  expect((await examine(['--quick'], { PORT: 'none' })).out).toContain('PORT must be a whole number');
});

test('reports names in .env that are no settings', async () => {
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'parley-env-')), '.env');
  await writeFile(file, `DATABASE_URL=${url}\nBACKUP_DIRECTROY=/backups\nSECRET_FILE=\n`);
  const { out } = await examine(['--quick'], {}, file);
  await rm(path.dirname(file), { recursive: true });
  expect(out).toContain('.env has names that are no settings: BACKUP_DIRECTROY.');
});

test('requests the public address as a member would', async () => {
  const env = (address: string) => ({ DATABASE_URL: url, PUBLIC_URL: address });
  // This server has only the API.
  const there = await findings(['--quick'], env(server.address));
  expect(there.of('address')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('responds with 404') },
  ]);
});

test('reports an unreachable database without its password', async () => {
  const { code, out } = await examine([], { DATABASE_URL: 'postgres://parley:hunter2@127.0.0.1:1/parley' });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^problem +database: The database at postgres:\/\/parley@127\.0\.0\.1:1\/parley cannot be reached/m,
  );
  expect(out).not.toContain('hunter2');
});

test('does not create a database where Parley never ran', async () => {
  const directory = path.join(await createTemporaryDirectory(), 'data');
  const { out } = await examine([], { PARLEY_DATA: directory });
  expect(out).toContain(`There is no community in ${directory}.`);
  expect(existsSync(directory)).toBe(false);
});

test('says that an empty database has no community, as commands do that only read', async () => {
  const { user, owner } = inject('testServer');
  const database = `test_empty_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${database} owner ${owner}`);
  onTestFinished(() => runAsAdmin(admin, `drop database ${database} with (force)`));
  const emptyUrl = toDatabaseUrl(withDatabase(user, database));
  const what = 'There is no community in this database.';
  const { code, of } = await findings(['--quick'], { DATABASE_URL: emptyUrl });
  expect({ code, database: of('database') }).toMatchObject({
    code: 1,
    database: [{ level: 'ok' }, { level: 'problem', what }],
  });
  expect(of('migrations')).toEqual([]);

  const program = path.join(projectRoot, 'src/server/cli-main.ts');
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, DATABASE_URL: emptyUrl };
  const replay = promisify(execFile)(process.execPath, [program, 'spam', 'replay'], { env });
  await expect(replay).rejects.toMatchObject({ code: 1, stderr: `${what}\n` });
});

test('tries the mail server without sending an email, unless an address is given', async () => {
  const emails = await startEmailServer();
  onTestFinished(emails.stop);
  const env = {
    DATABASE_URL: url,
    SMTP_URL: emails.url,
    EMAIL_FROM: 'ask@example.org',
    PUBLIC_URL: 'http://localhost:1',
  };
  expect((await findings(['--quick'], env)).of('email')).toMatchObject([{ level: 'ok' }]);
  expect(emails.emails).toEqual([]);
  await findings(['--quick', '--test-email', 'me@example.org'], env);
  expect(emails.emails).toMatchObject([{ recipients: ['me@example.org'], subject: 'Parley can send email' }]);
  await emails.goDown();
  expect((await findings(['--quick'], env)).of('email')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('ECONNREFUSED') },
  ]);
});

test('reports clocks that are an hour apart as a problem', async () => {
  expect(await checkClock(server.db)).toMatchObject({ level: 'ok' });
  expect(await checkClock(server.db, () => Date.now() + 3_600_000)).toMatchObject({
    level: 'problem',
    what: expect.stringMatching(/3(599|600)\.\d s apart/),
  });
});

test('writes an object to the object store, and counts the pictures that have to be moved', async () => {
  const bucket = await startObjectStoreServer();
  onTestFinished(bucket.remove);
  const env = {
    DATABASE_URL: url,
    S3_BUCKET: bucket.settings.bucket,
    S3_ENDPOINT: bucket.settings.endpoint,
    S3_PREFIX: bucket.settings.prefix,
    S3_ACCESS_KEY_ID: bucket.settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.settings.secretAccessKey,
  };
  await ann.upload(createPngPicture());
  const text = (there: number, waiting: number) =>
    `${there} files of pictures are in the object store, ${waiting} still have to be moved there.`;
  expect((await findings(['--quick'], env)).of('pictures')).toMatchObject([
    { level: 'ok', what: text(0, 1) },
  ]);
  expect(await bucket.keys()).toEqual([]);

  const objectStore = createObjectStore(bucket.settings);
  await movePictures({ db: server.db, objectStore, pictureStore: 's3' });
  expect((await findings(['--quick'], env)).of('pictures')).toMatchObject([
    { level: 'ok', what: text(1, 0) },
  ]);
  expect((await findings(['--quick'])).of('pictures')).toMatchObject([
    { level: 'problem', what: '1 files of pictures are in an object store, and S3_BUCKET is not set.' },
  ]);
  await objectStore.put('owner.txt', Buffer.from('1/1'));
  expect((await findings(['--quick'], env)).of('pictures')).toMatchObject([
    {
      level: 'warning',
      what: 'The bucket pictures belongs to another database.',
      action: expect.stringContaining('set PICTURE_STORE=database and wait'),
    },
  ]);
  const wrong = { ...env, S3_SECRET_ACCESS_KEY: 'a wrong one' };
  const [refused] = (await findings(['--quick'], wrong)).of('pictures');
  expect(refused).toMatchObject({ level: 'problem', what: expect.stringContaining('SignatureDoesNotMatch') });
  expect(JSON.stringify(refused)).not.toContain('a wrong one');
});

test('reports a failed export, and one that is too old', async () => {
  const env = {
    DATABASE_URL: url,
    EXPORT_DIRECTORY: await createTemporaryDirectory(),
    EXPORT_LICENSE: 'CC BY-SA 4.0',
  };
  expect((await findings()).of('exports')).toEqual([]);
  expect((await findings(['--quick'], env)).of('exports')).toMatchObject([
    { level: 'warning', what: 'No export has succeeded yet.' },
  ]);
  const insertRun = (outcome: string, days: number, reason: string | null) =>
    sql`
    insert into export_run (node, directory, outcome, started_at, ended_at, reason)
    values ('test', '/exports', ${outcome}, now() - make_interval(days => ${days}), now(), ${reason})`.execute(
      server.db,
    );
  await insertRun('succeeded', 30, null);
  expect((await findings(['--quick'], env)).of('exports')).toMatchObject([
    { level: 'problem', what: 'The last successful export is 30.0 days old.' },
  ]);
  await insertRun('succeeded', 0, null);
  expect((await findings(['--quick'], env)).of('exports')).toMatchObject([{ level: 'ok' }]);
  await insertRun('failed', 0, 'The disk is full.');
  expect((await findings(['--quick'], env)).of('exports')).toMatchObject([
    { level: 'problem', what: 'The last export failed: The disk is full.' },
  ]);
});
