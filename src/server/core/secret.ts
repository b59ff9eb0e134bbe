import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, transaction, type Tx } from './database.ts';
import { getOrInsertSetting } from './stored-settings.ts';

/**
 * Returns the secret that signs session cookies and encrypts stored keys, the same on every node of a database. The first
 * start creates it. Logs a warning if it differs from the secret of the previous start on any node.
 * @param configured SECRET of the environment. It is used as it is and never stored.
 */
export async function getOrCreateSecret(
  db: Database,
  configured: string | undefined,
  log: Logger,
): Promise<string> {
  const { secret, isAnother } = await transaction(db, async (tx) => {
    const chosen =
      configured ?? (await getOrInsertSetting(tx, 'secret', randomBytes(32).toString('base64url')));
    return { secret: chosen, isAnother: await hasChanged(tx, chosen) };
  });
  if (isAnother)
    log.warn(
      "The secret differs from the last start on this database. Members have to sign in again. Codes of authenticator apps, web hooks and sign-in providers added in the browser do not work until they are set up again, or until the earlier secret is back (docs/operating.md, 'A new secret'). Set the same SECRET on every Parley that shares the database, or on none.",
    );
  return secret;
}

/** Compares hashes, so that a SECRET of the environment is never stored in the database. */
async function hasChanged(tx: Tx, secret: string): Promise<boolean> {
  const name = 'secret-hash';
  const value = createHash('sha256').update(`parley secret ${secret}`).digest('base64url');
  if ((await getOrInsertSetting(tx, name, value)) === value) return false;
  await sql`update setting set value = ${value} where name = ${name}`.execute(tx);
  return true;
}
