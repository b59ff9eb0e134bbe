import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import { accessStateOf } from './sign-in-methods-queries.ts';

/** Returns the member linked to an account at the provider, with the access state; undefined if there is none. */
export async function findMemberByProviderAccount(
  db: Queryable,
  { providerId, subject }: { providerId: string; subject: string },
) {
  const { rows } = await sql<{ memberId: number; accessState: string | null }>`
    select member_id as "memberId", ${accessStateOf} as "accessState"
    from account join member on member.id = member_id
    where provider_id = ${providerId} and account_id = ${subject}`.execute(db);
  return rows[0];
}

/** Returns the member's account at the provider. */
export async function findProviderAccount(
  db: Queryable,
  { providerId, memberId }: { providerId: string; memberId: number },
) {
  const { rows } = await sql<{ id: number; created_at: Date }>`
    select id, created_at from account
    where provider_id = ${providerId} and member_id = ${memberId}`.execute(db);
  return rows[0];
}

/** Returns when each account of a member at a provider was linked, by `account.provider_id`. */
export async function listProviderAccounts(db: Queryable, memberId: number): Promise<Map<string, Date>> {
  const { rows } = await sql<{ provider_id: string; created_at: Date }>`
    select provider_id, created_at from account
    where member_id = ${memberId} and provider_id <> 'credential'`.execute(db);
  return new Map(rows.map((row) => [row.provider_id, row.created_at]));
}

/** Returns false if the account is already linked to a member. */
export async function insertProviderAccount(
  tx: Tx,
  { providerId, memberId, subject }: { providerId: string; memberId: number; subject: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into account (provider_id, member_id, account_id) values (${providerId}, ${memberId}, ${subject})
    on conflict (provider_id, account_id) do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

export async function deleteProviderAccount(tx: Tx, id: number): Promise<void> {
  await sql`delete from account where id = ${id}`.execute(tx);
}
