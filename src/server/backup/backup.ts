import type { Writable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Progress } from '#server/platform/progress.ts';
import { type Completion, type Contents, digestOf, passing, writeBackup } from './file.ts';
import { copyOf, sequencesOf, type Table, tablesOf } from './tables.ts';

export type BackupOptions = {
  /** A connection of its own; the community goes on working on others. */
  client: Client;
  to: Writable;
  /** Parley's version. */
  version: string;
  progress: Progress;
  signal: AbortSignal;
  /** The moment of another transaction that is open (pg_export_snapshot); without it, the moment when this one begins. */
  snapshot?: string;
};

/** Thrown where there is nothing to back up. */
export class NoCommunity extends Error {}

/**
 * Writes the whole community as it is at one moment. Members write on meanwhile: a snapshot keeps that moment.
 * @returns how many rows each table has in it
 * @throws NoCommunity
 */
export async function backUp({
  client,
  to,
  version,
  progress,
  signal,
  snapshot,
}: BackupOptions): Promise<Completion> {
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set client_connection_check_interval = '5s';
    set timezone = 'UTC';
    set extra_float_digits = 1;
    begin isolation level repeatable read read only;`);
  try {
    if (snapshot !== undefined)
      await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`);
    const tables = await tablesOf(client);
    if (!tables.some(({ name }) => name === 'member'))
      throw new NoCommunity('There is no community in this database.');
    const said = await contentsOf(client, tables, version);
    // The first statement has taken the snapshot; a sequence is not part of it, and only ever further on.
    const file = writeBackup(to);
    await file.contents(said);
    progress.start(tables.reduce((sum, table) => sum + table.bytes, 0));
    const written: Completion['tables'] = [];
    const before = { bytes: 0, rows: 0 };
    for (const table of tables) {
      signal.throwIfAborted();
      const sum = passing();
      const rows = client.query(copyTo(`${copyOf(table)} to stdout`));
      await file.table(table.name, rows, (bytes) => {
        signal.throwIfAborted();
        sum.pass(bytes);
        const share = Math.min(1, sum.rows() / Math.max(1, table.rows));
        progress.update(table.name, before.bytes + share * table.bytes, before.rows + sum.rows());
      });
      written.push({ name: table.name, ...sum.done() });
      before.bytes += table.bytes;
      before.rows += sum.rows();
    }
    const completion: Completion = {
      contents: digestOf(said),
      tables: written,
      sequences: await sequencesOf(client),
    };
    await file.complete(completion);
    await client.query('commit');
    return completion;
  } finally {
    progress.stop();
  }
}

async function contentsOf(client: Client, tables: readonly Table[], version: string): Promise<Contents> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration order by name',
  );
  return {
    format: 'parley backup 1',
    madeBy: version,
    madeAt: new Date().toISOString(),
    migrations: rows,
    tables: tables.map(({ name, columns }) => ({ name, columns })),
  };
}
