import type { ClientBase } from 'pg';
import { getSqlState } from '#server/core/database.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import type { ConvertReport } from './convert.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/*
 * SQL that converters of dumps share: it reads the tables `dump_…`, whose columns are texts, and fills those of
 * forum-tables.ts.
 */

/** A time without a zone is in UTC. Dumps of MySQL have '0000-00-00 00:00:00', those of Go '0001-01-01' for no time. */
export const timeOf = (column: string) =>
  `case when ${column} !~ '^(0000|0001)-' then (${column})::timestamptz end`;

/** A number as an id; null for other texts, such as the ids of accounts of another system. */
export const idOf = (column: string) =>
  `case when ${column} ~ '^[1-9][0-9]{0,14}$' then (${column})::bigint end`;

/** The number of milliseconds since 1970. */
export const millisecondsOf = (column: string) =>
  `case when ${column} ~ '^[0-9]{1,15}$' and ${column} !~ '^0+$' then to_timestamp((${column})::numeric / 1000) end`;

/** A name as a part of a path. */
export function escapeForPath(column: string): string {
  const escapes = { '%': '%25', '?': '%3F', '#': '%23', '/': '%2F', '\\': '%5C', ' ': '%20' };
  return Object.entries(escapes).reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, column);
}

/**
 * Runs what reads the tables of a dump.
 * @throws ArchiveError for values of another type, such as a text as a number
 */
export async function readDumpTables(
  name: string,
  product: string,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    // Class 22 are values that are not valid.
    throw getSqlState(error)?.startsWith('22') === true
      ? new ArchiveError(`${name} is not a dump of ${product}: ${getErrorMessage(error)}.`, { cause: error })
      : error;
  }
}

/**
 * Checks that ids are unique, because what refers to them would be ambiguous.
 * @throws ArchiveError with an id that two rows have
 */
export async function checkForumIds(client: ClientBase, name: string): Promise<void> {
  for (const [table, rows] of [
    ['forum_member', 'members'],
    ['forum_topic', 'topics'],
    ['forum_post', 'posts'],
  ]) {
    const { rows: twice } = await client.query<{ id: string }>(
      `select id from ${table} group by id having count(*) > 1 order by id limit 1`,
    );
    const [row] = twice;
    if (row !== undefined) throw new ArchiveError(`${name}: two ${rows} have the number ${row.id}.`);
  }
}

/** The outcome of rows that are listed as reasons, null for what is converted, with counts. */
export async function reportRows(client: ClientBase, file: string, reasons: string): Promise<ConvertReport> {
  const { rows } = await client.query<{ reason: string | null; rows: number }>(
    `select reason, count(*)::int as rows from (${reasons}) outcome (reason) group by 1 order by 2 desc, 1`,
  );
  return {
    file,
    read: rows.reduce((sum, row) => sum + row.rows, 0),
    converted: rows.find(({ reason }) => reason === null)?.rows ?? 0,
    leftOut: rows.flatMap(({ reason, rows: number }) => (reason === null ? [] : [{ reason, rows: number }])),
  };
}
