import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import { type Lsn, parseLsn } from './lsn.ts';

/**
 * Stores the position of a member's write. Call it after the commit and before the response. The position is read while
 * the row is locked, so the later of two concurrent writes wins. It does not wait for the disk; replica-heartbeat.ts
 * handles a crash of the primary.
 */
export async function recordLastWrite(db: Database, memberId: number): Promise<void> {
  await sql`
    insert into member_last_write (member_id, lsn)
    select id, pg_current_wal_insert_lsn()
    from member, (select set_config('synchronous_commit', 'off', true)) asynchronous_commit
    where id = ${memberId}
    on conflict (member_id) do update set lsn = pg_current_wal_insert_lsn()`.execute(db);
}

/** The position of the member's last write. Null if the member has not written. */
export async function getLastWrite(db: Database, memberId: number): Promise<Lsn | null> {
  const { rows } = await sql<{ lsn: string }>`
    select lsn::text as lsn from member_last_write where member_id = ${memberId}`.execute(db);
  return parseLsn(rows[0]?.lsn);
}

/**
 * Corrects positions that come from the log of another cluster and may be far ahead, after a restored dump or a
 * failover.
 */
export async function resetFutureWrites(db: Database): Promise<void> {
  await sql`
    update member_last_write set lsn = pg_current_wal_insert_lsn()
    where lsn > pg_current_wal_insert_lsn()`.execute(db);
}

/** Deletes the heartbeats of nodes that are gone. */
export async function deleteOldHeartbeats(db: Database): Promise<void> {
  await sql`delete from node_heartbeat where sent_at < now() - interval '1 day'`.execute(db);
}
