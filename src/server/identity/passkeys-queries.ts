import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import { accessStateOf } from './sign-in-methods-queries.ts';

type ListedPasskeyRow = { id: number; name: string; created_at: Date; last_used_at: Date | null };

export async function listPasskeys(db: Queryable, memberId: number) {
  const { rows } = await sql<
    ListedPasskeyRow & { credential_id: string; user_handle: string; transports: string[] }
  >`
    select id, name, credential_id, user_handle, transports, created_at, last_used_at from passkey
    where member_id = ${memberId} order by id limit 100`.execute(db);
  return rows;
}

export async function findPasskeyByCredential(db: Queryable, credentialId: string) {
  const { rows } = await sql<{
    id: number;
    member_id: number;
    public_key: Uint8Array;
    counter: number;
    user_handle: string;
    accessState: string | null;
  }>`
    select passkey.id, member_id, public_key, counter, user_handle, ${accessStateOf} as "accessState"
    from passkey join member on member.id = member_id
    where credential_id = ${credentialId}`.execute(db);
  return rows[0];
}

/** Serializes changes of a member's sign-in methods. */
export async function lockSignInMethods(tx: Tx, memberId: number): Promise<void> {
  await sql`select from member where id = ${memberId} for no key update`.execute(tx);
}

export type PasskeyRow = {
  memberId: number;
  name: string;
  credentialId: string;
  publicKey: Uint8Array;
  userHandle: string;
  counter: number;
  transports: string[];
};

/** Returns undefined if another member has the passkey. */
export async function insertPasskey(tx: Tx, row: PasskeyRow) {
  const { rows } = await sql<ListedPasskeyRow>`
    insert into passkey (member_id, name, credential_id, public_key, user_handle, counter, transports)
    values (
      ${row.memberId}, ${row.name}, ${row.credentialId}, ${Buffer.from(row.publicKey)}, ${row.userHandle}, ${row.counter},
      ${row.transports}::text[]
    ) on conflict (credential_id) do nothing
    returning id, name, created_at, last_used_at`.execute(tx);
  return rows[0];
}

/** Returns undefined if the member has no such passkey. */
export async function renamePasskey(
  db: Database,
  { id, memberId, name }: { id: number; memberId: number; name: string },
) {
  const { rows } = await sql<ListedPasskeyRow>`
    update passkey set name = ${name} where id = ${id} and member_id = ${memberId}
    returning id, name, created_at, last_used_at`.execute(db);
  return rows[0];
}

export async function deletePasskey(tx: Tx, { id, memberId }: { id: number; memberId: number }) {
  const { numAffectedRows } = await sql`
    delete from passkey where id = ${id} and member_id = ${memberId}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Deletes all passkeys of a member. Returns how many there were. */
export async function deleteAllPasskeys(tx: Tx, memberId: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from passkey where member_id = ${memberId}`.execute(tx);
  return Number(numAffectedRows);
}

/** The counter never decreases. */
export async function recordPasskeyUse(
  db: Database,
  { id, counter }: { id: number; counter: number },
): Promise<void> {
  await sql`
    update passkey set counter = greatest(counter, ${counter}), last_used_at = now() where id = ${id}`.execute(
    db,
  );
}

/**
 * Deletes all sign-in methods except the password, when another person may have added some.
 * @param since only those that were added since then
 */
export async function deletePasswordlessSignIn(
  tx: Tx,
  { memberId, since = new Date(0) }: { memberId: number; since?: Date },
): Promise<void> {
  for (const methods of [
    sql`passkey where member_id = ${memberId}`,
    sql`account where member_id = ${memberId} and provider_id <> 'credential'`,
  ])
    await sql`delete from ${methods} and created_at >= ${since}`.execute(tx);
}
