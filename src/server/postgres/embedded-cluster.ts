import {
  describeDirectoryError,
  describeUnwritableDirectory,
  getErrorCode,
  getErrorMessage,
  StartupError,
} from '#server/core/startup-error.ts';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type OsAccount, runAs } from './embedded-account.ts';
import { type PostgresBinaries, programPath } from './embedded-binaries.ts';
import { createOwnedDirectory, type DataDirectory } from './embedded-data-directory.ts';
import { syncDirectory, writeFileAtomically } from './embedded-lock-file.ts';

const run = promisify(execFile);

/** The passwords of the superuser 'postgres' and of the role 'parley', which owns Parley's database. */
const passwordsFile = z.object({ postgres: z.string(), parley: z.string() });
export type Passwords = z.infer<typeof passwordsFile>;

/**
 * Creates the cluster of a data directory if there is none, completely or not at all, and writes its settings.
 * @throws StartupError if the cluster cannot be created or has another major version of PostgreSQL
 */
export async function prepareCluster(
  data: DataDirectory,
  binaries: PostgresBinaries,
  account: OsAccount | undefined,
): Promise<Passwords> {
  const version = await clusterVersion(data);
  if (Number.isNaN(version) || (version === undefined && (await hasFiles(data.cluster))))
    throw damagedClusterError(data);
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

const hasFiles = async (directory: string) => (await readdir(directory).catch(() => [])).length > 0;

function damagedClusterError({ cluster }: DataDirectory): StartupError {
  return new StartupError(
    `The database in ${cluster} is damaged: its file PG_VERSION is missing or not valid. Restore the directory from a copy, or move it away and restore a backup (parley restore).`,
  );
}

function wrongVersionError(data: DataDirectory, actual: number, ours: number): StartupError {
  return new StartupError(
    `The data directory ${data.root} was created by PostgreSQL ${actual}, but this Parley contains PostgreSQL ${ours}. Write a backup with the Parley that created it (parley backup), and restore it with this one into another directory (PARLEY_DATA).`,
  );
}

async function createCluster(
  data: DataDirectory,
  binaries: PostgresBinaries,
  account: OsAccount | undefined,
): Promise<void> {
  // initdb runs in a temporary directory that is renamed when it is complete, so an interrupted start leaves no partial
  // cluster. The directory name is unique because the initdb of a killed start keeps running and deletes its directory
  // when it fails.
  const partialDirectory = `${data.cluster}.new-${randomBytes(6).toString('hex')}`;
  const passwordFile = path.join(partialDirectory, 'password');
  // Stored passwords may be those of a cluster whose disk is not mounted now.
  const stored = existsSync(data.passwords) ? await readPasswords(data) : undefined;
  const passwords = stored ?? { postgres: generatePassword(), parley: generatePassword() };
  try {
    await createOwnedDirectory(partialDirectory, account);
    await writePasswordFile(passwordFile, passwords.postgres, account);
    await run(
      programPath(binaries, 'initdb'),
      initdbParameters(path.join(partialDirectory, 'cluster'), passwordFile),
      runAs(account),
    );
    await appendFile(path.join(partialDirectory, 'cluster', 'postgresql.conf'), includeSettings);
    if (stored === undefined) await writeFileAtomically(data.passwords, `${JSON.stringify(passwords)}\n`);
    await rename(path.join(partialDirectory, 'cluster'), data.cluster);
    await syncDirectory(data.root);
  } catch (error) {
    await rm(partialDirectory, { recursive: true, force: true });
    throw new StartupError(describeInitdbError(data, error));
  }
}

/** Removes the remains of interrupted starts. If an initdb still writes to one, the next start removes it. */
async function removePartialClusters(data: DataDirectory): Promise<void> {
  const partialPrefix = `${path.basename(data.cluster)}.new-`;
  const names = (await readdir(data.root)).filter((name) => name.startsWith(partialPrefix));
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 };
  await Promise.all(names.map((name) => rm(path.join(data.root, name), options).catch(() => {})));
}

/**
 * Creates a new file and changes its owner through the file handle. In a directory of another user, a path could be
 * replaced by a symbolic link in between.
 */
