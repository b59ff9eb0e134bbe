import { sql } from 'kysely';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publish, publishAll } from '#server/core/events.ts';
import { moveSubscription } from '#server/notifications/index.ts';

/** Valid sessions per member at most. The settings list them all. A further one ends the oldest. */
export const maxSessionsPerMember = 100;

/**
 * Ends the oldest sessions of a member above the limit, and deletes expired ones. Called when a session has started.
 */
export async function endOldestSessions(db: Database, memberId: number): Promise<void> {
  await transaction(db, async (tx) => {
    const ended = await deleteOldestSessions(tx, memberId);
    await publishAll(
      tx,
      ended.map((sessionId) => ({
        topic: `member:${memberId}`,
        event: { kind: 'sessions-ended', sessionId, except: null },
      })),
    );
  });
}

/**
 * Ends a session whose cookie a new one replaces, with its live connections. The pushes to its browser continue only if
 * the new one is of the same member.
 */
export async function endReplacedSession(
  tx: Tx,
  { token, by }: { token: string; by: { id: number; memberId: number } },
): Promise<void> {
  await moveSubscription(tx, { token, to: by });
  const { rows } = await sql<{ id: number; member_id: number }>`
    delete from session where token = ${token} returning id, member_id`.execute(tx);
  for (const { id: sessionId, member_id: memberId } of rows)
    await publish(tx, `member:${memberId}`, { kind: 'sessions-ended', sessionId, except: null });
}

/** Returns the ids of sessions that had not expired. Skips sessions locked by another transaction. */
async function deleteOldestSessions(tx: Tx, memberId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; lives: boolean }>`
    delete from session where id in (
      select id from session
      where member_id = ${memberId} and (expires_at <= now() or id in (
        select id from session where member_id = ${memberId} and expires_at > now()
        order by created_at desc, id desc offset ${maxSessionsPerMember}
      ))
      for update skip locked
    )
    returning id, expires_at > now() as lives`.execute(tx);
  return rows.filter(({ lives }) => lives).map(({ id }) => id);
}
