import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PendingStep } from '#shared/identity/accounts.ts';

/** Serializes the registrations of one network, so that each counts those before it. */
export async function lockRegistrationNetwork(tx: Tx, network: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`registrations ${network}`}, 0))`.execute(tx);
}

/** Counts the registrations of a network within the last `seconds`. */
export async function countRegistrations(
  tx: Tx,
  { network, seconds }: { network: string; seconds: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from registration
    where network = ${network} and registered_at > now() - make_interval(secs => ${seconds})`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function insertRegistration(
  tx: Tx,
  { memberId, network, pendingStep }: { memberId: number; network: string; pendingStep: PendingStep | null },
): Promise<void> {
  await sql`
    insert into registration (member_id, network, pending_step)
    values (${memberId}, ${network}, ${pendingStep})`.execute(tx);
}

export async function hasModerators(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select from member where role <> 'member' limit 1`.execute(tx);
  return rows.length > 0;
}

/** Ends the wait for any of these steps. Returns the ids of the members that were waiting. */
export async function clearPendingRegistrations(
  tx: Tx,
  { memberIds, steps }: { memberIds: readonly number[]; steps: readonly PendingStep[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update registration set pending_step = null
    where member_id = any(${[...memberIds]}::bigint[]) and pending_step = any(${[...steps]}::text[])
    returning member_id as id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Deletes old registrations. For an account that still waits, only the network is deleted. */
export async function deleteRegistrations(db: Queryable, { days }: { days: number }): Promise<void> {
  const old = sql`registered_at < now() - make_interval(days => ${days})`;
  await sql`delete from registration where ${old} and pending_step is null`.execute(db);
  await sql`update registration set network = null where ${old} and network is not null`.execute(db);
}
