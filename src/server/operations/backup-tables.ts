import type { ClientBase } from 'pg';

/** Transient data of running nodes, which a restored community does not need. */
const transientTables = [
  'event',
  'event_reader',
  'public_change',
  'public_change_state',
  'rate_limit',
  'member_last_write',
  'node_heartbeat',
  'backup_run',
  'export_run',
  'migration',
  'used_nonce',
];

export type BackupTable = { name: string; columns: string[]; bytes: number; rows: number };

/** Returns the community's tables with their stored columns (without generated ones) and their approximate sizes. */
export async function listTables(client: ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `select class.relname as name, pg_table_size(class.oid)::float8 as bytes,
       greatest(class.reltuples, 0)::float8 as rows,
       array(
         select attname::text from pg_attribute
         where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
       ) as columns
     from pg_class class
     where class.relnamespace = 'public'::regnamespace and class.relkind = 'r' and not class.relname = any($1)
     order by class.relname`,
    [transientTables],
  );
  return rows;
}

export type TableSequence = { table: string; column: string; last: number; called: boolean };

/** Returns the next value of each sequence that a column owns, so that values of deleted rows are never used again. */
export async function listSequences(client: ClientBase): Promise<TableSequence[]> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select class.relname as table, attname::text as column,
       pg_get_serial_sequence(quote_ident(class.relname), attname) as sequence
     from pg_attribute join pg_class class on class.oid = attrelid
     where class.relnamespace = 'public'::regnamespace and class.relkind = 'r' and attnum > 0 and not attisdropped
       and pg_get_serial_sequence(quote_ident(class.relname), attname) is not null and not class.relname = any($1)
     order by class.relname`,
    [transientTables],
  );
  const sequences: TableSequence[] = [];
  for (const { table, column, sequence } of rows) {
    const state = await client.query<{ last: string; called: boolean }>(
      `select last_value as last, is_called as called from ${sequence}`,
    );
    const [row] = state.rows;
    if (row === undefined) throw new Error(`the sequence of ${table} has no state`);
    sequences.push({ table, column, last: Number(row.last), called: row.called });
  }
  return sequences;
}

/** Returns `copy answer (id, …)`, for both directions. */
export function copyStatement({ name, columns }: Pick<BackupTable, 'name' | 'columns'>): string {
  return `copy "${name}" (${columns.map((column) => `"${column}"`).join(', ')})`;
}
