import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/core/database.ts';

/**
 * A checksum of all rows by table, except those that refused or read-only requests may change: sessions, rate limits,
 * statistics and search words written by jobs, failed attempts to send emails, settings, security events, used nonces,
 * sign-ins, which are recorded after the response, positions of readers of events and what they write, and email links,
 * which are written after it so that its time does not reveal whether an address exists.
 */
export async function databaseChecksum(db: Database): Promise<string> {
  tables ??= await listTables(db);
  const checksum = await sumOf(
    db,
    tables.map((name) => {
      const withoutAccountEvents = name === 'event' ? sql`where event->>'kind' <> 'account-changed'` : sql``;
      return { name, lines: sql`select row::text from ${sql.table(name)} row ${withoutAccountEvents}` };
    }),
  );
  // A difference names the kind of the event.
  const { rows: kinds } = await sql<{ kind: string; count: number }>`
    select event->>'kind' as kind, count(*)::int as count from event
    where event->>'kind' <> 'account-changed' group by 1 order by 1`.execute(db);
  return [checksum, ...kinds.map(({ kind, count }) => `event ${kind} ${count}`)].join('\n');
}

/** Every database of the tests has the same tables, and to list them takes as long as to read them. */
let tables: readonly string[] | undefined;
let memberColumns: readonly { table: string; column: string }[] | undefined;

async function listTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in (
        ${sql.join(statisticsTables.map((name) => sql.lit(name)))},
        'session', 'rate_limit', 'search_word', 'setting', 'email_link', 'security_event', 'used_nonce',
        'email_failure', 'sign_in', 'event_reader', 'public_change', 'public_change_state')
    order by table_name`.execute(db);
  return rows.map(({ name }) => name);
}

/** A checksum of all rows of a member: their own data including sessions, and their notifications. */
export async function memberChecksum(db: Database, memberId: number): Promise<string> {
  memberColumns ??= await listMemberColumns(db);
  const rows = memberColumns.map(({ table, column }) => ({
    name: table,
    lines: sql`select row::text from ${sql.table(table)} row where ${sql.ref(column)} = ${memberId}`,
  }));
  const member = { name: 'member', lines: sql`select row::text from member row where id = ${memberId}` };
  return sumOf(db, [...rows, member]);
}

async function listMemberColumns(db: Database) {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and column_name in ('member_id', 'recipient_id')
      and table_name not in (${sql.join(statisticsTables.map((name) => sql.lit(name)))})
    order by table_name, column_name`.execute(db);
  return rows;
}

const statisticsTables = [
  'member_statistics_change',
  'member_daily_statistics',
  'member_statistics',
  'tag_statistics_change',
  'tag_weekly_statistics',
  'community_statistics',
  'community_tag_statistics',
  'stale_statistics_day',
  'empty_search',
];

/** A line per table with its name, so that a difference names the table. A sum, because sorting the rows takes longer. */
async function sumOf(
  db: Database,
  parts: readonly { name: string; lines: RawBuilder<unknown> }[],
): Promise<string> {
  const checksums = parts.map(
    ({ name, lines }) =>
      sql`(select concat_ws(' ', ${name}::text, count(*), sum(hashtextextended(line, 0))) from (${lines}) part (line))`,
  );
  const { rows } = await sql<{ sum: string }>`select concat_ws(E'\n', ${sql.join(checksums)}) as sum`.execute(
    db,
  );
  return rows[0]?.sum ?? '';
}
