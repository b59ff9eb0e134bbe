import { describeDirectoryError, getErrorCode, StartupError } from './startup-error.ts';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, transaction, type Tx } from './database.ts';
import { getOrInsertSetting } from './stored-settings.ts';

export type SecretOptions = {
  /** SECRET of the environment. It is used as it is and never stored. */
  configured: string | undefined;
  /** The data directory, where Parley 0.1.0 stored the secret in a file. */
  dataDirectory: string;
  /**
   * Whether the data directory belongs to this database. If so, the file is deleted once the secret is in the database.
   */
  removesFile: boolean;
  log: Logger;
};

/**
 * Returns the secret that signs session cookies, the same on every node of a database. The first start creates it. Logs
 * a warning if it differs from the secret of the previous start on any node.
 */
export async function getOrCreateSecret(
  db: Database,
  { configured, dataDirectory, removesFile, log }: SecretOptions,
): Promise<string> {
  const file = path.join(dataDirectory, 'secret');
  const old = configured === undefined ? await readSecretFile(file) : undefined;
  const { secret, isAnother } = await transaction(db, async (tx) => {
    const chosen =
      configured ?? (await getOrInsertSetting(tx, 'secret', old ?? randomBytes(32).toString('base64url')));
    return { secret: chosen, isAnother: await hasChanged(tx, chosen) };
  });
  if (isAnother)
    log.warn(
      'The secret for session cookies differs from the last start on this database, so members have to sign in again. Set the same SECRET on every Parley that shares the database, or on none.',
    );
  if (removesFile && old === secret) await rm(file, { force: true });
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

async function readSecretFile(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw new StartupError(describeDirectoryError(file, error));
  }
}
