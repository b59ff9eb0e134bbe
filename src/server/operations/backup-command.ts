import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import type { Command } from 'commander';
import type { Client } from 'pg';
import { type Output, createTerminalProgress } from '#server/core/progress.ts';
import { runUntilInterrupted } from '#server/core/signals.ts';
import type { BackupCompletion } from './backup-file.ts';
import { restoreBackup } from './backup-restore.ts';
import { describeBackupError } from './backup-errors.ts';
import { writeBackupFile } from './backup-write-file.ts';
import { verifyBackup } from './backup-verify.ts';

export type BackupCommandDeps = {
  /** Opens the community's database, with pending migrations applied or as it is, or one that is to be filled. */
  withClient: <Result>(
    work: (client: Client) => Promise<Result>,
    schema: 'migrated' | 'unchanged' | 'empty',
  ) => Promise<Result>;
  migrationsDirectory: string;
  version: string;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 if the command was refused or failed, 130 if it was interrupted. */
  exitWith: (code: number) => unknown;
};

/** Adds `backup`, `restore` and `verify`. */
export function registerBackupCommands(program: Command, deps: BackupCommandDeps): void {
  program
    .command('backup')
    .description('write the whole community to one file, while it is being served')
    .argument('[file]', 'file to write; default: parley-DATE-TIME.backup.tar in the current directory')
    .addHelpText('after', backupHelp)
    .action((file: string | undefined) =>
      runCommand(deps, (signal) => runBackup(file ?? backupFileName(new Date()), deps, signal)),
    );
  program
    .command('restore')
    .description('restore a community from a backup into an empty database')
    .argument('<file>', 'a backup')
    .addHelpText('after', restoreHelp)
    .action((file: string) => runCommand(deps, (signal) => runRestore(file, deps, signal)));
  program
    .command('verify')
    .description('check a backup by restoring it into a temporary database')
    .argument('<file>', 'a backup')
    .option('--scratch <directory>', 'directory with enough space for the whole database', os.tmpdir())
    .action((file: string, { scratch }: { scratch: string }) =>
      runCommand(deps, (signal) => runVerify({ file, scratchDirectory: scratch }, deps, signal)),
    );
}

const backupHelp = `
The file contains everything as of the start of the command, including sessions and password hashes: protect it
like the database. It is a tar archive of zstd-compressed tables, with the SHA-256 of each.

Exit codes: 0 written; 1 failed; 130 interrupted. With 1 and 130, no file is left.`;

const restoreHelp = `
The database of DATABASE_URL, or the data directory of PARLEY_DATA, must be empty. The backup is restored completely
or not at all. The next start migrates a backup of an older Parley. To move to another database, such as from the
embedded one to your own, or to a newer PostgreSQL, back up the old one and restore into the new one.

Exit codes: 0 restored; 1 refused or failed; 130 interrupted. With 1 and 130, nothing was changed.`;

/** For example 'parley-2026-11-22-0130.backup.tar', in UTC. */
export function backupFileName(at: Date): string {
  return `parley-${at.toISOString().slice(0, 16).replace('T', '-').replace(':', '')}.backup.tar`;
}

async function runBackup(file: string, deps: BackupCommandDeps, signal: AbortSignal): Promise<void> {
  const { withClient, version, out, err } = deps;
  const completion = await withClient(
    (client) => writeBackupFile(file, { client, version, progress: createTerminalProgress(err), signal }),
    'unchanged',
  );
  const { size } = await stat(file);
  out.write(`${file}: ${describeRows(completion)}, ${megabytes(size)} MB.\n`);
}

async function runRestore(file: string, deps: BackupCommandDeps, signal: AbortSignal): Promise<void> {
  const { withClient, migrationsDirectory, out, err } = deps;
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
    'empty',
  );
  out.write(`Restored the community of ${contents.madeAt}: ${describeRows(completion)}.\n`);
}

async function runVerify(
  where: { file: string; scratchDirectory: string },
  { migrationsDirectory, out, err }: BackupCommandDeps,
  signal: AbortSignal,
): Promise<void> {
  const { contents, completion } = await verifyBackup({
    ...where,
    migrationsDirectory,
    progress: createTerminalProgress(err),
    signal,
  });
  out.write(`${where.file} is intact: the community of ${contents.madeAt}, ${describeRows(completion)}.\n`);
}

function describeRows({ tables }: BackupCompletion): string {
  const rows = (name: string) =>
    (tables.find((table) => table.name === name || table.name === `base_${name}`)?.rows ?? 0).toLocaleString(
      'en',
    );
  const all = tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString('en');
  return `${rows('member')} members, ${rows('question')} questions, ${rows('answer')} answers, ${rows('reply')} replies (${all} rows in total)`;
}

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

async function runCommand(
  { err, exitWith }: BackupCommandDeps,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const interrupted = 'Nothing was changed.';
  exitWith(await runUntilInterrupted(err, { run, interrupted, describeError: describeBackupError }));
}
