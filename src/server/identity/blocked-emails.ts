import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import { computeKeyedHash } from '#server/core/encryption.ts';
import { ProblemError } from '#server/core/errors.ts';

/*
 * A member who was suspended or refused must not return by deleting the account. Nothing else of the account names its
 * address, so a keyed hash is stored: it recognizes the address, but does not reveal it to those who read the database.
 */

/** Blocks addresses for all accounts. */
export async function blockEmails(
  tx: Tx,
  { secret, addresses, until }: { secret: string; addresses: readonly string[]; until: Date },
): Promise<void> {
  const hashes = addresses.map((address) => hashEmail(secret, address));
  await sql`
    insert into blocked_email (hash, blocked_until)
    select distinct hash, ${until}::timestamptz from unnest(${hashes}::bytea[]) as hash
    on conflict (hash) do update set blocked_until = greatest(blocked_email.blocked_until, excluded.blocked_until)`.execute(
    tx,
  );
}

/**
 * Call it after the search for a member with the address: an account that is deleted in between is found by one of the two.
 * @throws ProblemError 'email-blocked'
 */
export async function refuseBlockedEmail(
  db: Queryable,
  { secret, address }: { secret: string; address: string },
): Promise<void> {
  const { rows } = await sql`
    select from blocked_email where hash = ${hashEmail(secret, address)} and blocked_until > now()`.execute(
    db,
  );
  if (rows.length > 0)
    throw new ProblemError('email-blocked', { errors: [{ field: 'email', code: 'email-blocked' }] });
}

export async function deleteOldBlockedEmails(db: Queryable): Promise<void> {
  await sql`delete from blocked_email where blocked_until <= now()`.execute(db);
}

/** @param address as it is stored of members: trimmed and in lower case */
const hashEmail = (secret: string, address: string) =>
  computeKeyedHash({ secret, purpose: 'blocked email' }, address);
