import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { type Database, type Tx, transaction } from './database.ts';

/** Thrown when the database and the files do not fit together; its message tells an operator what to do. */
export class MigrationError extends Error {}

/** Any fixed number; nodes that start at the same time wait for each other on it. */
const migrationLock = 7_275_539;

/**
 * Brings the database up to date with the files `NNNN_name.sql` of `folder`, in order, all in one transaction:
 * afterwards all of them hold or none. Returns the names of those applied now.
 * @throws MigrationError when an applied file was changed or is missing (the database is newer than the program).
 */
export async function migrate(db: Database, folder: string): Promise<string[]> {
  const files = await readMigrations(folder);
  return transaction(db, async (tx) => {
    // Another node's migration, which is waited for, may take as long as this one.
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx);
    await sql`create table if not exists migration (
      name text primary key,
      checksum text not null,
      applied_at timestamptz(3) not null default now()
    )`.execute(tx);
    const pending = await pendingMigrations(tx, files);
    for (const file of pending) {
      await sql.raw(file.text).execute(tx);
      await sql`insert into migration (name, checksum) values (${file.name}, ${file.checksum})`.execute(tx);
    }
    return pending.map((file) => file.name);
  });
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

async function pendingMigrations(tx: Tx, files: MigrationFile[]): Promise<MigrationFile[]> {
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from migration order by name`.execute(tx);
  const byName = new Map(files.map((file) => [file.name, file]));
  for (const applied of rows) {
    const file = byName.get(applied.name);
    if (file === undefined)
      throw new MigrationError(
        `The database has the migration ${applied.name}, which this version of Parley does not know: it was used by a newer one. Start that version.`,
      );
    if (file.checksum !== applied.checksum)
      throw new MigrationError(
        `The migration ${applied.name} was changed after it had been applied. Restore the file as it was released.`,
      );
  }
  const applied = new Set(rows.map((row) => row.name));
  return files.filter((file) => !applied.has(file.name));
}
