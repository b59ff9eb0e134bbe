import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';

/** What a link in a mail does (schema section Identity). */
export type LinkPurpose = 'reset' | 'address' | 'return';

/** A link as it is stored; `address` null: handed over by the operator. */
export type StoredLink = {
  memberId: number;
  purpose: LinkPurpose;
  address: string | null;
  expiresAt: Date;
};

export async function insertLink(tx: Tx, { hash, ...link }: StoredLink & { hash: Buffer }): Promise<void> {
  const { memberId, purpose, address, expiresAt } = link;
  await sql`
    insert into account_token (hash, member_id, purpose, email, expires_at)
    values (${hash}, ${memberId}, ${purpose}, ${address}, ${expiresAt})`.execute(tx);
}

const columns = sql`member_id as "memberId", purpose, email as address, expires_at as "expiresAt"`;

/** The link, which is gone with that: of two who use it at once, the second waits and finds nothing. */
export async function deleteLink(tx: Tx, wanted: { hash: Buffer; purpose: LinkPurpose }) {
  const { hash, purpose } = wanted;
  const { rows } = await sql<StoredLink>`
    delete from account_token where hash = ${hash} and purpose = ${purpose} and expires_at > now()
    returning ${columns}`.execute(tx);
  return rows[0];
}

export async function hasLink(db: Queryable, { hash, purpose }: { hash: Buffer; purpose: LinkPurpose }) {
  const { rows } = await sql`
    select from account_token where hash = ${hash} and purpose = ${purpose} and expires_at > now()`.execute(
    db,
  );
  return rows.length > 0;
}

/** The latest link of a member for something that has not expired. */
export async function findLatestLink(
  db: Queryable,
  { memberId, purpose }: { memberId: number; purpose: LinkPurpose },
): Promise<StoredLink | undefined> {
  const { rows } = await sql<StoredLink>`
    select ${columns} from account_token
    where member_id = ${memberId} and purpose = ${purpose} and expires_at > now()
    order by expires_at desc limit 1`.execute(db);
  return rows[0];
}

/** Until when a member's address stands for something; undefined where it does not, or not any more. */
export async function findLinkExpiry(
  db: Queryable,
  { memberId, purpose, address }: { memberId: number; purpose: LinkPurpose; address: string },
): Promise<Date | undefined> {
  const { rows } = await sql<{ expiresAt: Date }>`
    select expires_at as "expiresAt" from account_token
    where member_id = ${memberId} and purpose = ${purpose} and email = ${address} and expires_at > now()
    order by expires_at desc limit 1`.execute(db);
  return rows[0]?.expiresAt;
}

/** Ends links of a member. @param before of those that take an address back, the ones that end earlier stay */
export async function deleteLinks(
  tx: Tx,
  { memberId, purposes, before }: { memberId: number; purposes: readonly LinkPurpose[]; before?: Date },
): Promise<void> {
  const later = before === undefined ? sql`` : sql`and (purpose <> 'return' or expires_at >= ${before})`;
  await sql`
    delete from account_token
    where member_id = ${memberId} and purpose = any(${[...purposes]}::text[]) ${later}`.execute(tx);
}

/** Whether an address is another member's, or can still be taken back by one. */
export async function isEmailTaken(
  db: Queryable,
  { address, except = 0 }: { address: string; except?: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from member where email = ${address} and id <> ${except}
    union all
    select from account_token
    where email = ${address} and purpose = 'return' and expires_at > now() and member_id <> ${except}`.execute(
    db,
  );
  return rows.length > 0;
}

/** Somebody who can sign in, locked against everything else that changes who may. */
export async function lockMember(tx: Tx, id: number) {
  const { rows } = await sql<{ id: number; email: string; isConfirmed: boolean }>`
    select id, email, email_verified as "isConfirmed" from member
    where id = ${id} and email is not null for no key update`.execute(tx);
  return rows[0];
}

export async function updateEmail(
  tx: Tx,
  { memberId, address, isConfirmed }: { memberId: number; address: string; isConfirmed: boolean },
): Promise<void> {
  await sql`
    update member set email = ${address}, email_verified = ${isConfirmed}, updated_at = now()
    where id = ${memberId}`.execute(tx);
}

/** As better-auth keeps it: the account at the provider 'credential'. */
export async function findPasswordHash(db: Queryable, memberId: number): Promise<string | undefined> {
  const { rows } = await sql<{ password: string }>`
    select password from account
    where member_id = ${memberId} and provider_id = 'credential' and password is not null`.execute(db);
  return rows[0]?.password;
}

/** @param hash null: no password is right any more */
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
