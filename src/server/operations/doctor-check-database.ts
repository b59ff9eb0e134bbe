import { listPendingMigrations, MigrationError } from '#server/postgres/index.ts';
import type { Database } from '#server/core/database.ts';
import { type Finding, createFinding, formatMegabytes, okFinding } from './doctor-findings.ts';
import {
  type Activity,
  listAppliedMigrations,
  getActivity,
  getServerInfo,
  type ServerInfo,
} from './doctor-queries.ts';

/** Connections of a node at most: requests, searches, background jobs, and two that listen (docs/operating.md). */
const maxConnectionsPerNode = 20 + 5 + 4 + 2;

export async function checkDatabaseServer(
  db: Database,
): Promise<{ findings: Finding[]; dataDirectory: string | null }> {
  const server = await getServerInfo(db);
  const findings = [
    ...checkServerSettings(server),
    ...checkConnections(server),
    ...checkRights(server),
    ...checkTables(server),
  ];
  const allWellText = `PostgreSQL ${server.version} has what Parley needs.`;
  return {
    findings: findings.length === 0 ? [okFinding('database', allWellText)] : findings,
    dataDirectory: server.dataDirectory,
  };
}

function* checkServerSettings(server: ServerInfo): Iterable<Finding> {
  const finding = createFinding('database');
  if (server.major < 15)
    yield finding(
      'problem',
      `The server is PostgreSQL ${server.version}.`,
      'Parley needs 15 or newer.',
      'Upgrade it, or take a backup and restore it into a newer server.',
    );
  if (server.encoding !== 'UTF8')
    yield finding(
      'problem',
      `The encoding of the database is ${server.encoding}.`,
      'Members write in every language.',
      "Restore a backup into a database created with encoding 'UTF8'.",
    );
  if (!server.hasTrigrams)
    yield finding(
      'problem',
      'The extension pg_trgm is missing.',
      'Search needs it.',
      'As a superuser, in this database: create extension pg_trgm',
    );
  for (const [name, value] of [
    ['fsync', server.fsync],
    ['full_page_writes', server.fullPageWrites],
  ] as const)
    if (value !== 'on')
      yield finding(
        'problem',
        `${name} is ${value}.`,
        'After a crash the database may be damaged beyond repair.',
        `alter system set ${name} = on, then select pg_reload_conf()`,
      );
  if (server.synchronousCommit === 'off')
    yield finding(
      'problem',
      'synchronous_commit is off.',
      'A crash loses posts that members saw as saved.',
      'alter system set synchronous_commit = on, then select pg_reload_conf()',
    );
  if (server.autovacuum !== 'on')
    yield finding(
      'problem',
      'autovacuum is off.',
      'Tables grow without limit, and PostgreSQL stops accepting writes before transaction ids run out.',
      'alter system set autovacuum = on, then select pg_reload_conf()',
    );
  if (server.checksumFailures > 0)
    yield finding(
      'problem',
      `PostgreSQL read ${server.checksumFailures} pages with wrong checksums.`,
      'The disk is losing data.',
      'Take a backup to another disk now, verify it, and replace this one.',
    );
  if (server.oldestTransactionAge > 1_000_000_000)
    yield finding(
      server.oldestTransactionAge > 1_500_000_000 ? 'problem' : 'warning',
      `The oldest row is ${server.oldestTransactionAge.toLocaleString('en')} transactions old.`,
      'At two billion, PostgreSQL accepts no more writes.',
      'End old transactions and replication slots, then run: vacuum (freeze)',
    );
}

function checkConnections({ connections, maxConnections }: ServerInfo): Finding[] {
  const finding = createFinding('connections');
  const why = `Each Parley node uses up to ${maxConnectionsPerNode}, and requests that get none are refused.`;
  const todo = 'Raise max_connections and restart PostgreSQL, or close other connections.';
  if (connections > 0.85 * maxConnections)
    return [finding('problem', `${connections} of ${maxConnections} connections are in use.`, why, todo)];
  if (maxConnections < maxConnectionsPerNode + 10)
    return [finding('warning', `max_connections is ${maxConnections}.`, why, todo)];
  return [];
}

