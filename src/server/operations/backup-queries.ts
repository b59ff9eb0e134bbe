import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { BackupHistory } from './backup-schedule.ts';

export type BackupStatus = BackupHistory & {
  /** Time of the last verification: a restore that was compared. */
  lastVerified: Date | null;
  /** File of the last successful run. */
  lastSuccessFile: string | null;
  lastSuccessBytes: number;
  lastSuccessNode: string | null;
  /** Error of the last run that ended: why it failed, or what the verification found. */
  problem: string | null;
};

/** Ignores runs of a node whose clock was far ahead. Otherwise, there would be no backups until that time. */
const notInFuture = sql`started_at < now() + interval '1 day'`;

/** Uses the database's clock, which all nodes share. */
export async function getBackupStatus(db: Queryable): Promise<BackupStatus> {
  const { rows } = await sql<BackupStatus>`
    with good as (
      select * from backup_run where outcome = 'succeeded' and ${notInFuture} order by started_at desc limit 1
    ), ended as (
      select * from backup_run where outcome <> 'running' and ${notInFuture} order by started_at desc limit 1
    )
    select clock_timestamp() as now,
      (select started_at from good) as "lastSuccess",
      (select max(started_at) from backup_run where ${notInFuture}) as "lastAttempt",
      (select max(verified_at) from backup_run where verified_at < now() + interval '1 day') as "lastVerified",
      (select file from good) as "lastSuccessFile",
      coalesce((select bytes from good), 0)::float8 as "lastSuccessBytes",
      (select node from good) as "lastSuccessNode",
      (select coalesce(reason, verify_problem) from ended) as problem`.execute(db);
  return one(rows);
}

/**
 * The caller holds the lock, so unfinished runs belong to nodes that have stopped. Returns their files. Successful runs
 * are kept, because retention deletes only the files of recorded runs.
 */
export async function startBackupRun(
  db: Queryable,
  run: { node: string; file: string },
): Promise<{ id: number; abandoned: string[] }> {
  const abandoned = await sql<{ file: string }>`
    update backup_run set outcome = 'failed', ended_at = now(), reason = 'Its node ended before it was done.'
    where outcome = 'running' returning file`.execute(db);
  await sql`delete from backup_run where started_at < now() - interval '400 days' and outcome = 'failed'`.execute(
    db,
  );
  const { rows } = await sql<{ id: number }>`
    insert into backup_run (node, file) values (${run.node}, ${run.file}) returning id`.execute(db);
  return { id: one(rows).id, abandoned: abandoned.rows.map(({ file }) => file) };
}

/** Returns the files that this database has recorded as its backups, with their sizes. No backup contains the records. */
export async function listRecordedBackups(db: Queryable): Promise<{ file: string; bytes: number }[]> {
  const { rows } = await sql<{ file: string; bytes: number }>`
    select file, bytes from backup_run where outcome = 'succeeded'`.execute(db);
  return rows;
}

export async function recordBackupSuccess(db: Queryable, id: number, bytes: number): Promise<void> {
  await sql`update backup_run set outcome = 'succeeded', ended_at = now(), bytes = ${bytes} where id = ${id}`.execute(
    db,
  );
}

export async function recordBackupFailure(db: Queryable, id: number, reason: string): Promise<void> {
  await sql`update backup_run set outcome = 'failed', ended_at = now(), reason = ${reason} where id = ${id}`.execute(
    db,
  );
}

/** @param problem null if the backup is complete */
export async function recordBackupVerification(
  db: Queryable,
  id: number,
  problem: string | null,
): Promise<void> {
  await sql`update backup_run set verify_problem = ${problem}, verified_at = case when ${problem}::text is null then now() end
    where id = ${id}`.execute(db);
}
