import { sql } from 'kysely';
import type { Database, Queryable, Reader, Tx } from '#server/core/database.ts';

/** Locks a member. Undefined without an address. */
export async function lockEmailOf(tx: Tx, memberId: number) {
  const { rows } = await sql<{ email: string; isOff: boolean }>`
    select email, email_off_at is not null as "isOff" from member
    where id = ${memberId} and email is not null for no key update`.execute(tx);
  return rows[0];
}

/** Returns false if this email has bounced before. */
export async function insertBounce(
  tx: Tx,
  bounce: { memberId: number; email: string; isPermanent: boolean; reason: string; key: string },
): Promise<boolean> {
  const { memberId, email, isPermanent, reason, key } = bounce;
  const { rows } = await sql`
    insert into email_bounce (member_id, email, is_permanent, reason, email_key)
    values (${memberId}, ${email}, ${isPermanent}, ${reason}, ${key})
    on conflict (email_key) do nothing returning id`.execute(tx);
  return rows.length > 0;
}

/** On how many days of the last ones emails to the address came back. */
export async function countBounceDays(
  tx: Tx,
  { memberId, email, days }: { memberId: number; email: string; days: number },
): Promise<number> {
  const { rows } = await sql<{ days: number }>`
    select count(distinct (created_at at time zone 'UTC')::date)::int as days from email_bounce
    where member_id = ${memberId} and email = ${email} and not is_settled
      and created_at > now() - make_interval(days => ${days})`.execute(tx);
  return rows[0]?.days ?? 0;
}

export async function switchEmailOff(
  tx: Tx,
  { memberId, reason }: { memberId: number; reason: string },
): Promise<void> {
  await sql`
    update member set email_off_at = now(), email_off_reason = ${reason} where id = ${memberId}`.execute(tx);
}

/** Earlier bounces count no longer. Returns false if emails were on. */
export async function switchEmailOn(tx: Tx, memberId: number): Promise<boolean> {
  await sql`
    update email_bounce set is_settled = true where member_id = ${memberId} and not is_settled`.execute(tx);
  const { rows } = await sql`
    update member set email_off_at = null, email_off_reason = null
    where id = ${memberId} and email_off_at is not null returning id`.execute(tx);
  return rows.length > 0;
}

/** Bounces that count are at most 14 days old. */
export async function deleteOldBounces(db: Queryable): Promise<void> {
  await sql`delete from email_bounce where created_at < now() - interval '90 days'`.execute(db);
  await sql`delete from email_failure where hour < now() - interval '30 days'`.execute(db);
}

export async function insertEmailFailure(db: Database, reason: string): Promise<void> {
  await sql`
    insert into email_failure (hour, reason) values (date_trunc('hour', now()), ${reason})
    on conflict (hour, reason) do update set failures = email_failure.failures + 1, last_at = now()`.execute(
    db,
  );
}

export type EmailFailure = { reason: string; failures: number; lastAt: Date };

/** The latest hours with failed attempts. */
export async function listEmailFailures(db: Reader, { limit }: { limit: number }): Promise<EmailFailure[]> {
  const { rows } = await sql<EmailFailure>`
    select reason, failures, last_at as "lastAt" from email_failure
    order by hour desc, reason limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The number of members whose emails are off, up to 1000. */
export async function countEmailsOff(db: Reader): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from member where email_off_at is not null limit 1000
    ) members`.execute(db);
  return rows[0]?.count ?? 0;
}
