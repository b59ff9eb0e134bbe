import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';

export async function findTwoFactor(db: Queryable, memberId: number) {
  return db
    .selectFrom('two_factor')
    .select(['encrypted_key', 'created_at'])
    .where('member_id', '=', memberId)
    .executeTakeFirst();
}

/** Returns false if there is one already. */
export async function insertTwoFactor(
  tx: Tx,
  { memberId, encryptedKey, period }: { memberId: number; encryptedKey: string; period: number },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('two_factor')
    .values({ member_id: memberId, encrypted_key: encryptedKey, last_period: period })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Returns false if there was none. Also deletes the recovery codes. */
export async function deleteTwoFactor(tx: Tx, memberId: number): Promise<boolean> {
  const deleted = await tx.deleteFrom('two_factor').where('member_id', '=', memberId).executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

/** Marks the code of a period as used; returns false if it or a later one was used before. */
export async function consumeTotpPeriod(
  db: Queryable,
  { memberId, period }: { memberId: number; period: number },
): Promise<boolean> {
  const claimed = await db
    .updateTable('two_factor')
    .set({ last_period: period })
    .where('member_id', '=', memberId)
    .where('last_period', '<', period)
    .executeTakeFirst();
  return claimed.numUpdatedRows === 1n;
}

export async function countRecoveryCodes(db: Queryable, memberId: number): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_code')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return left;
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(tx: Tx, memberId: number, hashes: readonly string[]) {
  await tx
    .selectFrom('two_factor')
    .select('member_id')
    .where('member_id', '=', memberId)
    .forUpdate()
    .execute();
  await tx.deleteFrom('recovery_code').where('member_id', '=', memberId).execute();
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((hash, index) => ({ member_id: memberId, first_digit: index, hash })))
    .execute();
}

export async function findRecoveryCode(db: Queryable, memberId: number, index: number) {
  return db
    .selectFrom('recovery_code')
    .select('hash')
    .where('member_id', '=', memberId)
    .where('first_digit', '=', index)
    .executeTakeFirst();
}

/** Returns false if a concurrent request has used it. */
export async function deleteRecoveryCode(
  tx: Tx,
  { memberId, index, hash }: { memberId: number; index: number; hash: string },
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('recovery_code')
    .where('member_id', '=', memberId)
    .where('first_digit', '=', index)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

/** Returns when the member's password was last set; undefined if they have none. */
export async function findPasswordChangedAt(db: Queryable, memberId: number): Promise<Date | undefined> {
  const row = await db
    .selectFrom('account')
    .select('updated_at')
    .where('member_id', '=', memberId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst();
  return row?.updated_at;
}

/** Returns when the session started. */
export async function findSessionCreatedAt(db: Queryable, sessionId: number) {
  const row = await db
    .selectFrom('session')
    .select('created_at')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row?.created_at;
}

/** Marks a key as used; returns false if it already was. Also deletes expired keys. */
export async function consumeNonce(db: Database | Tx, key: string, expiresAt: Date): Promise<boolean> {
  await db
    .deleteFrom('used_nonce')
    .where('key', 'in', (old) =>
      old
        .selectFrom('used_nonce')
        .select('key')
        .where('expires_at', '<', sql<Date>`now()`)
        .orderBy('expires_at')
        .limit(10),
    )
    .execute();
  const marked = await db
    .insertInto('used_nonce')
    .values({ key, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return marked.numInsertedOrUpdatedRows === 1n;
}
