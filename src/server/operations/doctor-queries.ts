import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

export type ServerInfo = {
  version: string;
  major: number;
  encoding: string;
  /** Whether the extension is installed; in an empty database, whether the first migration can install it. */
  hasTrigrams: boolean;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  autovacuum: string;
  maxConnections: number;
  connections: number;
  isSuperuser: boolean;
  canCreateSchema: boolean;
  /** Tables owned by a role that the current role is not a member of. */
  tablesOfOtherRoles: string[];
  /** Unlogged tables, which a crash empties. */
  unloggedTables: string[];
  /** Tables with many dead rows. */
  bloatedTables: string[];
  invalidIndexes: string[];
  checksumFailures: number;
  /** Age of the oldest unfrozen row, in transactions. */
  oldestTransactionAge: number;
  preparedTransactions: number;
  dataDirectory: string | null;
};

/** Returns facts about the PostgreSQL server. Some need a role that can read its statistics. */
export async function getServerInfo(db: Database): Promise<ServerInfo> {
  const { rows } = await sql<ServerInfo>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding,
      exists (select from pg_extension where extname = 'pg_trgm')
        or to_regclass('public.migration') is null
          and exists (select from pg_available_extensions where name = 'pg_trgm') as "hasTrigrams",
      current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
      current_setting('synchronous_commit') as "synchronousCommit", current_setting('autovacuum') as autovacuum,
      current_setting('max_connections')::int as "maxConnections",
      (select sum(numbackends) from pg_stat_database)::int as connections,
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      has_database_privilege(current_database(), 'create') as "canCreateSchema",
      ${selectTableNames(sql`relkind = 'r' and not pg_has_role(relowner, 'usage')`)} as "tablesOfOtherRoles",
      -- A crash may empty the counters of rate limits.
      ${selectTableNames(sql`relpersistence = 'u' and relkind = 'r' and relname <> 'rate_limit'`)} as "unloggedTables",
      array(select relname::text from pg_stat_user_tables
        where n_dead_tup > 50000 and n_dead_tup > 0.3 * n_live_tup order by 1) as "bloatedTables",
      array(select indexrelid::regclass::text from pg_index where not (indisvalid and indisready) order by 1) as "invalidIndexes",
      coalesce((select checksum_failures from pg_stat_database where datname = current_database()), 0)::int as "checksumFailures",
      (select age(datfrozenxid) from pg_database where datname = current_database())::int as "oldestTransactionAge",
      (select count(*) from pg_prepared_xacts where prepared < now() - interval '5 minutes')::int as "preparedTransactions",
      case when pg_has_role(current_user, 'pg_read_all_settings', 'usage') then current_setting('data_directory') end
        as "dataDirectory"`.execute(db);
  return one(rows);
}

const selectTableNames = (condition: ReturnType<typeof sql>) => sql`
  array(select relname::text from pg_class where relnamespace = 'public'::regnamespace and ${condition} order by 1)`;

export type Activity = {
  /** Age of the oldest transaction in seconds, without backups. */
  longestTransactionSeconds: number;
  /** Statements that have waited for a lock for more than ten seconds. */
  blockedStatements: number;
  /** Bytes of WAL retained for replicas that are not connected. */
  retainedWalBytes: number;
  inactiveSlots: string[];
  /** Connections of serving Parley nodes. */
  servingConnections: number;
};

export async function getActivity(db: Database): Promise<Activity> {
  const { rows } = await sql<Activity>`
    select coalesce(extract(epoch from max(now() - xact_start) filter (
        where application_name <> 'parley backup' and backend_type = 'client backend')), 0)::float8 as "longestTransactionSeconds",
      count(*) filter (where wait_event_type = 'Lock' and query_start < now() - interval '10 seconds')::int as "blockedStatements",
      count(*) filter (where application_name = 'parley' and pid <> pg_backend_pid())::int as "servingConnections",
      coalesce((select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots where not active), 0)::float8
        as "retainedWalBytes",
      array(select slot_name::text from pg_replication_slots where not active order by 1) as "inactiveSlots"
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  return one(rows);
}

/** Returns the age of the oldest event in minutes; null if there is none. */
export async function getOldestEventAgeMinutes(db: Database): Promise<number | null> {
  const { rows } = await sql<{ minutes: number | null }>`
    select (extract(epoch from now() - min(created_at)) / 60)::float8 as minutes from event`.execute(db);
  return rows[0]?.minutes ?? null;
}

export type JobQueueState = { kind: string; late: number; failed: number };

/** Returns jobs that are a quarter of an hour late and jobs that failed; null if no node has ever run. */
export async function listJobQueues(db: Database): Promise<JobQueueState[] | null> {
  const schema = await sql<{
    exists: boolean;
  }>`select to_regclass('parley_jobs.job') is not null as exists`.execute(db);
  if (schema.rows[0]?.exists !== true) return null;
  const { rows } = await sql<JobQueueState>`
    select name as kind,
      count(*) filter (where state = 'created' and start_after < now() - interval '15 minutes')::int as late,
      count(*) filter (where state in ('retry', 'failed'))::int as failed
    from parley_jobs.job group by name order by name`.execute(db);
  return rows;
}

/** Whether the database has no schema yet. */
export async function isDatabaseEmpty(db: Database): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`select to_regclass('migration') is null as empty`.execute(
    db,
  );
  return rows[0]?.empty ?? true;
}

/** The estimated rows and the bytes, with indexes, of the named tables that exist, the largest first. */
export async function listTableSizes(
  db: Database,
  names: readonly string[],
): Promise<{ name: string; rows: number; bytes: number }[]> {
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`
    select relname::text as name, greatest(reltuples, 0)::bigint as rows, pg_total_relation_size(oid) as bytes
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname = any(${[...names]}::text[])
    order by pg_total_relation_size(oid) desc, relname`.execute(db);
  return rows;
}

export async function listAppliedMigrations(db: Database): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from migration order by name`.execute(db);
  return rows;
}

/** The position in the write-ahead log that replicas should have reached, and the id of the database server. */
export type PrimaryPosition = { lsn: string; system: string };

export async function getPrimaryPosition(db: Database): Promise<PrimaryPosition> {
  const { rows } = await sql<PrimaryPosition>`
    select pg_current_wal_flush_lsn()::text as lsn, system_identifier::text as system
    from pg_control_system()`.execute(db);
  const [position] = rows;
  if (position === undefined) throw new Error('PostgreSQL returned no position.');
  return position;
}

/** `hasReached`: whether the replica has replayed the write-ahead log up to the position. Null for a primary. */
export async function getReplicaState(
  replica: Database,
  { lsn }: Pick<PrimaryPosition, 'lsn'>,
): Promise<{ system: string; hasReached: boolean | null; isReceiving: boolean }> {
  const { rows } = await sql<{ system: string; hasReached: boolean | null; isReceiving: boolean }>`
    select system_identifier::text as system,
      case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn, false) end as "hasReached",
      exists (select from pg_stat_wal_receiver) as "isReceiving"
    from pg_control_system()`.execute(replica);
  const [state] = rows;
  if (state === undefined) throw new Error('PostgreSQL returned no state.');
  return state;
}
