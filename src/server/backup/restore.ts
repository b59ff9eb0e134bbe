import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { databaseOn } from '#server/platform/database.ts';
import { applyMigrations } from '#server/platform/migrations.ts';
import type { Progress } from '#server/platform/progress.ts';
import { type Completion, type Contents, DamagedBackup, passing, readBackup } from './file.ts';
import { copyOf, tablesOf } from './tables.ts';

export type RestoreOptions = {
  /** A connection of its own to a database in which there is nothing. */
  client: Client;
  /** Opens the file, which is read twice: through it first, so that a damaged one is refused before anything is done. */
  open: () => Readable;
  /** Bytes of the file. */
  size: number;
  migrationsFolder: string;
  progress: Progress;
  signal: AbortSignal;
};

/** Thrown where there is something in the database already; nothing is changed then. */
export class NotEmpty extends Error {}

/**
 * Brings a community back into an empty database: all of it, or nothing. The tables are made as they were when the backup
 * was made; migrations that came since are the next start's, as after any upgrade.
 * @throws DamagedBackup, NotEmpty; MigrationError where a newer Parley has made the backup
 */
export async function restore(
  options: RestoreOptions,
): Promise<{ contents: Contents; completion: Completion }> {
  const { client, open, progress, size, signal } = options;
  progress.start(size);
  await readThrough(open(), (bytes) => {
    signal.throwIfAborted();
    progress.update('reading through it', bytes, 0);
  });
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set client_connection_check_interval = '5s';
    set maintenance_work_mem = '256MB';
    set timezone = 'UTC';
    begin;`);
  try {
    await requireEmpty(client);
    const restored = await load(options);
    signal.throwIfAborted();
    await client.query('commit');
    await client.query('analyze');
    return restored;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    progress.stop();
  }
}

async function requireEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') limit 1`,
  );
  const [first] = rows;
  if (first === undefined) return;
  throw new NotEmpty(`The database is not empty: it has the table ${first.name}.`);
}

/**
 * Reads a backup from end to end.
 * @throws DamagedBackup where a row is not as it was written
 */
export async function readThrough(from: Readable, read: (bytes: number) => void): Promise<void> {
  const sums = new Map<string, ReturnType<typeof passing>>();
  for await (const part of readBackup(from)) {
    if (part.kind === 'complete') {
      requireSame(part.completion, sums);
      continue;
    }
    read(part.bytes);
    if (part.kind === 'contents') continue;
    const sum = sums.get(part.table) ?? passing();
    sums.set(part.table, sum);
    sum.pass(part.rows);
  }
}

function requireSame({ tables }: Completion, sums: ReadonlyMap<string, ReturnType<typeof passing>>): void {
  const none = passing().done();
  for (const { name, rows, sha256 } of tables) {
    const found = sums.get(name)?.done() ?? none;
    if (found.rows !== rows || found.sha256 !== sha256)
      throw new DamagedBackup(`The rows of the table ${name} are not those that were written.`);
  }
  for (const name of sums.keys())
    if (!tables.some((table) => table.name === name))
      throw new DamagedBackup(`Its end does not tell of the table ${name}.`);
}

async function load({ client, open, size, migrationsFolder, progress, signal }: RestoreOptions) {
  let contents: Contents | undefined;
  let completion: Completion | undefined;
  let apart: Apart = { constraints: [], indexes: [] };
  let loading: Loading | undefined;
  let rows = 0;
  try {
    for await (const part of readBackup(open())) {
      signal.throwIfAborted();
      if (part.kind === 'contents') {
        contents = part.contents;
        await makeTables(client, contents, migrationsFolder);
        apart = await takeApart(client);
      } else if (part.kind === 'rows') {
        if (loading?.table !== part.table) {
          rows += (await loading?.end()) ?? 0;
          const columns = contents?.tables.find(({ name }) => name === part.table)?.columns ?? [];
          loading = beginLoading(client, { name: part.table, columns });
        }
        await loading.write(part.rows);
        progress.update(part.table, part.bytes, rows + loading.rows());
      } else {
        rows += (await loading?.end()) ?? 0;
        completion = part.completion;
      }
    }
  } catch (error) {
    // Nothing else can be said to PostgreSQL while it waits for rows.
    await loading?.giveUp();
    throw error;
  }
  if (contents === undefined || completion === undefined) throw new DamagedBackup('Its end is missing.');
  await putTogether(client, apart, (what) => progress.update(what, size, rows));
  await setSequences(client, completion);
  return { contents, completion };
}

/** @throws MigrationError */
async function makeTables(client: Client, { migrations, tables }: Contents, folder: string): Promise<void> {
  await applyMigrations(databaseOn(client), folder, migrations);
  const made = new Map((await tablesOf(client)).map((table) => [table.name, table]));
  for (const { name, columns } of tables)
    if (!columns.every((column) => made.get(name)?.columns.includes(column)))
      throw new DamagedBackup(`The table ${name} is not one of its version.`);
  // Some migrations write rows, which are in the backup as well.
  const written: string[] = [];
  for (const name of made.keys()) {
    const { rows } = await client.query(`select from "${name}" limit 1`);
    if (rows.length > 0) written.push(`"${name}"`);
  }
  if (written.length > 0) await client.query(`truncate ${written.join(', ')}`);
}

type Apart = { constraints: { table: string; name: string; as: string }[]; indexes: string[] };

/** Foreign keys and indexes come behind the rows: tables may be filled in any order, and are in a fraction of the time. */
async function takeApart(client: Client): Promise<Apart> {
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
  for (const { name } of await tablesOf(client))
    await client.query(`alter table "${name}" disable trigger user`);
  return { constraints: constraints.rows, indexes: indexes.rows.map((index) => index.as) };
}

async function putTogether(
  client: Client,
  { constraints, indexes }: Apart,
  tell: (what: string) => void,
): Promise<void> {
  for (const [number, index] of indexes.entries()) {
    tell(`index ${number + 1} of ${indexes.length}`);
    await client.query(index);
  }
  tell('what belongs together');
  for (const { table, name, as } of constraints)
    await client.query(`alter table "${table}" add constraint "${name}" ${as}`);
  for (const { name } of await tablesOf(client))
    await client.query(`alter table "${name}" enable trigger user`);
}

type Loading = {
  table: string;
  rows: () => number;
  write: (rows: Buffer) => Promise<void>;
  /** Returns how many rows there were. */
  end: () => Promise<number>;
  giveUp: () => Promise<void>;
};

function beginLoading(client: Client, table: { name: string; columns: string[] }): Loading {
  const stream: CopyStreamQuery = client.query(copyFrom(`${copyOf(table)} from stdin`));
  const done = finished(stream);
  // Awaited at the next piece or the end.
  done.catch(() => {});
  const sum = passing();
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
    async giveUp() {
      stream.destroy();
      await done.catch(() => {});
    },
  };
}

async function setSequences(client: Client, { sequences }: Completion): Promise<void> {
  for (const { table, column, last, called } of sequences)
    await client.query(`select setval(pg_get_serial_sequence($1, $2), $3, $4)`, [
      `"${table}"`,
      column,
      last,
      called,
    ]);
}
