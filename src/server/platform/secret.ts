import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { folderSentence } from './embedded/folders.ts';
import { writeWhole } from './embedded/lock.ts';
import { errorCode, StartupError } from './startup-error.ts';

/**
 * The secret that signs session cookies, kept in the data folder from the first start on. Nodes that share a database
 * need the same one: there it is set by SECRET.
 */
export async function keptSecret(folder: string): Promise<string> {
  const file = path.join(folder, 'secret');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw new StartupError(folderSentence(file, error));
  }
  const secret = randomBytes(32).toString('base64url');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(file, `${secret}\n`);
  } catch (error) {
    throw new StartupError(folderSentence(folder, error));
  }
  return secret;
}