async function writePasswordFile(
  name: string,
  password: string,
  account: OsAccount | undefined,
): Promise<void> {
  await using file = await open(name, 'wx', 0o600);
  await file.writeFile(password);
  if (account !== undefined) await file.chown(account.uid, account.gid);
}

/** Text compares by code point. upper, lower and ILIKE use Unicode rules, the same on every operating system. */
function initdbParameters(cluster: string, passwordFile: string): string[] {
  const superuser = ['--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
  const locale = ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'];
  const text = ['--encoding', 'UTF8', ...locale, '--text-search-config', 'english'];
  return ['--pgdata', cluster, '--data-checksums', ...superuser, ...text];
}

const generatePassword = () => randomBytes(24).toString('base64url');

function describeInitdbError(data: DataDirectory, error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  // PostgreSQL reports a short write as a full disk, because there is no other cause.
  if (/No space left on device|wrote only \d+ of \d+ bytes/.test(output))
    return describeUnwritableDirectory(data.root, 'the disk is full');
  const lines = output.split('\n').filter((line) => /error|FATAL|could not/i.test(line));
  if (lines.length > 0)
    return `PostgreSQL's data directory could not be created in ${data.root}: ${lines.join(' ')}`;
  return getErrorCode(error) === undefined
    ? `PostgreSQL's data directory could not be created: ${getErrorMessage(error)}`
    : describeDirectoryError(data.root, error);
}

export async function readPasswords(data: DataDirectory): Promise<Passwords> {
  try {
    return passwordsFile.parse(JSON.parse(await readFile(data.passwords, 'utf8')));
  } catch (error) {
    throw new StartupError(
      `The database passwords in ${data.root} cannot be read (${data.passwords}: ${getErrorCode(error) ?? 'not written by Parley'}). Restore this file from a backup.`,
    );
  }
}

/** Appended to postgresql.conf. Settings that an operator adds below it, or with ALTER SYSTEM, take precedence. */
const includeSettings = `
# Parley writes this file at each start. Settings below this line override it.
include_if_exists = '../parley.conf'
`;

/**
 * Writes the settings next to the cluster, not inside it: the cluster belongs to another user, who could replace the
 * path by a symbolic link.
 */
async function writeSettings(data: DataDirectory): Promise<void> {
  const lines = Object.entries(serverSettings(data)).map(
    ([name, value]) => `${name} = ${quoteSetting(value)}\n`,
  );
  const text = `# Written by Parley at each start; changes to this file are lost.\n${lines.join('')}`;
  await writeFileAtomically(data.settings, text, 0o644);
}

const quoteSetting = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** The memory of the machine or, if that is less, the limit of the container or service that Parley runs in. */
function availableMemory(): number {
  // 0 if there is no limit; a cgroup without a limit can also report more than the machine has.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

/**
 * Settings for a laptop or a small server: memory limits are a share of the available memory, with a minimum and a
 * maximum.
 */
function serverSettings(data: DataDirectory): Record<string, string> {
  const megabytes = availableMemory() / 2 ** 20;
  const share = (part: number, min: number, max: number) =>
    `${Math.round(Math.min(max, Math.max(min, megabytes * part)))}MB`;
  return {
    max_connections: '100',
    shared_buffers: share(1 / 16, 64, 1024),
    effective_cache_size: share(1 / 2, 256, 65_536),
    work_mem: '8MB',
    maintenance_work_mem: share(1 / 32, 64, 512),
    max_wal_size: '2GB',
    // For SSDs.
    random_page_cost: '1.1',
    // A search reads so few rows that starting a worker process would take longer. The other cores serve requests.
    max_parallel_workers_per_gather: '0',
    // For short queries, compiling takes longer than it saves.
    jit: 'off',
    logging_collector: 'on',
    log_directory: data.log,
    // One file per weekday. The next week overwrites it.
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_lock_waits: 'on',
    log_timezone: 'UTC',
    timezone: 'UTC',
    // Post texts and addresses must not appear in a log.
    log_parameter_max_length: '0',
    log_error_verbosity: 'terse',
  };
}
