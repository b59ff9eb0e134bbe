import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { databaseFromClient } from '#server/core/database.ts';
import { applyMigrations, lockMigrations } from '#server/postgres/index.ts';
import type { Progress } from '#server/core/progress.ts';
import {
  type BackupCompletion,
  type BackupManifest,
  DamagedBackupError,
  createRowChecksum,
  readBackup,
} from './backup-file.ts';
import { copyStatement, listTables } from './backup-tables.ts';

export type RestoreOptions = {
  /** A dedicated connection to an empty database. */
  client: Client;
  /** Opens the file. It is read twice: a damaged one is refused before anything is changed. */
  open: () => Readable;
  /** Bytes of the file. */
  size: number;
  migrationsDirectory: string;
  progress: Progress;
  signal: AbortSignal;
};

/** The database is not empty. Nothing was changed. */
export class DatabaseNotEmptyError extends Error {}

/**
 * Restores a backup into an empty database, completely or not at all. The tables get the schema of the time of the
 * backup; the next start applies later migrations, as after any upgrade.
 * @throws DamagedBackupError, DatabaseNotEmptyError; MigrationError if a newer Parley wrote the backup
 */
export async function restoreBackup(
  options: RestoreOptions,
): Promise<{ contents: BackupManifest; completion: BackupCompletion }> {
  const { client, open, progress, size, signal } = options;
  progress.start(size);
  await verifyChecksums(open(), (bytes) => {
    signal.throwIfAborted();
    progress.update('reading through it', bytes, 0);
  });
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set client_connection_check_interval = '5s';
    set maintenance_work_mem = '256MB';
    set timezone = 'UTC';
    set datestyle = 'ISO';
    set intervalstyle = 'postgres';
    begin;`);
  try {
    // A node that starts now waits, or has filled the database.
    await lockMigrations(databaseFromClient(client));
    await assertEmpty(client);
    const restored = await loadRows(options);
    signal.throwIfAborted();
    await client.query('commit');
    // Only for speed: if it fails, autovacuum does it later.
    await client.query('analyze').catch(() => {});
    return restored;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    progress.stop();
  }
}

async function assertEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') limit 1`,
  );
  const [first] = rows;
  if (first === undefined) return;
  throw new DatabaseNotEmptyError(`The database is not empty: it has the table ${first.name}.`);
}

/**
 * Reads a whole backup and compares checksums.
 * @throws DamagedBackupError if a row differs from what was written
 */
export async function verifyChecksums(from: Readable, read: (bytes: number) => void): Promise<void> {
  const checksums = new Map<string, ReturnType<typeof createRowChecksum>>();
  for await (const part of readBackup(from)) {
    if (part.kind === 'complete') {
      assertSameChecksums(part.completion, checksums);
      continue;
    }
    read(part.bytes);
    if (part.kind === 'contents') continue;
    const sum = checksums.get(part.table) ?? createRowChecksum();
    checksums.set(part.table, sum);
    sum.pass(part.rows);
  }
}

function assertSameChecksums(
  { tables }: BackupCompletion,
  checksums: ReadonlyMap<string, ReturnType<typeof createRowChecksum>>,
): void {
  const none = createRowChecksum().done();
  for (const { name, rows, sha256 } of tables) {
    const actual = checksums.get(name)?.done() ?? none;
    if (actual.rows !== rows || actual.sha256 !== sha256)
      throw new DamagedBackupError(`The rows of the table ${name} differ from what was written.`);
  }
  for (const name of checksums.keys())
    if (!tables.some((table) => table.name === name))
      throw new DamagedBackupError(`Its end does not list the table ${name}.`);
}

async function loadRows({ client, open, size, migrationsDirectory, progress, signal }: RestoreOptions) {
  let contents: BackupManifest | undefined;
  let completion: BackupCompletion | undefined;
  let apart: DroppedObjects = { constraints: [], indexes: [] };
  let loading: TableLoad | undefined;
  let rows = 0;
  try {
    for await (const part of readBackup(open())) {
      signal.throwIfAborted();
      if (part.kind === 'contents') {
        contents = part.contents;
        await createTables(client, contents, migrationsDirectory);
        apart = await dropConstraintsAndIndexes(client);
      } else if (part.kind === 'rows') {
        if (loading?.table !== part.table) {
          rows += (await loading?.end()) ?? 0;
          const columns = contents?.tables.find(({ name }) => name === part.table)?.columns ?? [];
          loading = startTableLoad(client, { name: part.table, columns });
        }
        await loading.write(part.rows);
        progress.update(part.table, part.bytes, rows + loading.rows());
      } else {
        rows += (await loading?.end()) ?? 0;
        completion = part.completion;
      }
    }
  } catch (error) {
    // The connection accepts no other command while it waits for rows.
    await loading?.abort();
    throw error;
  }
  if (contents === undefined || completion === undefined) throw new DamagedBackupError('Its end is missing.');
  await recreateConstraintsAndIndexes(client, apart, (what) => progress.update(what, size, rows));
  await setSequences(client, completion);
  return { contents, completion };
}

