import { projectRoot } from '#server/core/paths.ts';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type Database, openDatabase, transaction } from '#server/core/database.ts';
import { applyMigrations, migrate, MigrationError } from './migrations.ts';

let directory: string;
let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'parley-migrations-'));
  await cp(path.join(projectRoot, 'migrations'), directory, { recursive: true });
  database = await createTestDatabase();
  db = openDatabase({ connection: database.connection });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
  await rm(directory, { recursive: true });
});

const add = (name: string, text: string) => writeFile(path.join(directory, name), text);
const next = '9001_pets.sql';

test('leaves an up-to-date database unchanged', async () => {
  expect(await migrate(db, directory)).toEqual([]);
});

test('migrates once when two nodes start at the same time', async () => {
  await add(next, "create table pet (name text); insert into pet values ('Rex');");
  const other = openDatabase({ connection: database.connection });
  try {
    const applied = await Promise.all([migrate(db, directory), migrate(other, directory)]);
    expect(applied.flat()).toEqual([next]);
    expect(await rowsOf('pet')).toEqual([{ name: 'Rex' }]);
  } finally {
    await other.destroy();
  }
});

test("waits for another node's migration without a timeout", async () => {
  await add(next, 'select pg_sleep(1); create table pet (name text);');
  const hurried = openDatabase({ connection: { ...database.connection, statement_timeout: 300 } });
  try {
    const applied = await Promise.all([
      migrate(hurried, directory),
      migrate(db, directory),
      migrate(hurried, directory),
    ]);
    expect(applied.flat()).toEqual([next]);
  } finally {
    await hurried.destroy();
  }
});

test('lets others read while a backup holds a table that it changes, and migrates afterwards', async () => {
  await add(next, 'create table pet (name text); create table owner (name text);');
  await migrate(db, directory);
  const backup = new pg.Client(database.connection);
  await backup.connect();
  await backup.query('begin; select from pet');
  await add('9002_more.sql', 'alter table owner add column age int; alter table pet add column age int;');
  let waits = 0;
  const locked = Promise.withResolvers<void>();
  const migrated = migrate(db, directory, {
    onLocked: () => {
      waits++;
      locked.resolve();
    },
  });
  await Promise.race([locked.promise, migrated]);
  for (let round = 0; round < 20; round++) {
    await rowsOf('pet');
    await rowsOf('owner');
  }
  await backup.query('rollback');
  await backup.end();
  expect(await migrated).toEqual(['9002_more.sql']);
  expect(waits).toBe(1);
  expect(await rowsOf('pet')).toEqual([]);
});

test('rolls back all migrations of a run when one fails', async () => {
  await add(next, 'create table pet (name text);');
  await add('9002_broken.sql', 'create table owner (name text); select 1 / 0;');
  await expect(migrate(db, directory)).rejects.toThrow('division by zero');
  await expect(rowsOf('pet')).rejects.toThrow('does not exist');
  await add('9002_broken.sql', 'create table owner (name text);');
  const begun: string[] = [];
  expect(await migrate(db, directory, { onUpgrade: (name) => begun.push(name) })).toEqual([
    next,
    '9002_broken.sql',
  ]);
  expect(begun).toEqual([next, '9002_broken.sql']);
});

test('refuses a migration that changed after it was applied, and applies nothing', async () => {
  await add(next, 'create table pet (name text);');
  await migrate(db, directory);
  await add(next, 'create table pet (name text, age int);');
  await add('9002_more.sql', 'create table owner (name text);');
  await expect(migrate(db, directory)).rejects.toThrow(MigrationError);
  await expect(migrate(db, directory)).rejects.toThrow(`${next} was changed after it was applied`);
  await expect(rowsOf('owner')).rejects.toThrow('does not exist');
});

test('ignores differences in line endings', async () => {
  await add(next, 'create table pet (\n  name text\n);\n');
  await migrate(db, directory);
  await add(next, 'create table pet (\r\n  name text\r\n);\r\n');
  expect(await migrate(db, directory)).toEqual([]);
});

test('refuses a database with migrations from before the first release and leaves it unchanged', async () => {
  const renamed = '0000_before.sql';
  await sql`update migration set name = ${renamed} where name = '0001_schema.sql'`.execute(db);
  const before = await rowsOf('migration');
  await expect(migrate(db, directory)).rejects.toThrow(MigrationError);
  await expect(migrate(db, directory)).rejects.toThrow(
    `The data was written by a development version of Parley, before the first release (${renamed}). This version cannot read it. Start with an empty database.`,
  );
  expect(await rowsOf('migration')).toEqual(before);
});

test('refuses a backup with migrations from before the first release', async () => {
  const wanted = [{ name: '0000_before.sql', checksum: '' }];
  await expect(transaction(db, (tx) => applyMigrations(tx, directory, wanted))).rejects.toThrow(
    'The data was written by a development version of Parley, before the first release (0000_before.sql).',
  );
});

test('refuses a database that a newer Parley has used', async () => {
  await add(next, 'create table pet (name text);');
  await migrate(db, directory);
  await rm(path.join(directory, next));
  await expect(migrate(db, directory)).rejects.toThrow(
    /A newer version has used the database\. Start that version\./,
  );
});

async function rowsOf(table: string) {
  return (await sql`select * from ${sql.table(table)}`.execute(db)).rows;
}
