import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

export type ExportStatus = {
  now: Date;
  /** Start of the last successful run; null if there is none. */
  lastSuccess: Date | null;
  /** Start of the last run, with any result. */
  lastAttempt: Date | null;
  /** Why the last run that ended failed; null if it did not. */
  problem: string | null;
};

/** Ignores runs of a node whose clock was far ahead, as for backups. */
const notInFuture = sql`started_at < now() + interval '1 day'`;

/** Uses the database's clock, which all nodes share. */
export async function getExportStatus(db: Queryable): Promise<ExportStatus> {
  const { rows } = await sql<ExportStatus>`
    select clock_timestamp() as now,
      (select max(started_at) from export_run where outcome = 'succeeded' and ${notInFuture}) as "lastSuccess",
      (select max(started_at) from export_run where ${notInFuture}) as "lastAttempt",
      (select reason from export_run where outcome <> 'running' and ${notInFuture}
        order by started_at desc limit 1) as problem`.execute(db);
  return one(rows);
}

/** The caller holds the lock, so unfinished runs belong to nodes that have stopped. */
export async function startExportRun(
  db: Queryable,
  { node, directory }: { node: string; directory: string },
): Promise<number> {
  await sql`update export_run set outcome = 'failed', ended_at = now(), reason = 'Its node ended before it was done.'
    where outcome = 'running'`.execute(db);
  await sql`delete from export_run where started_at < now() - interval '400 days'`.execute(db);
  const { rows } = await sql<{ id: number }>`
    insert into export_run (node, directory) values (${node}, ${directory}) returning id`.execute(db);
  return one(rows).id;
}

/** @param reason why it failed; null if it succeeded */
export async function finishExportRun(db: Queryable, id: number, reason: string | null): Promise<void> {
  await sql`
    update export_run set outcome = ${reason === null ? 'succeeded' : 'failed'}, ended_at = now(), reason = ${reason}
    where id = ${id}`.execute(db);
}
