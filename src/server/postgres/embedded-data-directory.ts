import {
  describeDirectoryError,
  describeUnwritableDirectory,
  StartupError,
} from '#server/core/startup-error.ts';
import { createDirectories, projectRoot } from '#server/core/paths.ts';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { canAccess, type OsAccount } from './embedded-account.ts';

/** Where data and programs are stored if the PostgreSQL account cannot enter root's checkout. */
export const rootInstallDirectory = '/var/lib/parley';

/**
 * The paths in a data directory. `cluster` and `log` belong to the account that PostgreSQL runs as, the rest to the
 * user that runs Parley.
 */
export type DataDirectory = {
  root: string;
  cluster: string;
  log: string;
  /** Locked by the running instance. */
  lock: string;
  /** Describes the instance that holds the lock and how to connect to its database. */
  instance: string;
  passwords: string;
  /** The settings of PostgreSQL. */
  settings: string;
};

export function resolveDataDirectory(root: string): DataDirectory {
  return {
    root,
    cluster: path.join(root, 'postgresql'),
    log: path.join(root, 'log'),
    lock: path.join(root, 'lock'),
    instance: path.join(root, 'instance.json'),
    passwords: path.join(root, 'passwords.json'),
    settings: path.join(root, 'parley.conf'),
  };
}

/** The default data directory: `data` in the checkout, unless an earlier start by root used another place. */
export function defaultDataDirectory(): string {
  const inProject = path.join(projectRoot, 'data');
  if (existsSync(resolveDataDirectory(inProject).cluster)) return inProject;
  const elsewhere = rootDataDirectory();
  return process.getuid?.() === 0 && existsSync(resolveDataDirectory(elsewhere).cluster)
    ? elsewhere
    : inProject;
}

function rootDataDirectory(): string {
  const hash = createHash('sha256').update(projectRoot).digest('hex').slice(0, 8);
  return path.join(rootInstallDirectory, `${path.basename(projectRoot)}-${hash}`);
}

/**
 * Creates the data directory if it is missing, in a place that `account` can enter. `chosen` is the operator's choice
 * (PARLEY_DATA). Without it, a directory that `account` cannot enter is replaced by one in /var/lib/parley.
 * @throws StartupError if the directory cannot be created, written or entered
 */
export async function prepareDataDirectory(
  chosen: string | undefined,
  account: OsAccount | undefined,
  report: (line: string) => void,
): Promise<DataDirectory> {
  const wanted = chosen ?? defaultDataDirectory();
  if (!statSync(nearestExistingDirectory(wanted)).isDirectory())
    throw new StartupError(describeUnwritableDirectory(wanted, 'it is a file, not a directory'));
  if (account !== undefined && !(await canAccess(account, nearestExistingDirectory(wanted), 'enter'))) {
    if (chosen !== undefined) throw unreachableDirectoryError(chosen, account);
    const elsewhere = rootDataDirectory();
    report(
      `The data is stored in ${elsewhere}, because PostgreSQL runs as the user ${account.name}, who cannot enter ${nearestExistingDirectory(wanted)}.`,
    );
    return createDataDirectory(elsewhere, account);
  }
  return createDataDirectory(wanted, account);
}

async function createDataDirectory(root: string, account: OsAccount | undefined): Promise<DataDirectory> {
  try {
    // Only the owner can list the directory. The PostgreSQL account can pass through to its own subdirectories.
    const mode = account === undefined ? 0o700 : 0o711;
    if (await createDirectories(root, mode)) await chmod(root, mode);
    const directory = resolveDataDirectory(await realpath(root));
    await createOwnedDirectory(directory.log, account);
    if (account !== undefined && !(await canAccess(account, directory.log, 'write')))
      throw unreachableDirectoryError(root, account);
    return directory;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(describeDirectoryError(root, error));
  }
}

/** Creates a directory that belongs to `account`. */
export async function createOwnedDirectory(directory: string, account: OsAccount | undefined): Promise<void> {
  await createDirectories(directory, 0o700);
  if (account !== undefined) await chown(directory, account.uid, account.gid);
}

/**
 * The longest socket path that every platform accepts, with a margin: `sun_path` has 104 bytes on macOS and 108 on
 * Linux.
 */
const maxSocketPathBytes = 100;

/**
 * Creates a directory for PostgreSQL's socket that only its account can enter: in the data directory, or, if that path
 * is too long for a socket, in a temporary directory with an unpredictable name.
 */
export async function createSocketDirectory(
  data: DataDirectory,
  account: OsAccount | undefined,
): Promise<string> {
  const inData = path.join(data.root, 'socket');
  if (Buffer.byteLength(path.join(inData, '.s.PGSQL.5432')) <= maxSocketPathBytes) {
    await createOwnedDirectory(inData, account);
    await removeSocketFiles(inData);
    return inData;
  }
  for (const parent of new Set([os.tmpdir(), '/tmp', '/var/tmp'])) {
    const short =
      Buffer.byteLength(path.join(parent, temporaryPrefix + 'XXXXXX', '.s.PGSQL.5432')) <= maxSocketPathBytes;
    if (!short || !(await canAccess(account, parent, 'enter'))) continue;
    const directory = await mkdtemp(path.join(parent, temporaryPrefix)).catch(() => undefined);
    if (directory === undefined) continue;
    if (account !== undefined) await chown(directory, account.uid, account.gid);
    return directory;
  }
  throw new StartupError(
    `The path of the data directory is too long for PostgreSQL's socket, and no temporary directory is available: ${data.root}.`,
  );
}

/** Removes a socket and its lock file. The process id in the lock file may belong to another program by now. */
export async function removeSocketFiles(directory: string): Promise<void> {
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
    await rm(path.join(directory, name), { force: true });
}

/** Removes a socket directory outside the data directory. Each start creates a new one. */
export async function removeSocketDirectory(directory: string): Promise<void> {
  if (path.basename(directory).startsWith(temporaryPrefix))
    await rm(directory, { recursive: true, force: true });
}

const temporaryPrefix = 'parley-';

/** The nearest existing ancestor of `wanted`, or `wanted` itself. */
function nearestExistingDirectory(wanted: string): string {
  let directory = path.resolve(wanted);
  while (!existsSync(directory)) directory = path.dirname(directory);
  return directory;
}

function unreachableDirectoryError(directory: string, account: OsAccount): StartupError {
  return new StartupError(
    `The data directory ${directory} cannot be entered by the user ${account.name}. PostgreSQL runs as this user because it refuses to run as root. Choose another directory with PARLEY_DATA, or give this user access to every directory on the path.`,
  );
}
