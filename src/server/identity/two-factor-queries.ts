import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

export async function findTwoFactor(db: Queryable, memberId: number) {
  const { rows } = await sql<{ encrypted_key: string; created_at: Date }>`
    select encrypted_key, created_at from two_factor where member_id = ${memberId}`.execute(db);
  return rows[0];
}

/** Returns false if there is one already. */
export async function insertTwoFactor(
  tx: Tx,
  { memberId, encryptedKey, period }: { memberId: number; encryptedKey: string; period: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into two_factor (member_id, encrypted_key, last_period) values (${memberId}, ${encryptedKey}, ${period})
    on conflict do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

/** Returns false if there was none. Also deletes the recovery codes. */
export async function deleteTwoFactor(tx: Tx, memberId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from two_factor where member_id = ${memberId}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Marks the code of a period as used; returns false if it or a later one was used before. */
export async function consumeTotpPeriod(
  db: Queryable,
  { memberId, period }: { memberId: number; period: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update two_factor set last_period = ${period} where member_id = ${memberId} and last_period < ${period}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export async function countRecoveryCodes(db: Queryable, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from recovery_code where member_id = ${memberId}`.execute(db);
  return one(rows).count;
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(tx: Tx, memberId: number, hashes: readonly string[]) {
  await sql`select from two_factor where member_id = ${memberId} for update`.execute(tx);
  await sql`delete from recovery_code where member_id = ${memberId}`.execute(tx);
  await sql`
    insert into recovery_code (member_id, first_digit, hash)
    select ${memberId}::bigint, position - 1, hash
    from unnest(${[...hashes]}::text[]) with ordinality as code (hash, position)`.execute(tx);
}

export async function findRecoveryCode(db: Queryable, memberId: number, index: number) {
  const { rows } = await sql<{ hash: string }>`
    select hash from recovery_code where member_id = ${memberId} and first_digit = ${index}`.execute(db);
  return rows[0];
}

/** Returns false if a concurrent request has used it. */
export async function deleteRecoveryCode(
  tx: Tx,
  { memberId, index, hash }: { memberId: number; index: number; hash: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from recovery_code
    where member_id = ${memberId} and first_digit = ${index} and hash = ${hash}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Returns when the member's password was last set; undefined if they have none. */
export async function findPasswordChangedAt(db: Queryable, memberId: number): Promise<Date | undefined> {
  const { rows } = await sql<{ updated_at: Date }>`
    select updated_at from account where member_id = ${memberId} and provider_id = 'credential'`.execute(db);
  return rows[0]?.updated_at;
}

/** Returns when the session started. */
export async function findSessionCreatedAt(db: Queryable, sessionId: number) {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from session where id = ${sessionId}`.execute(db);
  return rows[0]?.created_at;
}

/** Marks a key as used; returns false if it already was. Also deletes expired keys. */
export async function consumeNonce(db: Database | Tx, key: string, expiresAt: Date): Promise<boolean> {
  await sql`
    delete from used_nonce where key in (
      select key from used_nonce where expires_at < now() order by expires_at limit 10
    )`.execute(db);
  const { numAffectedRows } = await sql`
    insert into used_nonce (key, expires_at) values (${key}, ${expiresAt}) on conflict do nothing`.execute(
    db,
  );
  return numAffectedRows === 1n;
}
