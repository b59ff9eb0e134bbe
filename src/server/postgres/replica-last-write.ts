import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import { type Lsn, parseLsn } from './lsn.ts';

/**
 * Notes that the member has written just now. To be called when the write is committed and before it is acknowledged.
 * The place is read once the row is locked, so that of two at the same time the later one stays. It is not waited for on
 * the disk; what that means for a crash of the primary is in heart.ts.
 */
export async function recordLastWrite(db: Database, memberId: number): Promise<void> {
  await sql`
    insert into member_last_write (member_id, lsn)
    select id, pg_current_wal_insert_lsn()
    from member, (select set_config('synchronous_commit', 'off', true)) unwaited
    where id = ${memberId}
    on conflict (member_id) do update set lsn = pg_current_wal_insert_lsn()`.execute(db);
}

/** Where the member's last write lies; null for one who has not written. */
export async function getLastWrite(db: Database, memberId: number): Promise<Lsn | null> {
  const { rows } = await sql<{ lsn: string }>`
    select lsn::text as lsn from member_last_write where member_id = ${memberId}`.execute(db);
  return parseLsn(rows[0]?.lsn);
}

/** Puts right what another cluster's log left behind, whose places may lie far ahead: a dump restored, a failover. */
export async function resetFutureWrites(db: Database): Promise<void> {
  await sql`
    update member_last_write set lsn = pg_current_wal_insert_lsn()
    where lsn > pg_current_wal_insert_lsn()`.execute(db);
}

/** Drops what nodes wrote that are gone. */
export async function deleteOldHeartbeats(db: Database): Promise<void> {
  await sql`delete from node_heartbeat where sent_at < now() - interval '1 day'`.execute(db);
}
