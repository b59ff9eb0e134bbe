import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  type Database,
  type Queryable,
  removeStatementTimeout,
  type Tx,
  transaction,
} from '#server/core/database.ts';
import { isLockTimeout } from '#server/core/database-lock-waits.ts';

/** Thrown when the database and the migration files do not match. Its message is for the operator. */
export class MigrationError extends Error {}

/** An arbitrary advisory lock id. Nodes that start at the same time wait for each other on this lock. */
const migrationLock = 7_275_539;

/**
 * How long a migration waits for the lock of a table, in milliseconds, and the pause until the next attempt. A backup
 * holds the tables that it has copied, and all requests to a table wait behind a migration that waits for it. Without
 * the pauses they would get 503 until the backup ends.
 */
const tableLockTimeoutMs = 1_000;
const pauseMs = 4_000;

/**
 * Applies the files `NNNN_name.sql` of `directory` in order, all in one transaction. Returns the names of the files
 * applied by this call. If it does not get a lock, the transaction is rolled back and runs again after a pause.
 * @param hooks.onUpgrade called before each migration of a database that is not empty, because that can take long
 * @param hooks.onLocked called once if another transaction holds a lock that is needed
 * @throws MigrationError if an applied file was changed or is missing (the database is newer than the program)
 */
export async function migrate(
  db: Database,
  directory: string,
  { onUpgrade, onLocked }: { onUpgrade?: (name: string) => void; onLocked?: () => void } = {},
): Promise<string[]> {
  const files = await readMigrations(directory);
  for (let attempt = 1; ; attempt++) {
    const run = async (tx: Tx) => {
      // The migration of another node may take as long as this one.
      await removeStatementTimeout(tx);
      await lockMigrations(tx);
      await sql`set local lock_timeout = ${sql.lit(tableLockTimeoutMs)}`.execute(tx);
      return applyFiles(tx, files, attempt === 1 ? onUpgrade : undefined);
    };
    try {
      return await transaction(db, run, { lockTimeoutMs: 0 });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === 1) onLocked?.();
      await delay(pauseMs);
    }
  }
}

/** Waits until no other node migrates the database or fills it from a backup, and keeps them out until the commit. */
export async function lockMigrations(tx: Queryable): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx);
}

/**
 * The migrations that are not applied yet, with their SQL.
 * @throws MigrationError if the database and the files do not match
 */
export async function listPendingMigrations(
  applied: readonly { name: string; checksum: string }[],
  directory: string,
): Promise<{ name: string; text: string }[]> {
  return findPending(applied, await readMigrations(directory));
}

/**
 * Runs in the caller's transaction, which has called `lockMigrations`: gives an empty database the state of one to which
 * exactly these migrations were applied.
 * @throws MigrationError if one of them is not among the files or differs
 */
export async function applyMigrations(
  tx: Queryable,
  directory: string,
  wanted: readonly { name: string; checksum: string }[],
): Promise<void> {
  const files = await readMigrations(directory);
  findPending(wanted, files);
  const names = new Set(wanted.map(({ name }) => name));
  await applyFiles(
    tx,
    files.filter(({ name }) => names.has(name)),
  );
}

async function applyFiles(
  tx: Queryable,
  files: MigrationFile[],
  onUpgrade?: (name: string) => void,
): Promise<string[]> {
  await sql`create table if not exists migration (
    name text primary key,
    checksum text not null,
    applied_at timestamptz(3) not null default now()
  )`.execute(tx);
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from migration order by name`.execute(tx);
  const pending = findPending(rows, files);
  for (const file of pending) {
    if (rows.length > 0) onUpgrade?.(file.name);
    await sql.raw(file.text).execute(tx);
    await sql`insert into migration (name, checksum) values (${file.name}, ${file.checksum})`.execute(tx);
  }
  return pending.map((file) => file.name);
}

type MigrationFile = { name: string; text: string; checksum: string };

/** The migrations that this version contains, in their order. */
export async function listMigrationNames(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
}

async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const names = await listMigrationNames(directory);
  return Promise.all(
    names.map(async (name) => {
      // Checkouts of the same file may have different line endings.
      const text = (await readFile(path.join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * The files that have not been applied.
 * @throws MigrationError if the database and the files do not match
 */
function findPending(
  applied: readonly { name: string; checksum: string }[],
  files: readonly MigrationFile[],
): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const [first] = applied.map(({ name }) => name).toSorted();
  if (first !== undefined && first !== files[0]?.name)
    throw new MigrationError(
      `The data was written by a development version of Parley, before the first release (${first}). This version cannot read it. Start with an empty database.`,
    );
  for (const { name, checksum } of applied) {
    const file = byName.get(name);
    if (file === undefined)
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Parley does not contain. A newer version has used the database. Start that version.`,
      );
    if (file.checksum !== checksum)
      throw new MigrationError(
        `The migration ${name} was changed after it was applied. Restore the released file.`,
      );
  }
  const names = new Set(applied.map(({ name }) => name));
  return files.filter((file) => !names.has(file.name));
}
