import type { Writable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Progress } from '#server/core/progress.ts';
import {
  type BackupCompletion,
  type BackupManifest,
  computeDigest,
  createRowChecksum,
  createBackupWriter,
} from './backup-file.ts';
import { copyStatement, listSequences, type BackupTable, listTables } from './backup-tables.ts';

export type BackupOptions = {
  /** A dedicated connection; the community uses others. */
  client: Client;
  to: Writable;
  /** Parley's version. */
  version: string;
  progress: Progress;
  signal: AbortSignal;
  /** The exported snapshot of an open transaction (pg_export_snapshot). Default: the snapshot of this one. */
  snapshot?: string;
};

/** The database has no community to back up. */
export class NoCommunityError extends Error {}

/**
 * Writes the whole community as of one snapshot, while members write.
 * @returns the number of rows of each table
 * @throws NoCommunityError
 */
export async function backUpDatabase({
  client,
  to,
  version,
  progress,
  signal,
  snapshot,
}: BackupOptions): Promise<BackupCompletion> {
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0;
    set client_connection_check_interval = '5s';
    set timezone = 'UTC';
    set datestyle = 'ISO';
    set intervalstyle = 'postgres';
    set extra_float_digits = 1;
    begin isolation level repeatable read read only;`);
  try {
    if (snapshot !== undefined)
      await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`);
    const tables = await listTables(client);
    if (!tables.some(({ name }) => name === 'member'))
      throw new NoCommunityError('There is no community in this database.');
    const manifest = await createManifest(client, tables, version);
    // The first statement has taken the snapshot. Sequences are not part of it and can only be further ahead.
    const file = createBackupWriter(to);
    await file.writeManifest(manifest);
    progress.start(tables.reduce((checksum, table) => checksum + table.bytes, 0));
    const written: BackupCompletion['tables'] = [];
    const before = { bytes: 0, rows: 0 };
    for (const table of tables) {
      signal.throwIfAborted();
      const checksum = createRowChecksum();
      const rows = client.query(copyTo(`${copyStatement(table)} to stdout`));
      await file.writeTable(table.name, rows, (bytes) => {
        signal.throwIfAborted();
        checksum.pass(bytes);
        const share = Math.min(1, checksum.rows() / Math.max(1, table.rows));
        progress.update(table.name, before.bytes + share * table.bytes, before.rows + checksum.rows());
      });
      written.push({ name: table.name, ...checksum.done() });
      before.bytes += table.bytes;
      before.rows += checksum.rows();
    }
    const completion: BackupCompletion = {
      contents: computeDigest(manifest),
      tables: written,
      sequences: await listSequences(client),
    };
    await file.complete(completion);
    await client.query('commit');
    return completion;
  } finally {
    progress.stop();
  }
}

async function createManifest(
  client: Client,
  tables: readonly BackupTable[],
  version: string,
): Promise<BackupManifest> {
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
