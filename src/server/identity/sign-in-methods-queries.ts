import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';

export async function hasPassword(db: Queryable, memberId: number): Promise<boolean> {
  const { rows } = await sql`
    select from account
    where member_id = ${memberId} and provider_id = 'credential' and password is not null`.execute(db);
  return rows.length > 0;
}

/** Whether a member has a passkey or an account at one of the providers. */
export async function hasPasswordlessSignIn(
  db: Queryable,
  { memberId, providerIds }: { memberId: number; providerIds: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql`
    select from passkey where member_id = ${memberId}
    union all
    select from account where member_id = ${memberId} and provider_id = any(${[...providerIds]}::text[])
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Counts members who have a password, but neither a passkey nor an account at one of the providers. */
export async function countMembersWithPasswordOnly(
  db: Queryable,
  providerIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    select count(*)::int as members from account credential
    where provider_id = 'credential' and password is not null
      and not exists (select from passkey where passkey.member_id = credential.member_id)
      and not exists (
        select from account linked
        where linked.member_id = credential.member_id and linked.provider_id = any(${[...providerIds]}::text[])
      )`.execute(db);
  return rows[0]?.members ?? 0;
}