function* checkRights({ isSuperuser, canCreateSchema, tablesOfOtherRoles }: ServerInfo): Iterable<Finding> {
  const finding = createFinding('rights');
  if (isSuperuser)
    yield finding(
      'warning',
      'Parley connects as a superuser of PostgreSQL.',
      'Its password gives access to every database of the server.',
      'Create a role that owns only this database (docs/operating.md).',
    );
  if (!canCreateSchema)
    yield finding(
      'problem',
      'The role may not create a schema in the database.',
      'Parley stores its jobs in one (parley_jobs).',
      'alter database NAME owner to ROLE',
    );
  if (tablesOfOtherRoles.length > 0)
    yield finding(
      'problem',
      `Tables belong to another role: ${tablesOfOtherRoles.join(', ')}.`,
      'The next upgrade cannot change them.',
      'As a superuser: reassign owned by THAT_ROLE to ROLE',
    );
}

function* checkTables({
  unloggedTables,
  bloatedTables,
  invalidIndexes,
  preparedTransactions,
}: ServerInfo): Iterable<Finding> {
  const finding = createFinding('tables');
  if (unloggedTables.length > 0)
    yield finding(
      'problem',
      `Tables are unlogged: ${unloggedTables.join(', ')}.`,
      'A crash empties them, and replicas do not have them.',
      `alter table NAME set logged`,
    );
  if (invalidIndexes.length > 0)
    yield finding(
      'problem',
      `Indexes are invalid: ${invalidIndexes.join(', ')}.`,
      'They are not used, and unique values may be duplicated.',
      'reindex index concurrently NAME',
    );
  if (bloatedTables.length > 0)
    yield finding(
      'hint',
      `Tables have many dead rows: ${bloatedTables.join(', ')}.`,
      'They take space and time.',
      'vacuum (analyze) NAME; if that does not help, an old transaction or replication slot holds them.',
    );
  if (preparedTransactions > 0)
    yield finding(
      'warning',
      `${preparedTransactions} prepared transactions have been open for minutes.`,
      'They hold locks and keep PostgreSQL from removing dead rows.',
      'select * from pg_prepared_xacts, then commit prepared or rollback prepared',
    );
}

export async function checkMigrations(db: Database, directory: string): Promise<Finding> {
  const finding = createFinding('migrations');
  try {
    const pending = await listPendingMigrations(await listAppliedMigrations(db), directory);
    if (pending.length === 0) return okFinding('migrations', "The database has this version's schema.");
    return finding(
      'warning',
      `Not applied yet: ${pending.map(({ name }) => name).join(', ')}.`,
      'The database has the schema of an older version.',
      'Take a backup, then start this version, or run: parley migrate',
    );
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return finding(
      'problem',
      error.message,
      'This version cannot work on this database.',
      'Start the version that matches the database.',
    );
  }
}

export async function checkActivity(db: Database): Promise<Finding[]> {
  const findings = [...findSlowActivity(await getActivity(db))];
  return findings.length === 0
    ? [okFinding('activity', 'No transaction has been open for long, and nothing waits.')]
    : findings;
}

function* findSlowActivity(activity: Activity): Iterable<Finding> {
  const { longestTransactionSeconds, blockedStatements, retainedWalBytes, inactiveSlots } = activity;
  const finding = createFinding('activity');
  if (longestTransactionSeconds > 300)
    yield finding(
      longestTransactionSeconds > 3_600 ? 'problem' : 'warning',
      `A transaction has been open for ${Math.round(longestTransactionSeconds / 60)} minutes.`,
      'It keeps PostgreSQL from removing dead rows, and may hold locks.',
      'select pid, state, xact_start, query from pg_stat_activity order by xact_start; then pg_terminate_backend(pid)',
    );
  if (blockedStatements > 0)
    yield finding(
      'warning',
      `${blockedStatements} statements have waited for a lock for more than ten seconds.`,
      'Members wait with them.',
      "select pid, pg_blocking_pids(pid), query from pg_stat_activity where wait_event_type = 'Lock'",
    );
  if (inactiveSlots.length > 0)
    yield finding(
      retainedWalBytes > 5 * 1024 ** 3 ? 'problem' : 'warning',
      `The replication slots ${inactiveSlots.join(', ')} are inactive and retain ${formatMegabytes(retainedWalBytes)} of WAL.`,
      'They fill the disk.',
      "Start the replica, or: select pg_drop_replication_slot('NAME')",
    );
}
