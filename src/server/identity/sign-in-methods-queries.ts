import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { one } from '#server/core/sql.ts';
import { accountProviderPrefix } from './sign-in-providers-queries.ts';

export type ProviderSettings = Pick<OperatorSettings, 'identityProvider'>;

export async function hasPassword(db: Queryable, memberId: number): Promise<boolean> {
  const { rows } = await sql`
    select from account
    where member_id = ${memberId} and provider_id = 'credential' and password is not null`.execute(db);
  return rows.length > 0;
}

/**
 * Digest of all that gives access to an account, as SQL for a row of `member`: it changes with the password, a passkey,
 * an account at a provider or two-factor authentication. Null for a deleted account.
 */
export const accessStateOf = sql<
  string | null
>`case when member.deleted_at is null then encode(sha256(convert_to(
  jsonb_build_array(
    (select jsonb_agg(jsonb_build_array(id, password) order by id) from account where member_id = member.id),
    (select jsonb_agg(id order by id) from passkey where member_id = member.id),
    (select created_at from two_factor where member_id = member.id)
  )::text, 'UTF8')), 'hex') end`;

/** Returns the digest of all that gives access to an account; null for a deleted one. */
export async function findAccessState(db: Queryable, memberId: number): Promise<string | null> {
  const { rows } = await sql<{ accessState: string | null }>`
    select ${accessStateOf} as "accessState" from member where id = ${memberId}`.execute(db);
  return rows[0]?.accessState ?? null;
}

/** Whether a member has any sign-in method, also one that is switched off now. */
export async function hasSignInMethod(db: Queryable, memberId: number): Promise<boolean> {
  const { rows } = await sql`
    select from passkey where member_id = ${memberId}
    union all
    select from account where member_id = ${memberId} and (provider_id <> 'credential' or password is not null)
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Counts the passkeys of a member, and the linked accounts at the providers of the environment and of the admins, also
 * those that are switched off now.
 */
export async function countPasswordlessSignIn(
  db: Queryable,
  { memberId, settings: { identityProvider } }: { memberId: number; settings: ProviderSettings },
): Promise<{ passkeys: number; linkedAccounts: number }> {
  const { rows } = await sql<{ passkeys: number; linkedAccounts: number }>`
    select
      (select count(*) from passkey where member_id = ${memberId}) as passkeys,
      (select count(*) from account
        where member_id = ${memberId} and (
          provider_id = ${accountProviderPrefix + (identityProvider?.issuer ?? '')}
          or exists (select from sign_in_provider where provider_id = ${accountProviderPrefix} || issuer)
        )) as "linkedAccounts"`.execute(db);
  return one(rows);
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

/**
 * Counts members with an account at a provider. `withoutOther`: those who have neither a passkey nor an account at one
 * of the other providers, nor a password if members can sign in with one.
 */
export async function countMembersOfProvider(
  db: Queryable,
  wanted: { providerId: string; others: readonly string[]; hasPasswords: boolean },
): Promise<{ linked: number; withoutOther: number }> {
  const others = [...wanted.others, ...(wanted.hasPasswords ? ['credential'] : [])];
  const { rows } = await sql<{ linked: number; withoutOther: number }>`
    select count(*)::int as linked, count(*) filter (
      where not exists (select from passkey where passkey.member_id = linked.member_id)
        and not exists (
          select from account other
          where other.member_id = linked.member_id and other.provider_id = any(${others}::text[])
        )
    )::int as "withoutOther"
    from account linked where provider_id = ${wanted.providerId}`.execute(db);
  return rows[0] ?? { linked: 0, withoutOther: 0 };
}
