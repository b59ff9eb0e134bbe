import { readdir } from 'node:fs/promises';
import { Command } from 'commander';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '#server/core/config.ts';
import { connectToRunningOrStart } from '#server/postgres/connect.ts';
import { migrationsDirectory } from '#server/core/paths.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { startTestServer } from '#tests/support/server.ts';
import { registerUpgradeCommand } from './upgrade-command.ts';
import type { UpgradePlan } from './upgrade-check.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const { db } = server;
const url = toDatabaseUrl(server.database.connection);

async function run(...parameters: string[]) {
  const result = { out: '', code: -1 };
  const program = new Command('parley').exitOverride();
  registerUpgradeCommand(program, {
    readConfig: () => readConfig({ DATABASE_URL: url }, '/nowhere/.env'),
    connect: (config) => connectToRunningOrStart(config, pino({ level: 'silent' })),
    migrationsDirectory,
    version: '1.2.3',
    out: { write: (text) => (result.out += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['upgrade', ...parameters], { from: 'user' });
  return result;
}

const plan = async () =>
  JSON.parse((await run('--check', '--json')).out) as UpgradePlan & { version: string };
const findMigrations = ({ findings }: UpgradePlan) => findings.filter(({ check }) => check === 'migrations');

/** The rows of the table migration, as after an upgrade. */
async function withMigrations(change: ReturnType<typeof sql>, check: () => Promise<void>) {
  await sql`create table migration_before as table migration`.execute(db);
  try {
    await change.execute(db);
    await check();
  } finally {
    await sql`truncate migration; insert into migration table migration_before; drop table migration_before`.execute(
      db,
    );
  }
}

test('says that nothing would be migrated where the schema is current, and asks for --check', async () => {
  const current = await plan();
  expect(current).toMatchObject({ version: '1.2.3', migrations: [] });
  expect(findMigrations(current)).toMatchObject([{ level: 'ok' }]);
  await expect(run()).rejects.toThrow('parley upgrade --check');
});

test('lists the migrations that starting this version would apply, with the tables they change, and changes nothing', async () => {
  const names = (await readdir(migrationsDirectory)).filter((name) => name.endsWith('.sql')).toSorted();
  await server.register('Ann');
  await sql`analyze member`.execute(db);
  await withMigrations(sql`delete from migration where name > '0015'`, async () => {
    const pending = await plan();
    expect(pending.migrations.map(({ name }) => name)).toEqual(names.filter((name) => name > '0015'));
    expect(pending.migrations[0]).toMatchObject({
      name: '0015_admins.sql',
      purpose: expect.stringContaining('Admins change the settings'),
      tables: expect.arrayContaining([{ name: 'member', rows: 1, bytes: expect.any(Number) }]),
    });
    expect(findMigrations(pending)).toMatchObject([{ level: 'hint' }]);
    expect(pending.findings).toContainEqual(expect.objectContaining({ check: 'backups' }));
    const { out } = await run('--check');
    expect(out).toContain('Parley 1.2.3');
    expect(out).toMatch(/0015_admins\.sql: Admins change.*\n +Changes .*member \(about 1 rows/u);
    const { rows } = await sql<{ last: string }>`select max(name) as last from migration`.execute(db);
    expect(rows[0]?.last).toBe('0014_imported_pictures.sql');
  });
});

test('refuses a database that a newer version has used', async () => {
  await withMigrations(
    sql`insert into migration (name, checksum) values ('9999_later.sql', '')`,
    async () => {
      const { out, code } = await run('--check');
      expect(code).toBe(1);
      expect(out).toContain('9999_later.sql, which this version of Parley does not contain');
    },
  );
});
