import type { ClientBase } from 'pg';
import { getSqlState } from '#server/core/database.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { arrangePosts, createForumTables, indexForumTables } from './forum-tables.ts';
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
 * Creates the tables of forum-tables.ts, fills them from the tables of a dump and arranges the posts.
 * @throws ArchiveError for values of another type, such as a text as a number, and for an id that two rows have
 */
export async function fillForumTables(
  client: ClientBase,
  { name, product }: { name: string; product: string },
  fill: () => Promise<void>,
): Promise<void> {
  await createForumTables(client);
  try {
    await fill();
  } catch (error) {
    // Class 22 are values that are not valid.
    throw getSqlState(error)?.startsWith('22') === true
      ? new ArchiveError(`${name} is not a dump of ${product}: ${getErrorMessage(error)}.`, { cause: error })
      : error;
  }
  await indexForumTables(client);
  await checkForumIds(client, name);
  await arrangePosts(client);
}

/** Checks that ids are unique, because what refers to them would be ambiguous. */
async function checkForumIds(client: ClientBase, name: string): Promise<void> {
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

/** The remark about tables of a dump that are not among those that are read. */
export function remarkOtherTables(found: ReadonlySet<string>, tables: object, prefix = ''): string[] {
  const other = [...found].filter((table) => !Object.hasOwn(tables, table.slice(prefix.length))).length;
  return other > 0 ? [`${other} other tables of the dump were not read`] : [];
}
