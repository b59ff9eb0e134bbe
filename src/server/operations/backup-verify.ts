import { createReadStream, existsSync } from 'node:fs';
import { chmod, lstat, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { findViolations } from './integrity-check.ts';
import { databaseFromClient } from '#server/core/database.ts';
import {
  chooseOsAccount,
  cleanUpOrphans,
  findRunningInstance,
  MigrationError,
  resolveDataDirectory,
  startEmbeddedPostgres,
} from '#server/postgres/index.ts';
import type { Progress } from '#server/core/progress.ts';
import { backUpDatabase } from './backup.ts';
import { type BackupCompletion, type BackupManifest, DamagedBackupError } from './backup-file.ts';
import { restoreBackup } from './backup-restore.ts';

export type VerifyOptions = {
  file: string;
  /** A directory with enough space for the whole database. */
  scratchDirectory: string;
  migrationsDirectory: string;
  progress: Progress;
  signal: AbortSignal;
};

/**
 * Restores a backup into a temporary PostgreSQL. Every row must be the same as when it was written, and every count
 * must equal its rows.
 * @throws DamagedBackupError, MigrationError, ScratchFullError
 */
export async function verifyBackup({ file, scratchDirectory, ...options }: VerifyOptions): Promise<{
  contents: BackupManifest;
  completion: BackupCompletion;
}> {
  await removeAbandoned(scratchDirectory);
  const parent = await mkdtemp(path.join(scratchDirectory, scratchPrefix));
  try {
    // Started as root, PostgreSQL runs as another user, who needs access to the directory.
    await chmod(parent, 0o711);
    const dataDirectory = path.join(parent, 'data');
    const embedded = await startEmbeddedPostgres({
      dataDirectory,
      log: pino({ level: 'silent' }),
      signal: options.signal,
    });
    const client = new pg.Client(embedded.connection);
    // The running query fails with the same error.
    client.on('error', () => {});
    try {
      await client.connect();
      const { size } = await stat(file);
      const restored = await restoreBackup({ ...options, client, open: () => createReadStream(file), size });
      await assertSameRows(client, restored, options);
      return restored;
    } finally {
      await client.end().catch(() => {});
      await embedded.stop();
    }
  } catch (error) {
    // These have another cause, also on a small disk.
    const isKnown = error instanceof DamagedBackupError || error instanceof MigrationError;
    if (isKnown || options.signal.aborted || !(await isAlmostFull(parent))) throw error;
    throw new ScratchFullError(scratchDirectory);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** The disk of the scratch directory is full. */
export class ScratchFullError extends Error {
  constructor(directory: string) {
    super(
      `The disk of ${directory} is full. Name a directory with space for the whole database (--scratch, BACKUP_SCRATCH_DIRECTORY).`,
    );
  }
}

/** Whether PostgreSQL may have failed for want of space. It ends if it cannot create a file of 16 MB for its log. */
async function isAlmostFull(directory: string): Promise<boolean> {
  const space = await statfs(directory).catch(() => undefined);
  return space !== undefined && space.bavail * space.bsize < 2 * 16 * 1024 * 1024;
}

const scratchPrefix = 'parley-verify-';

/** Removes what a killed verification left: its PostgreSQL process and files. Other users may write to the directory. */
async function removeAbandoned(scratch: string): Promise<void> {
  for (const name of (await readdir(scratch)).filter((name) => name.startsWith(scratchPrefix))) {
    const parent = path.join(scratch, name);
    // Another verification may have ended meanwhile.
    const owner = await lstat(parent).catch(() => undefined);
    if (owner === undefined || (process.getuid !== undefined && owner.uid !== process.getuid())) continue;
    const data = resolveDataDirectory(path.join(parent, 'data'));
    if (!existsSync(data.cluster) || (await findRunningInstance(data)) !== undefined) continue;
    await cleanUpOrphans(data.cluster, await chooseOsAccount(data.cluster, () => {}));
    await rm(parent, { recursive: true, force: true });
  }
}

async function assertSameRows(
  client: pg.Client,
  { contents, completion }: { contents: BackupManifest; completion: BackupCompletion },
  { progress, signal }: Pick<VerifyOptions, 'progress' | 'signal'>,
): Promise<void> {
  await client.query('set synchronize_seqscans = off');
  const to = new Writable({ write: (_chunk, _encoding, done) => done() });
  const again = await backUpDatabase({ client, to, version: contents.madeBy, progress, signal });
  for (const { name, rows, sha256 } of completion.tables) {
    const copy = again.tables.find((table) => table.name === name);
    if (copy?.rows !== rows || copy.sha256 !== sha256)
      throw new DamagedBackupError(`The restored table ${name} differs from what was written.`);
  }
  const broken = await findViolations(databaseFromClient(client));
  if (broken.length > 0) {
    const descriptions = broken.map(
      ({ rule, id, stored, expected }) => `${rule} of ${id}: ${stored}, counted ${expected}`,
    );
    throw new DamagedBackupError(`Counts in it do not equal their rows: ${descriptions.join('; ')}.`);
  }
}
