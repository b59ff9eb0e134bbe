import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { findViolations } from './integrity-check.ts';
import { readConfig } from '#server/core/config.ts';
import { connectBesideRunning } from '#server/postgres/connect.ts';
import { migrationsDirectory } from '#server/serve.ts';
import { runAsAdmin } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { startEmailServer } from '#tests/support/email-server.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { registerDoctorCommand } from './doctor-command.ts';
import type { Finding } from './doctor-findings.ts';
import { checkClock } from './doctor-check-host.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const url = toDatabaseUrl(server.database.connection);
const ann = await server.register('Ann');
const bob = await server.register('Bob');

/** What a terminal would show, and the exit code. */
async function examine(parameters: string[] = [], env: NodeJS.ProcessEnv = { DATABASE_URL: url }) {
  const shown = { out: '', err: '', code: -1 };
  const program = new Command('parley').exitOverride();
  registerDoctorCommand(program, {
    readConfig: () => readConfig(env, '/nowhere/.env'),
    connect: (config) => connectBesideRunning(config, pino({ level: 'silent' })),
    migrationsDirectory,
    out: { write: (text) => (shown.out += text) },
    err: { write: (text) => (shown.err += text) },
    exitWith: (code) => (shown.code = code),
  });
  await program.parseAsync(['doctor', ...parameters], { from: 'user' });
  return shown;
}

async function findings(parameters: string[] = [], env?: NodeJS.ProcessEnv) {
  const { out, code } = await examine([...parameters, '--json'], env);
  const told = JSON.parse(out) as { well: boolean; findings: Finding[]; changed: object[] };
  return { ...told, code, of: (check: string) => told.findings.filter((finding) => finding.check === check) };
}

test('a sound community has its counts compared, and what is left to do is said with its reason', async () => {
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  // The databases of tests do not wait for the disk.
  expect((await findings()).of('database')).toMatchObject([
    {
      level: 'problem',
      what: 'synchronous_commit is off.',
      why: expect.any(String),
      action: expect.any(String),
    },
  ]);
  const { database } = server.database.connection;
  await runAsAdmin(
    inject('testServer').admin,
    `alter database ${database ?? ''} set synchronous_commit = on`,
  );
  const { out, code } = await examine();
  expect(out).toMatch(/^ok +database: PostgreSQL \d+\S* answers, with what Parley needs\.$/m);
  expect(out).toMatch(/^ok +clock: /m);
  expect(out).toMatch(/^ok +migrations: The database is of this version\.$/m);
  expect(out).toMatch(/^ok +counts: Every count equals its rows\.$/m);
  expect(out).toMatch(
    /^warning +settings: BACKUP_FOLDER is not set\.\n +A lost disk loses the community\.\n +To do: /m,
  );
  expect(out).toMatch(/\n0 problems, \d warnings, \d hints\.\n$/);
  expect(code).toBe(3);
});

test('wrong counts are told, and put right while members write, with what was changed', async () => {
  const id = await ann.ask();
  const answer = await bob.answer(id);
  await ann.vote('answers', answer.id, 'up');
  await sql`update question set upvotes = upvotes + 7, views = 900 where id = ${id}`.execute(server.db);
  await sql`update answer set upvotes = 5 where id = ${answer.id}`.execute(server.db);
  await sql`update member set reputation = 1000, answers_count = 0 where id = ${bob.id}`.execute(server.db);
  await sql`delete from answer_score where answer_id = ${answer.id}`.execute(server.db);
  const before = await findings();
  expect(before.code).toBe(1);
  expect(before.of('counts').map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      `1 rows break 'question.upvotes': ${id} says 7 instead of 0.`,
      `1 rows break 'answer.upvotes': ${answer.id} says 5 instead of 1.`,
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
      { rule: 'answer_score.score', id: answer.id, stored: null, expected: '1' },
    ]),
  );
  expect(await findViolations(server.db)).toEqual([]);
});