/** @throws MigrationError */
async function createTables(
  client: Client,
  { migrations, tables }: BackupManifest,
  directory: string,
): Promise<void> {
  await applyMigrations(databaseFromClient(client), directory, migrations);
  const made = new Map((await listTables(client)).map((table) => [table.name, table]));
  for (const { name, columns } of tables)
    if (!columns.every((column) => made.get(name)?.columns.includes(column)))
      throw new DamagedBackupError(`The table ${name} does not belong to its version.`);
  // Some migrations insert rows, which the backup also contains.
  const written: string[] = [];
  for (const name of made.keys()) {
    const { rows } = await client.query(`select from "${name}" limit 1`);
    if (rows.length > 0) written.push(`"${name}"`);
  }
  if (written.length > 0) await client.query(`truncate ${written.join(', ')}`);
}

type DroppedObjects = { constraints: { table: string; name: string; as: string }[]; indexes: string[] };

/**
 * Foreign keys and indexes are created after the rows: tables can then be filled in any order, and in a fraction of the
 * time.
 */
async function dropConstraintsAndIndexes(client: Client): Promise<DroppedObjects> {
  const constraints = await client.query<{ table: string; name: string; as: string }>(
    `select class.relname as table, constraint_.conname as name, pg_get_constraintdef(constraint_.oid) as as
     from pg_constraint constraint_ join pg_class class on class.oid = constraint_.conrelid
     where class.relnamespace = 'public'::regnamespace and constraint_.contype = 'f' order by 1, 2`,
  );
  const indexes = await client.query<{ name: string; as: string }>(
    `select class.relname as name, pg_get_indexdef(class.oid) as as
     from pg_index join pg_class class on class.oid = indexrelid
     where class.relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint where conindid = class.oid)
     order by 1`,
  );
  for (const { table, name } of constraints.rows)
    await client.query(`alter table "${table}" drop constraint "${name}"`);
  for (const { name } of indexes.rows) await client.query(`drop index "${name}"`);
  for (const { name } of await listTables(client))
    await client.query(`alter table "${name}" disable trigger user`);
  return { constraints: constraints.rows, indexes: indexes.rows.map((index) => index.as) };
}

async function recreateConstraintsAndIndexes(
  client: Client,
  { constraints, indexes }: DroppedObjects,
  report: (what: string) => void,
): Promise<void> {
  for (const [number, index] of indexes.entries()) {
    report(`index ${number + 1} of ${indexes.length}`);
    await client.query(index);
  }
  report('what belongs together');
  for (const { table, name, as } of constraints)
    await client.query(`alter table "${table}" add constraint "${name}" ${as}`);
  for (const { name } of await listTables(client))
    await client.query(`alter table "${name}" enable trigger user`);
}

type TableLoad = {
  table: string;
  rows: () => number;
  write: (rows: Buffer) => Promise<void>;
  /** Returns the number of rows. */
  end: () => Promise<number>;
  abort: () => Promise<void>;
};

function startTableLoad(client: Client, table: { name: string; columns: string[] }): TableLoad {
  const stream: CopyStreamQuery = client.query(copyFrom(`${copyStatement(table)} from stdin`));
  const done = finished(stream);
  // Awaited at the next piece or at the end.
  done.catch(() => {});
  const sum = createRowChecksum();
  return {
    table: table.name,
    rows: sum.rows,
    async write(rows) {
      sum.pass(rows);
      if (!stream.write(rows)) await Promise.race([once(stream, 'drain'), done]);
    },
    async end() {
      stream.end();
      await done;
      return sum.rows();
    },
    async abort() {
      stream.destroy();
      await done.catch(() => {});
    },
  };
}

async function setSequences(client: Client, { sequences }: BackupCompletion): Promise<void> {
  for (const { table, column, last, called } of sequences)
    await client.query(`select setval(pg_get_serial_sequence($1, $2), $3, $4)`, [
      `"${table}"`,
      column,
      last,
      called,
    ]);
}
