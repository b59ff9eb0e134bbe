import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/core/database.ts';

/**
 * Of every row of every table, but for sessions, limits on rates, what jobs learn for search or sum up at some moment, that
 * somebody was told of the safety of their account, what is written behind an answer, so that it takes as long for an
 * address that nobody has, and what was tried and counts no more.
 */
export async function databaseChecksum(db: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in (
        ${sql.join(statisticsTables.map((name) => sql.lit(name)))},
        'session', 'rate_limit', 'search_word', 'setting', 'account_token', 'security_event', 'used_nonce')
    order by table_name`.execute(db);
  return sumOf(
    db,
    tables.map(({ name }) => {
      const told = name === 'event' ? sql`where event->>'kind' <> 'account-changed'` : sql``;
      return sql`select row::text from ${sql.table(name)} row ${told}`;
    }),
  );
}

/** Of every row that is about a member: what is theirs in their own name, sessions included, and notifications to them. */
export async function memberChecksum(db: Database, memberId: number): Promise<string> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and column_name in ('member_id', 'recipient_id')
      and table_name not in (${sql.join(statisticsTables.map((name) => sql.lit(name)))})
    order by table_name, column_name`.execute(db);
  const rows = columns.map(
    ({ table, column }) =>
      sql`select row::text from ${sql.table(table)} row where ${sql.ref(column)} = ${memberId}`,
  );
  return sumOf(db, [...rows, sql`select row::text from member row where id = ${memberId}`]);
}

const statisticsTables = [
  'member_statistics_change',
  'member_daily_statistics',
  'member_statistics',
  'tag_statistics_change',
  'tag_weekly_statistics',
];

async function sumOf(db: Database, parts: readonly RawBuilder<unknown>[]): Promise<string> {
  const sums = parts.map(
    (part) => sql`(select md5(coalesce(string_agg(line, ' ' order by line), '')) from (${part}) part (line))`,
  );
  const { rows } = await sql<{ sum: string }>`select concat_ws(E'\n', ${sql.join(sums)}) as sum`.execute(db);
  return rows[0]?.sum ?? '';
}
