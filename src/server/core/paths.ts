import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { getErrorCode } from './startup-error.ts';

/** The root of the checkout. */
export const projectRoot = path.resolve(import.meta.dirname, '../../..');

export const migrationsDirectory = path.join(projectRoot, 'migrations');

/** How messages name Parley's commands: with npm in a checkout, directly in a runtime directory (`npm run runtime`). */
export const commandLines = existsSync(path.join(projectRoot, 'scripts'))
  ? { start: 'npm start', demo: 'npm start -- --demo', parley: 'npm run parley --' }
  : { start: 'parley serve', demo: 'parley serve --demo', parley: 'parley' };

/**
 * Creates a directory and the missing ones above it. Returns whether it is new. `mkdir` with `recursive` tries without an
 * end in a file system that refuses new directories with ENOENT, as /proc does.
 */
export async function createDirectories(directory: string, mode?: number): Promise<boolean> {
  if (existsSync(directory)) return false;
  const parent = path.dirname(directory);
  if (parent !== directory) await createDirectories(parent, mode);
  try {
    await mkdir(directory, { mode });
    return true;
  } catch (error) {
    // Another process can create it at the same time.
    if (getErrorCode(error) === 'EEXIST' && existsSync(directory)) return false;
    throw error;
  }
}
