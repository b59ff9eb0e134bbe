import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import type { Command } from 'commander';
import type { Client } from 'pg';
import { type Output, createTerminalProgress } from '#server/core/progress.ts';
import type { BackupCompletion } from './backup-file.ts';
import { restoreBackup } from './backup-restore.ts';
import { CommandRefusedError, describeBackupError } from './backup-errors.ts';
import { writeBackupFile } from './backup-write-file.ts';
import { verifyBackup } from './backup-verify.ts';

export type BackupCommandParts = {
  /** Opens the community's database; migrated, or as it is. */
  withClient: <Result>(
    work: (client: Client) => Promise<Result>,
    as: 'migrated' | 'as it is',
  ) => Promise<Result>;
  migrationsDirectory: string;
  version: string;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 for what was refused or failed, 130 when interrupted. */
  exitWith: (code: number) => unknown;
};

/** Adds `backup`, `restore` and `verify`. */
export function registerBackupCommands(program: Command, parts: BackupCommandParts): void {
  program
    .command('backup')
    .description('write the whole community into one file, while it is served')
    .argument('[file]', 'the file to make; by default parley-DATE-TIME.backup.tar in this folder')
    .addHelpText('after', backupHelp)
    .action(async (file: string | undefined) => {
      parts.exitWith(
        await runUntilInterrupted(
          (signal) => runBackup(file ?? backupFileName(new Date()), parts, signal),
          parts,
        ),
      );
    });
  program
    .command('restore')
    .description('bring a community back from a backup, into an empty database')
    .argument('<file>', 'a backup')
    .addHelpText('after', restoreHelp)
    .action(async (file: string) => {
      parts.exitWith(await runUntilInterrupted((signal) => runRestore(file, parts, signal), parts));
    });
  program
    .command('verify')
    .description('restore a backup into a database of its own, compare, and throw that away')
    .argument('<file>', 'a backup')
    .option('--scratch <folder>', 'where there is room for the whole database', os.tmpdir())
    .action(async (file: string, { scratch }: { scratch: string }) => {
      parts.exitWith(
        await runUntilInterrupted(
          (signal) => runVerify({ file, scratchDirectory: scratch }, parts, signal),
          parts,
        ),
      );
    });
}

const backupHelp = `
The file holds everything as it was when the command began, sessions and password hashes included: keep it as
safe as the database. It is a tar archive of zstd-compressed tables, with the SHA-256 of each.

Exit codes: 0 written; 1 not written, nothing is left behind; 130 interrupted, likewise.`;

const restoreHelp = `
The database of DATABASE_URL, or the data folder of PARLEY_DATA, must have nothing in it. Restoring brings all of it
or nothing. A backup of an older Parley is brought up to date by the next start. From one database to another, such as
from the embedded one to your own, or to a newer PostgreSQL: backup there, restore here.

Exit codes: 0 restored; 1 refused or failed, nothing is changed; 130 interrupted, likewise.`;

/** Such as 'parley-2026-11-22-0130.backup.tar', of the time in UTC. */
export function backupFileName(at: Date): string {
  return `parley-${at.toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.backup.tar`;
}

async function runBackup(file: string, parts: BackupCommandParts, signal: AbortSignal): Promise<void> {
  const { withClient, version, out, err } = parts;
  if (existsSync(file)) throw new CommandRefusedError(`${file} is there already, and is left as it is.`);
  const completion = await withClient(
    (client) => writeBackupFile(file, { client, version, progress: createTerminalProgress(err), signal }),
    'as it is',
  );
  const { size } = await stat(file);
  out.write(`${file}: ${describeRows(completion)}, ${megabytes(size)} MB.\n`);
}

async function runRestore(file: string, parts: BackupCommandParts, signal: AbortSignal): Promise<void> {
  const { withClient, migrationsDirectory, out, err } = parts;
  const { size } = await stat(file);
  const { contents, completion } = await withClient(
    (client) =>
      restoreBackup({
        client,
        open: () => createReadStream(file),
        size,
        migrationsDirectory,
        progress: createTerminalProgress(err),
        signal,
      }),
    'as it is',
  );
  out.write(`Restored the community of ${contents.madeAt}: ${describeRows(completion)}.\n`);
}

async function runVerify(
  where: { file: string; scratchDirectory: string },
  { migrationsDirectory, out, err }: BackupCommandParts,
  signal: AbortSignal,
): Promise<void> {
  const { contents, completion } = await verifyBackup({
    ...where,
    migrationsDirectory,
    progress: createTerminalProgress(err),
    signal,
  });
  out.write(`${where.file} is whole: the community of ${contents.madeAt}, ${describeRows(completion)}.\n`);
}

function describeRows({ tables }: BackupCompletion): string {
  const rows = (name: string) =>
    (tables.find((table) => table.name === name)?.rows ?? 0).toLocaleString('en');
  const all = tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString('en');
  return `${rows('member')} members, ${rows('question')} questions, ${rows('answer')} answers, ${rows('reply')} replies (${all} rows in all)`;
}

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

/** Runs a command until it is done or interrupted. Returns its exit code. */
async function runUntilInterrupted(
  run: (signal: AbortSignal) => Promise<void>,
  { err }: BackupCommandParts,
): Promise<number> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await run(interruption.signal);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) {
      err.write('Interrupted. Nothing is left of it.\n');
      return 130;
    }
    const message = describeBackupError(error);
    if (message === undefined) throw error;
    err.write(`${message}\n`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
