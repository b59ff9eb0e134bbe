import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';

export async function listPasskeys(db: Queryable, memberId: number) {
  return db
    .selectFrom('passkey')
    .select(['id', 'name', 'credential_id', 'user_handle', 'transports', 'created_at', 'last_used_at'])
    .where('member_id', '=', memberId)
    .orderBy('id')
    .limit(100)
    .execute();
}

export async function findPasskeyByCredential(db: Queryable, credentialId: string) {
  return db
    .selectFrom('passkey')
    .select(['id', 'member_id', 'public_key', 'counter', 'user_handle'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

/** Serializes changes of a member's sign-in methods. */
export async function lockSignInMethods(tx: Tx, memberId: number): Promise<void> {
  await tx.selectFrom('member').select('id').where('id', '=', memberId).forUpdate().execute();
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
  return tx
    .insertInto('passkey')
    .values({
      member_id: row.memberId,
      name: row.name,
      credential_id: row.credentialId,
      public_key: Buffer.from(row.publicKey),
      user_handle: row.userHandle,
      counter: row.counter,
      transports: row.transports,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst();
}

/** Returns undefined if the member has no such passkey. */
export async function renamePasskey(
  db: Database,
  { id, memberId, name }: { id: number; memberId: number; name: string },
) {
  return db
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst();
}

export async function deletePasskey(tx: Tx, { id, memberId }: { id: number; memberId: number }) {
  const deleted = await tx
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

/** Deletes all passkeys of a member. Returns how many there were. */
export async function deleteAllPasskeys(tx: Tx, memberId: number): Promise<number> {
  const deleted = await tx.deleteFrom('passkey').where('member_id', '=', memberId).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** The counter never decreases. */
export async function recordPasskeyUse(
  db: Database,
  { id, counter }: { id: number; counter: number },
): Promise<void> {
  await db
    .updateTable('passkey')
    .set({ counter: sql<number>`greatest(counter, ${counter})`, last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
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
