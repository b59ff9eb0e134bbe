import {
  describeDirectoryError,
  describeUnwritableDirectory,
  getErrorCode,
  getErrorMessage,
  StartupError,
} from '#server/core/startup-error.ts';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type OsAccount, runAs } from './embedded-account.ts';
import { type PostgresBinaries, programPath } from './embedded-binaries.ts';
import { createOwnedDirectory, type DataDirectory } from './embedded-data-directory.ts';
import { writeFileAtomically } from './embedded-lock-file.ts';

const run = promisify(execFile);

/** The passwords of the superuser 'postgres' and of the role 'parley', whose database Parley works in. */
const passwordsFile = z.object({ postgres: z.string(), parley: z.string() });
export type Passwords = z.infer<typeof passwordsFile>;

/**
 * Makes the cluster of a data folder where there is none yet, whole or not at all, and writes its settings.
 * @throws StartupError when it cannot be made, or is of another version of PostgreSQL.
 */
export async function prepareCluster(
  data: DataDirectory,
  binaries: PostgresBinaries,
  account: OsAccount | undefined,
): Promise<Passwords> {
  const version = await clusterVersion(data);
  if (version === undefined) await createCluster(data, binaries, account);
  else if (version !== binaries.major) throw wrongVersionError(data, version, binaries.major);
  await removePartialClusters(data);
  await writeSettings(data);
  return readPasswords(data);
}

async function clusterVersion(data: DataDirectory): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(path.join(data.cluster, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw new StartupError(describeDirectoryError(data.cluster, error));
    return undefined;
  }
}

function wrongVersionError(data: DataDirectory, found: number, ours: number): StartupError {
  return new StartupError(
    `The data folder ${data.root} was made by PostgreSQL ${found}, and this Parley brings PostgreSQL ${ours}. With the Parley that made it, write a backup (parley backup); with this one, restore it into another folder (PARLEY_DATA).`,
  );
}

async function createCluster(
  data: DataDirectory,
  binaries: PostgresBinaries,
  account: OsAccount | undefined,
): Promise<void> {
  // Made beside its place and moved there when it is whole: a start that is cut off leaves nothing half-made. In a folder
  // of its own name, because the initdb of a start that was killed lives on, and clears away what it could not finish.
  const half = `${data.cluster}.new-${randomBytes(6).toString('hex')}`;
  const passwordFile = path.join(half, 'password');
  const passwords = { postgres: generatePassword(), parley: generatePassword() };
  try {
    await createOwnedDirectory(half, account);
    await writePasswordFile(passwordFile, passwords.postgres, account);
    await run(
      programPath(binaries, 'initdb'),
      initdbParameters(path.join(half, 'cluster'), passwordFile),
      runAs(account),
    );
    await appendFile(path.join(half, 'cluster', 'postgresql.conf'), includeSettings);
    await writeFileAtomically(data.passwords, `${JSON.stringify(passwords)}\n`);
    await rename(path.join(half, 'cluster'), data.cluster);
    await syncDirectory(data.root);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw new StartupError(describeInitdbError(data, error));
  }
}

/** What starts that were cut off have left; where an initdb writes there still, it goes with the next start. */
async function removePartialClusters(data: DataDirectory): Promise<void> {
  const half = `${path.basename(data.cluster)}.new-`;
  const names = (await readdir(data.root)).filter((name) => name.startsWith(half));
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
  await Promise.all(names.map((name) => rm(path.join(data.root, name), options).catch(() => {})));
}

/** Made new and given away by its handle: in a folder of another user, a name may be made to lead elsewhere. */
async function writePasswordFile(
  name: string,
  password: string,
  account: OsAccount | undefined,
): Promise<void> {
  await using file = await open(name, 'wx', 0o600);
  await file.writeFile(password);
  if (account !== undefined) await file.chown(account.uid, account.gid);
}

/** Makes a rename in this folder last. Windows does not let folders be opened. */
async function syncDirectory(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder);
  await handle.sync();
}

/** Text compares by code point and upper, lower and ILIKE know Unicode, alike on every operating system. */
function initdbParameters(cluster: string, passwordFile: string): string[] {
  const superuser = ['--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
  const locale = ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'];
  const text = ['--encoding', 'UTF8', ...locale, '--text-search-config', 'english'];
  return ['--pgdata', cluster, '--data-checksums', ...superuser, ...text];
}

const generatePassword = () => randomBytes(24).toString('base64url');

function describeInitdbError(data: DataDirectory, error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  // PostgreSQL takes a write that fell short for a full disk, as there is no other cause.
  if (/No space left on device|wrote only \d+ of \d+ bytes/.test(output))
    return describeUnwritableDirectory(data.root, 'the disk is full');
  const lines = output.split('\n').filter((line) => /error|FATAL|could not/i.test(line));
  if (lines.length > 0)
    return `PostgreSQL's data folder could not be made in ${data.root}: ${lines.join(' ')}`;
  return getErrorCode(error) === undefined
    ? `PostgreSQL's data folder could not be made: ${getErrorMessage(error)}`
    : describeDirectoryError(data.root, error);
}

export async function readPasswords(data: DataDirectory): Promise<Passwords> {
  try {
    return passwordsFile.parse(JSON.parse(await readFile(data.passwords, 'utf8')));
  } catch (error) {
    throw new StartupError(
      `The passwords of the database in ${data.root} cannot be read (${data.passwords}: ${getErrorCode(error) ?? 'not what Parley wrote'}). Restore that file from a backup.`,
    );
  }
}

/** At the end of postgresql.conf. What an operator writes below it, or with ALTER SYSTEM, wins. */
const includeSettings = `
# Parley writes this file at each start. Settings below this line override it.
include_if_exists = '../parley.conf'
`;

/** Beside the cluster and not in it: what is in it belongs to another user, who could make the name lead elsewhere. */
async function writeSettings(data: DataDirectory): Promise<void> {
  const lines = Object.entries(serverSettings(data)).map(
    ([name, value]) => `${name} = ${quoteSetting(value)}\n`,
  );
  const text = `# Written by Parley at each start; what is changed here is lost.\n${lines.join('')}`;
  await writeFileAtomically(data.settings, text, 0o644);
}

const quoteSetting = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** For a laptop as for a small server of one's own: memory is a share of what is there, within bounds. */
function serverSettings(data: DataDirectory): Record<string, string> {
  const megabytes = os.totalmem() / 2 ** 20;
  const share = (part: number, least: number, most: number) =>
    `${Math.round(Math.min(most, Math.max(least, megabytes * part)))}MB`;
  return {
    max_connections: '100',
    shared_buffers: share(1 / 16, 64, 1024),
    effective_cache_size: share(1 / 2, 256, 65_536),
    work_mem: '8MB',
    maintenance_work_mem: share(1 / 32, 64, 512),
    max_wal_size: '2GB',
    // Disks without moving parts.
    random_page_cost: '1.1',
    // A search reads so little that starting another process would cost more; and the other cores have requests too.
    max_parallel_workers_per_gather: '0',
    // Compiling costs more than it saves on short queries.
    jit: 'off',
    logging_collector: 'on',
    log_directory: data.log,
    // One file for each day of the week; the next week overwrites it.
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_lock_waits: 'on',
    log_timezone: 'UTC',
    timezone: 'UTC',
    // Members' words and addresses do not belong in a log.
    log_parameter_max_length: '0',
    log_error_verbosity: 'terse',
  };
}
