import { describeDirectoryError, getErrorCode, StartupError } from './startup-error.ts';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { type Database, transaction, type Tx } from './database.ts';
import { getOrInsertSetting } from './stored-settings.ts';

export type SecretOptions = {
  /** SECRET of the environment, which is used as it is and not stored. */
  given: string | undefined;
  /** The data folder, where Parley 0.1.0 kept the secret in a file: members stay signed in. */
  dataDirectory: string;
  /** Whether the data folder belongs to this database, so that the file goes once the database holds its secret. */
  removesFile: boolean;
  log: Logger;
};

/**
 * The secret that signs session cookies: the same on every node of a database, made at the first start of all.
 * Warns when it is not the one the start before this one used, on whichever node that was.
 */
export async function getOrCreateSecret(
  db: Database,
  { given, dataDirectory, removesFile, log }: SecretOptions,
): Promise<string> {
  const file = path.join(dataDirectory, 'secret');
  const old = given === undefined ? await readSecretFile(file) : undefined;
  const { secret, isAnother } = await transaction(db, async (tx) => {
    const chosen =
      given ?? (await getOrInsertSetting(tx, 'secret', old ?? randomBytes(32).toString('base64url')));
    return { secret: chosen, isAnother: await hasChanged(tx, chosen) };
  });
  if (isAnother)
    log.warn(
      'Session cookies are signed with another secret than at the last start on this database, so members have to sign in again. Give every Parley that shares the database the same SECRET, or none.',
    );
  if (removesFile && old === secret) await rm(file, { force: true });
  return secret;
}

/** A hash is kept for the comparison, so that a SECRET of the environment is never found in the database. */
async function hasChanged(tx: Tx, secret: string): Promise<boolean> {
  const name = 'secret-hash';
  const value = createHash('sha256').update(`parley secret ${secret}`).digest('base64url');
  if ((await getOrInsertSetting(tx, name, value)) === value) return false;
  await tx.updateTable('setting').set({ value }).where('name', '=', name).execute();
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
