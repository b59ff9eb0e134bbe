import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import type { BackupHistory } from './backup-schedule.ts';

export type BackupStatus = BackupHistory & {
  /** When one was last restored and compared. */
  lastVerified: Date | null;
  /** Of the last good one. */
  lastSuccessFile: string | null;
  lastSuccessBytes: number;
  lastSuccessNode: string | null;
  /** What was wrong with the last one that ended: that it failed, or what restoring it showed. */
  problem: string | null;
};

/** A clock that was far ahead for a while must not keep backups from being made until then. */
const notInFuture = sql`started_at < now() + interval '1 day'`;

/** The database's clock is everybody's. */
export async function getBackupStatus(db: Queryable): Promise<BackupStatus> {
  const { rows } = await sql<BackupStatus>`
    with good as (
      select * from backup_run where outcome = 'good' and ${notInFuture} order by started_at desc limit 1
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
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no clock');
  return row;
}

/** Whoever begins holds the lock, so runs that seem to go on were those of nodes that ended. */
export async function startBackupRun(db: Queryable, run: { node: string; file: string }): Promise<number> {
  await sql`update backup_run set outcome = 'failed', ended_at = now(), reason = 'Its node ended before it was done.'
    where outcome = 'running'`.execute(db);
  await sql`delete from backup_run where started_at < now() - interval '400 days'`.execute(db);
  const { id } = await db.insertInto('backup_run').values(run).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function recordBackupSuccess(db: Queryable, id: number, bytes: number): Promise<void> {
  await sql`update backup_run set outcome = 'good', ended_at = now(), bytes = ${bytes} where id = ${id}`.execute(
    db,
  );
}

export async function recordBackupFailure(db: Queryable, id: number, reason: string): Promise<void> {
  await sql`update backup_run set outcome = 'failed', ended_at = now(), reason = ${reason} where id = ${id}`.execute(
    db,
  );
}

/** @param problem null: it is whole */
export async function recordBackupVerification(
  db: Queryable,
  id: number,
  problem: string | null,
): Promise<void> {
  await sql`update backup_run set verify_problem = ${problem}, verified_at = case when ${problem}::text is null then now() end
    where id = ${id}`.execute(db);
}
