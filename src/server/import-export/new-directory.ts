import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createDirectories } from '#server/core/paths.ts';
import { getErrorCode } from '#server/core/startup-error.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

type NewDirectory = {
  /** A directory that does not exist, or is empty. */
  directory: string;
  /** Whether only the account of this process may read it. */
  isPrivate: boolean;
};

/**
 * Runs `write` with a directory beside the wanted one, which gets that name when it is complete. If `write` fails, nothing
 * of it stays.
 * @throws ArchiveError if the directory has files or cannot be written
 */
export async function writeNewDirectory<Result>(
  { directory, isPrivate }: NewDirectory,
  write: (partial: string) => Promise<Result>,
): Promise<Result> {
  const target = path.resolve(directory);
  const partial = `${target}.partial-${randomBytes(4).toString('hex')}`;
  let isCreated = false;
  try {
    await requireEmpty(directory);
    await createDirectories(path.dirname(target));
    await mkdir(partial, isPrivate ? { mode: 0o700 } : undefined);
    isCreated = true;
    const result = await write(partial);
    // Replaces an empty directory.
    await rename(partial, target);
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const code = getErrorCode(error) ?? '';
    const reason = reasons.get(code);
    // A file that `write` reads may be missing.
    if (reason === undefined || (code === 'ENOENT' && isCreated)) throw error;
    throw new ArchiveError(`${directory} cannot be written: ${reason}.`, { cause: error });
  }
}

async function requireEmpty(directory: string): Promise<void> {
  try {
    if ((await readdir(directory)).length > 0)
      throw new ArchiveError(`${directory} is not empty. Name a new directory.`);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EBUSY', 'it is a mount point: name a directory in it'],
  ['ENOENT', 'the file system refuses new directories'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'it is not a directory'],
  ['EEXIST', 'it exists already'],
  ['ENOTEMPTY', 'it is not empty'],
]);
