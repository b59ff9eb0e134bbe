import { execFile, type SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';

const run = promisify(execFile);

/** The operating system account that PostgreSQL runs as. */
export type OsAccount = { name: string; uid: number; gid: number };

/**
 * Chooses the account for PostgreSQL when root starts Parley, because PostgreSQL refuses to run as root. In this order:
 * the owner of an existing cluster, the account 'parley', 'postgres', a newly created 'parley', 'nobody'. Returns
 * undefined if the process does not run as root; PostgreSQL then runs as the same user.
 */
export async function chooseOsAccount(
  cluster: string,
  report: (line: string) => void,
): Promise<OsAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await findOwner(cluster);
  if (owner !== undefined) return owner;
  return (
    (await findAccount('parley')) ??
    (await findAccount('postgres')) ??
    (await createAccount(report)) ??
    (await findAccount('nobody')) ??
    throwNoAccount()
  );
}

/** Spawn options that run a program as `account`, with a working directory that this account can enter. */
export function runAs(account: OsAccount | undefined): Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'> {
  return { cwd: '/', ...(account !== undefined && { uid: account.uid, gid: account.gid }) };
}

export type AccessKind = 'enter' | 'read' | 'write';

/**
 * Whether the account can access the path this way. The check runs as that account, because file modes alone do not
 * decide it.
 */
export async function canAccess(
  account: OsAccount | undefined,
  path: string,
  need: AccessKind,
): Promise<boolean> {
  const test = { enter: '[ -x "$1" ]', read: '[ -r "$1" ]', write: '[ -x "$1" ] && [ -w "$1" ]' }[need];
  try {
    await run('/bin/sh', ['-c', test, 'sh', path], runAs(account));
    return true;
  } catch {
    return false;
  }
}

async function findOwner(cluster: string): Promise<OsAccount | undefined> {
  const status = await stat(cluster).catch((error: unknown) => {
    // The directory is created later, in a place where that is possible.
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR') return undefined;
    throw new StartupError(`The data directory cannot be read: ${getErrorMessage(error)}.`);
  });
  if (status === undefined) return undefined;
  if (status.uid === 0)
    throw new StartupError(
      `${cluster} belongs to root, but PostgreSQL refuses to run as root. Change its owner with: chown -R postgres "${cluster}"`,
    );
  return { name: await findUserName(status.uid), uid: status.uid, gid: status.gid };
}

async function findUserName(uid: number): Promise<string> {
  return run('id', ['-un', String(uid)]).then(
    ({ stdout }) => stdout.trim(),
    () => String(uid),
  );
}

async function findAccount(name: string): Promise<OsAccount | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
    );
    // An account with the user id or group id 0 is root under another name.
    return uid && gid ? { name, uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** Uses useradd (shadow) or adduser (BusyBox). */
async function createAccount(report: (line: string) => void): Promise<OsAccount | undefined> {
  const commands: [string, string[]][] = [
    [
      'useradd',
      [
        '--system',
        '--user-group',
        '--no-create-home',
        '--home-dir',
        '/var/lib/parley',
        '--shell',
        '/bin/false',
        'parley',
      ],
    ],
    ['adduser', ['-S', '-D', '-H', '-h', '/var/lib/parley', '-s', '/bin/false', 'parley']],
  ];
  for (const [program, parameters] of commands) {
    const created = await run(program, parameters).then(
      () => true,
      () => false,
    );
    if (!created) continue;
    report('Created the system user parley for PostgreSQL.');
    return findAccount('parley');
  }
  return undefined;
}

function throwNoAccount(): never {
  throw new StartupError(
    'PostgreSQL refuses to run as root, and the accounts parley, postgres and nobody do not exist. Start Parley as an ordinary user.',
  );
}