test('what is wrong with tables, indexes, rights and the version is told', async () => {
  await sql`create unlogged table forgotten (id int)`.execute(server.db);
  await sql`create table twice (id int); insert into twice values (1), (1)`.execute(server.db);
  await sql`create unique index concurrently twice_id on twice (id)`.execute(server.db).catch(() => {});
  await sql`insert into migration (name, checksum) values ('9999_later.sql', '')`.execute(server.db);
  onTestFinished(async () => {
    await sql`drop table forgotten, twice; delete from migration where name = '9999_later.sql'`.execute(
      server.db,
    );
  });
  const told = await findings();
  expect(told.of('tables').map(({ what }) => what)).toEqual([
    'Tables are unlogged: forgotten.',
    'Indexes are not whole: twice_id.',
  ]);
  expect(told.of('migrations')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('9999_later') },
  ]);
  expect(told.of('counts')).toEqual([]);
});

test('settings that fit no open internet are told', async () => {
  const { of } = await findings(['--quick'], {
    DATABASE_URL: url,
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://parley.invalid',
    SECRET: 'a'.repeat(40),
    SLOW_QUERY_MS: '0',
  });
  const told = of('settings').map(({ level, what }) => `${level}: ${what}`);
  expect(told).toEqual(
    expect.arrayContaining([
      'problem: PUBLIC_URL is https, and TRUST_PROXY is 0.',
      'warning: HOST is 0.0.0.0, without a proxy.',
      'problem: SECRET is made of few different characters.',
      'hint: SLOW_QUERY_MS is 0.',
    ]),
  );
  expect(of('address')).toMatchObject([{ level: 'warning' }]);
  expect((await examine(['--quick'], { PORT: 'none' })).out).toContain('PORT must be a whole number');
});

test('the address that members use is asked, as one of them would', async () => {
  const env = (address: string) => ({ DATABASE_URL: url, PUBLIC_URL: address });
  // This server serves the API alone.
  const there = await findings(['--quick'], env(server.address));
  expect(there.of('address')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('answers with 404') },
  ]);
});

test('a database that is away is a finding, and its password is not told', async () => {
  const { code, out } = await examine([], { DATABASE_URL: 'postgres://parley:hunter2@127.0.0.1:1/parley' });
  expect(code).toBe(1);
  expect(out).toMatch(
    /^problem +database: The database at postgres:\/\/parley@127\.0\.0\.1:1\/parley cannot be reached/m,
  );
  expect(out).not.toContain('hunter2');
});

test('where no Parley ever ran, none is set up', async () => {
  const folder = path.join(await createTemporaryDirectory(), 'data');
  const { out } = await examine([], { PARLEY_DATA: folder });
  expect(out).toContain(`There is no community in ${folder}.`);
  expect(existsSync(folder)).toBe(false);
});

test('the mail server is tried without sending anything, unless an address is named', async () => {
  const mails = await startEmailServer();
  onTestFinished(mails.stop);
  const env = {
    DATABASE_URL: url,
    SMTP_URL: mails.url,
    MAIL_FROM: 'ask@example.org',
    PUBLIC_URL: 'http://localhost:1',
  };
  expect((await findings(['--quick'], env)).of('mail')).toMatchObject([{ level: 'ok' }]);
  expect(mails.emails).toEqual([]);
  await findings(['--quick', '--mail-to', 'me@example.org'], env);
  expect(mails.emails).toMatchObject([{ recipients: ['me@example.org'], subject: 'Parley can send mails' }]);
  await mails.goDown();
  expect((await findings(['--quick'], env)).of('mail')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('ECONNREFUSED') },
  ]);
});

test('clocks that are an hour apart are a problem', async () => {
  expect(await checkClock(server.db)).toMatchObject({ level: 'ok' });
  expect(await checkClock(server.db, () => Date.now() + 3_600_000)).toMatchObject({
    level: 'problem',
    what: expect.stringMatching(/3(599|600)\.\d s apart/),
  });
});
