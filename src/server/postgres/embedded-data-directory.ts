import {
  describeDirectoryError,
  describeUnwritableDirectory,
  StartupError,
} from '#server/core/startup-error.ts';
import { projectRoot } from '#server/core/paths.ts';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { canAccess, type OsAccount } from './embedded-account.ts';

/** Where data and programs go when root's checkout is out of reach of the user PostgreSQL runs as. */
export const rootInstallDirectory = '/var/lib/parley';

/** What lies in a data folder. `cluster` and `log` belong to the user PostgreSQL runs as, the rest to who runs Parley. */
export type DataDirectory = {
  root: string;
  cluster: string;
  log: string;
  /** Held by the running instance. */
  lock: string;
  /** Who holds the lock, and how to reach its database. */
  instance: string;
  passwords: string;
  /** PostgreSQL's settings. */
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

/** The data folder when none is named: `data` in the checkout, unless an earlier start by root had to go elsewhere. */
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
 * The data folder, made where it is missing, at a place that `account` can enter. `chosen` is the operator's choice
 * (PARLEY_DATA); without one, a folder out of reach is replaced by one in /var/lib/parley.
 * @throws StartupError when the folder cannot be made, written, or reached.
 */
export async function prepareDataDirectory(
  chosen: string | undefined,
  account: OsAccount | undefined,
  report: (line: string) => void,
): Promise<DataDirectory> {
  const wanted = chosen ?? defaultDataDirectory();
  if (!statSync(nearestExistingDirectory(wanted)).isDirectory())
    throw new StartupError(describeUnwritableDirectory(wanted, 'it is a file, not a folder'));
  if (account !== undefined && !(await canAccess(account, nearestExistingDirectory(wanted), 'enter'))) {
    if (chosen !== undefined) throw unreachableDirectoryError(chosen, account);
    const elsewhere = rootDataDirectory();
    report(
      `The data goes to ${elsewhere}, because the user ${account.name}, as whom PostgreSQL runs, cannot enter ${nearestExistingDirectory(wanted)}.`,
    );
    return createDataDirectory(elsewhere, account);
  }
  return createDataDirectory(wanted, account);
}

async function createDataDirectory(root: string, account: OsAccount | undefined): Promise<DataDirectory> {
  try {
    // Only its owner may list it; the user PostgreSQL runs as may pass through to the folders that are theirs.
    const isNew =
      (await mkdir(root, { recursive: true, mode: account === undefined ? 0o700 : 0o711 })) !== undefined;
    if (isNew) await chmod(root, account === undefined ? 0o700 : 0o711);
    const folder = resolveDataDirectory(await realpath(root));
    await createOwnedDirectory(folder.log, account);
    if (account !== undefined && !(await canAccess(account, folder.log, 'write')))
      throw unreachableDirectoryError(root, account);
    return folder;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(describeDirectoryError(root, error));
  }
}

/** Makes a folder of `account`'s own. */
export async function createOwnedDirectory(folder: string, account: OsAccount | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(folder, account.uid, account.gid);
}

/** The longest socket path that every platform takes, less some room: sun_path has 104 bytes on macOS, 108 on Linux. */
const maxSocketPathBytes = 100;

/**
 * A folder for PostgreSQL's socket that only its user may enter: in the data folder, or, where that path is too long
 * for a socket, below a temporary folder, under a name that nobody can take beforehand.
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
    const folder = await mkdtemp(path.join(parent, temporaryPrefix)).catch(() => undefined);
    if (folder === undefined) continue;
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    return folder;
  }
  throw new StartupError(
    `The path of the data folder is too long for PostgreSQL's socket, and no temporary folder can be used instead: ${data.root}.`,
  );
}

/** Removes a socket, and the file that names its process, which may be another program's by now. */
export async function removeSocketFiles(folder: string): Promise<void> {
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
    await rm(path.join(folder, name), { force: true });
}

/** Removes a socket folder outside the data folder; it is made anew at each start. */
export async function removeSocketDirectory(folder: string): Promise<void> {
  if (path.basename(folder).startsWith(temporaryPrefix)) await rm(folder, { recursive: true, force: true });
}

const temporaryPrefix = 'parley-';

/** The nearest folder on the way to `wanted` that exists. */
function nearestExistingDirectory(wanted: string): string {
  let folder = path.resolve(wanted);
  while (!existsSync(folder)) folder = path.dirname(folder);
  return folder;
}

function unreachableDirectoryError(folder: string, account: OsAccount): StartupError {
  return new StartupError(
    `The data folder ${folder} cannot be reached by the user ${account.name}, as whom PostgreSQL runs because root may not. Choose another with PARLEY_DATA, or let that user enter every folder on its path.`,
  );
}
