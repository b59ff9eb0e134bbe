import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import { switchEmailOn } from '#server/notifications/index.ts';
import type { Language } from '#shared/core/languages.ts';

/** The purpose of a link in an email (schema section Identity). */
export type LinkPurpose = 'reset_password' | 'change_email' | 'revert_email';

/** A stored link. `address` is null if the operator created the link. */
export type StoredLink = {
  memberId: number;
  purpose: LinkPurpose;
  address: string | null;
  expiresAt: Date;
};

/** @param reservesEmail whether no other member can have the address until the link expires */
export async function insertLink(
  tx: Tx,
  { hash, reservesEmail = false, ...link }: StoredLink & { hash: Buffer; reservesEmail?: boolean },
): Promise<void> {
  const { memberId, purpose, address, expiresAt } = link;
  await sql`
    insert into email_link (hash, member_id, purpose, email, expires_at, reserves_email)
    values (${hash}, ${memberId}, ${purpose}, ${address}, ${expiresAt}, ${reservesEmail})`.execute(tx);
}

const columns = sql`member_id as "memberId", purpose, email as address, expires_at as "expiresAt"`;

/** Deletes and returns the link. Of two concurrent uses, the second waits and finds nothing. */
export async function deleteLink(tx: Tx, wanted: { hash: Buffer; purpose: LinkPurpose }) {
  const { hash, purpose } = wanted;
  const { rows } = await sql<StoredLink>`
    delete from email_link where hash = ${hash} and purpose = ${purpose} and expires_at > now()
    returning ${columns}`.execute(tx);
  return rows[0];
}

export async function hasLink(db: Queryable, { hash, purpose }: { hash: Buffer; purpose: LinkPurpose }) {
  const { rows } = await sql`
    select from email_link where hash = ${hash} and purpose = ${purpose} and expires_at > now()`.execute(db);
  return rows.length > 0;
}

/** Returns the member's latest link for a purpose that has not expired. */
export async function findLatestLink(
  db: Queryable,
  { memberId, purpose }: { memberId: number; purpose: LinkPurpose },
): Promise<StoredLink | undefined> {
  const { rows } = await sql<StoredLink>`
    select ${columns} from email_link
    where member_id = ${memberId} and purpose = ${purpose} and expires_at > now()
    order by expires_at desc limit 1`.execute(db);
  return rows[0];
}

/** Returns the expiry of a member's link for an address and a purpose; undefined if there is none or it has expired. */
export async function findLinkExpiry(
  db: Queryable,
  { memberId, purpose, address }: { memberId: number; purpose: LinkPurpose; address: string },
): Promise<Date | undefined> {
  const { rows } = await sql<{ expiresAt: Date }>`
    select expires_at as "expiresAt" from email_link
    where member_id = ${memberId} and purpose = ${purpose} and email = ${address} and expires_at > now()
    order by expires_at desc limit 1`.execute(db);
  return rows[0]?.expiresAt;
}

/**
 * Deletes links of a member.
 * @param before only deletes links that revert an address and expire at this time or later
 */
export async function deleteLinks(
  tx: Tx,
  { memberId, purposes, before }: { memberId: number; purposes: readonly LinkPurpose[]; before?: Date },
): Promise<void> {
  const later =
    before === undefined ? sql`` : sql`and (purpose <> 'revert_email' or expires_at >= ${before})`;
  await sql`
    delete from email_link
    where member_id = ${memberId} and purpose = any(${[...purposes]}::text[]) ${later}`.execute(tx);
}

/** Whether an address belongs to another member, or is reserved for one who can still restore it. */
export async function isEmailTaken(
  db: Queryable,
  { address, except = 0 }: { address: string; except?: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from member where email = ${address} and id <> ${except}
    union all
    select from email_link
    where email = ${address} and reserves_email and expires_at > now() and member_id <> ${except}`.execute(
    db,
  );
  return rows.length > 0;
}

/**
 * Locks a member who can sign in against all other changes of sign-in methods.
 * @param changesEmail whether the address will change. It is a key of the table, so its change has to wait for new posts
 * and votes of the member.
 */
export async function lockMember(tx: Tx, id: number, { changesEmail }: { changesEmail: boolean }) {
  const strength = changesEmail ? sql`for update` : sql`for no key update`;
  const { rows } = await sql<{ id: number; email: string; isConfirmed: boolean }>`
    select id, email, email_verified as "isConfirmed" from member
    where id = ${id} and email is not null ${strength}`.execute(tx);
  return rows[0];
}

export async function updateEmail(
  tx: Tx,
  { memberId, address, isConfirmed }: { memberId: number; address: string; isConfirmed: boolean },
): Promise<void> {
  await sql`
    update member set email = ${address}, email_verified = ${isConfirmed}, updated_at = now()
    where id = ${memberId}`.execute(tx);
  await switchEmailOn(tx, memberId);
}

export async function updateLanguage(
  tx: Tx,
  { memberId, language }: { memberId: number; language: Language },
): Promise<void> {
  await sql`update member set language = ${language} where id = ${memberId} and deleted_at is null`.execute(
    tx,
  );
}

/** better-auth stores it in the account of the provider 'credential'. */
export async function findPasswordHash(db: Queryable, memberId: number): Promise<string | undefined> {
  const { rows } = await sql<{ password: string }>`
    select password from account
    where member_id = ${memberId} and provider_id = 'credential' and password is not null`.execute(db);
  return rows[0]?.password;
}

/** @param hash null: no password is valid any more */
export async function upsertPasswordHash(
  tx: Tx,
  { memberId, hash }: { memberId: number; hash: string | null },
): Promise<void> {
  await sql`
    insert into account (member_id, account_id, provider_id, password)
    values (${memberId}, ${String(memberId)}, 'credential', ${hash})
    on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = now()`.execute(
    tx,
  );
}

export async function deleteAllSessions(tx: Tx, memberId: number): Promise<void> {
  await sql`delete from session where member_id = ${memberId}`.execute(tx);
}
