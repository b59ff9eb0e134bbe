import { sql } from 'kysely';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';

/** Living sessions of a member at most, all of which the settings show; one more ends the oldest. */
export const maxSessionsPerMember = 100;

/**
 * Ends the oldest sessions of a member beyond the number one may have, and forgets those that have expired. Called when
 * one has begun.
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

/** Returns those that had not expired. A session that somebody else ends at this moment is passed over. */
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
