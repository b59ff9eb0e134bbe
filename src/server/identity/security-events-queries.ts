import type { SecurityEvent } from '#shared/core/events.ts';
import { sql } from 'kysely';
import type { Database, Tx } from '#server/core/database.ts';

export async function insertSecurityEvent(
  tx: Tx,
  entry: { memberId: number; event: SecurityEvent; to?: string | null },
): Promise<void> {
  const { memberId, event, to } = entry;
  await sql`
    insert into security_event (member_id, event, notify_email, notify_language)
    select id, ${event}, ${to === undefined ? sql.ref('email') : sql`${to}::text`}, language
    from member where id = ${memberId}`.execute(tx);
}

export type UnsentSecurityEvent = {
  id: number;
  event: SecurityEvent;
  member_id: number;
  notify_email: string;
  /** Whether emails to the address are off, so that none is sent. */
  is_off: boolean;
  notify_language: string | null;
  created_at: Date;
};

/** Returns the events to email and locks them. Other transactions skip them. */
export async function claimUnsentSecurityEvents(
  tx: Tx,
  { limit }: { limit: number },
): Promise<UnsentSecurityEvent[]> {
  const { rows } = await sql<UnsentSecurityEvent>`
    update security_event set notify_email = null
    from (
      select id, notify_email, exists (
        select from member where id = member_id and email = notify_email and email_off_at is not null
      ) as is_off
      from security_event where notify_email is not null
      order by id limit ${limit} for update skip locked
    ) unsent
    where security_event.id = unsent.id
    returning unsent.id, member_id, event, unsent.notify_email, notify_language, created_at, unsent.is_off`.execute(
    tx,
  );
  return rows.filter(({ is_off: isOff }) => !isOff);
}

/** Deletes events older than `days`, also those that were not emailed in that time. */
export async function deleteSecurityEvents(
  db: Database,
  { days, unsentDays }: { days: number; unsentDays: number },
): Promise<void> {
  await sql`delete from security_event where created_at < now() - make_interval(days => ${days})`.execute(db);
  await sql`
    update security_event set notify_email = null
    where notify_email is not null and created_at < now() - make_interval(days => ${unsentDays})`.execute(db);
  await sql`delete from email_link where expires_at < now()`.execute(db);
}
