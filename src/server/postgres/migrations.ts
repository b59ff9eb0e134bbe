import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { type Database, type Queryable, transaction } from '#server/core/database.ts';

/** Thrown when the database and the files do not fit together; its message tells an operator what to do. */
export class MigrationError extends Error {}

/** Any fixed number; nodes that start at the same time wait for each other on it. */
const migrationLock = 7_275_539;

/**
 * Brings the database up to date with the files `NNNN_name.sql` of `folder`, in order, all in one transaction:
 * afterwards all of them hold or none. Returns the names of those applied now.
 * @param onUpgrade called before each that changes a database in which there is something: in a large one it takes long.
 * @throws MigrationError when an applied file was changed or is missing (the database is newer than the program).
 */
export async function migrate(
  db: Database,
  folder: string,
  onUpgrade?: (name: string) => void,
): Promise<string[]> {
  const files = await readMigrations(folder);
  return transaction(db, async (tx) => {
    // Another node's migration, which is waited for, may take as long as this one.
    await sql`set local statement_timeout = 0`.execute(tx);
    return applyFiles(tx, files, onUpgrade);
  });
}

/**
 * The names of those that are not applied yet.
 * @throws MigrationError when the database and the files do not fit together
 */
export async function listPendingMigrations(
  applied: readonly { name: string; checksum: string }[],
  folder: string,
): Promise<string[]> {
  return findPending(applied, await readMigrations(folder)).map(({ name }) => name);
}

/**
 * In the transaction that runs: makes a database in which there is nothing what one was to which exactly these had been
 * applied.
 * @throws MigrationError when one of them is not among the files, or was another one.
 */
export async function applyMigrations(
  tx: Queryable,
  folder: string,
  wanted: readonly { name: string; checksum: string }[],
): Promise<void> {
  const files = await readMigrations(folder);
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
  await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx);
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

async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      // Line endings may differ between checkouts of the same file.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** The files that have not been applied. @throws MigrationError */
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
        `The database has the migration ${name}, which this version of Parley does not know: it was used by a newer one. Start that version.`,
      );
    if (file.checksum !== checksum)
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied. Restore the file as it was released.`,
      );
  }
  const names = new Set(applied.map(({ name }) => name));
  return files.filter((file) => !names.has(file.name));
}
