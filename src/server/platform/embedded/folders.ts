import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { errorCode, messageOf, StartupError } from '#server/platform/startup-error.ts';
import { type Account, canReach } from './account.ts';

/** Where data and programs go when root's checkout is out of reach of the user PostgreSQL runs as. */
export const rootsHome = '/var/lib/parley';

/** The checkout. */
export const projectFolder = path.resolve(import.meta.dirname, '../../../..');

/** What lies in a data folder. `cluster` and `log` belong to the user PostgreSQL runs as, the rest to who runs Parley. */
export type DataFolder = {
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

export function dataFolder(root: string): DataFolder {
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
export function defaultDataFolder(): string {
  const inProject = path.join(projectFolder, 'data');
  if (existsSync(dataFolder(inProject).cluster)) return inProject;
  const elsewhere = rootsDataFolder();
  return process.getuid?.() === 0 && existsSync(dataFolder(elsewhere).cluster) ? elsewhere : inProject;
}

function rootsDataFolder(): string {
  const hash = createHash('sha256').update(projectFolder).digest('hex').slice(0, 8);
  return path.join(rootsHome, `${path.basename(projectFolder)}-${hash}`);
}

/**
 * The data folder, made where it is missing, at a place that `account` can enter. `chosen` is the operator's choice
 * (PARLEY_DATA); without one, a folder out of reach is replaced by one in /var/lib/parley.
 * @throws StartupError when the folder cannot be made, written, or reached.
 */
export async function prepareDataFolder(
  chosen: string | undefined,
  account: Account | undefined,
  tell: (line: string) => void,
): Promise<DataFolder> {
  const wanted = chosen ?? defaultDataFolder();
  if (!statSync(existingPart(wanted)).isDirectory())
    throw new StartupError(cannotBeWritten(wanted, 'it is a file, not a folder'));
  if (account !== undefined && !(await canReach(account, existingPart(wanted), 'enter'))) {
    if (chosen !== undefined) throw outOfReach(chosen, account);
    const elsewhere = rootsDataFolder();
    tell(
      `The data goes to ${elsewhere}, because the user ${account.name}, as whom PostgreSQL runs, cannot enter ${existingPart(wanted)}.`,
    );
    return makeDataFolder(elsewhere, account);
  }
  return makeDataFolder(wanted, account);
}

async function makeDataFolder(root: string, account: Account | undefined): Promise<DataFolder> {
  try {
    // Only its owner may list it; the user PostgreSQL runs as may pass through to the folders that are theirs.
    const isNew =
      (await mkdir(root, { recursive: true, mode: account === undefined ? 0o700 : 0o711 })) !== undefined;
    if (isNew) await chmod(root, account === undefined ? 0o700 : 0o711);
    const folder = dataFolder(await realpath(root));
    await giveFolder(folder.log, account);
    if (account !== undefined && !(await canReach(account, folder.log, 'write')))
      throw outOfReach(root, account);
    return folder;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(folderSentence(root, error));
  }
}

/** Makes a folder of `account`'s own. */
export async function giveFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(folder, account.uid, account.gid);
}

/** The longest socket path that every platform takes, less some room: sun_path has 104 bytes on macOS, 108 on Linux. */
const socketPathLimit = 100;

/**
 * A folder for PostgreSQL's socket that only its user may enter: in the data folder, or, where that path is too long
 * for a socket, below a temporary folder, under a name that nobody can take beforehand.
 */
export async function makeSocketFolder(data: DataFolder, account: Account | undefined): Promise<string> {
  const inData = path.join(data.root, 'socket');
  if (Buffer.byteLength(path.join(inData, '.s.PGSQL.5432')) <= socketPathLimit) {
    await giveFolder(inData, account);
    await clearSocket(inData);
    return inData;
  }
  for (const parent of new Set([os.tmpdir(), '/tmp', '/var/tmp'])) {
    const short =
      Buffer.byteLength(path.join(parent, temporaryPrefix + 'XXXXXX', '.s.PGSQL.5432')) <= socketPathLimit;
    if (!short || !(await canReach(account, parent, 'enter'))) continue;
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
export async function clearSocket(folder: string): Promise<void> {
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
    await rm(path.join(folder, name), { force: true });
}

/** Removes a socket folder outside the data folder; it is made anew at each start. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (path.basename(folder).startsWith(temporaryPrefix)) await rm(folder, { recursive: true, force: true });
}

const temporaryPrefix = 'parley-';

/** The nearest folder on the way to `wanted` that exists. */
function existingPart(wanted: string): string {
  let folder = path.resolve(wanted);
  while (!existsSync(folder)) folder = path.dirname(folder);
  return folder;
}

function outOfReach(folder: string, account: Account): StartupError {
  return new StartupError(
    `The data folder ${folder} cannot be reached by the user ${account.name}, as whom PostgreSQL runs because root may not. Choose another with PARLEY_DATA, or let that user enter every folder on its path.`,
  );
}

/** The sentence for a folder or file that cannot be made or written. */
export function folderSentence(folder: string, error: unknown): string {
  const reasons: Record<string, string> = {
    EACCES: 'no permission',
    EPERM: 'no permission',
    EROFS: 'it is on a read-only file system',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  };
  const reason = reasons[errorCode(error) ?? ''] ?? messageOf(error);
  return cannotBeWritten(folder, reason);
}

export function cannotBeWritten(folder: string, reason: string): string {
  return `The data folder ${folder} cannot be written: ${reason}. Choose another with PARLEY_DATA.`;
}
