import { execFile, type SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';

const run = promisify(execFile);

/** A user of the operating system that PostgreSQL runs as. */
export type OsAccount = { name: string; uid: number; gid: number };

/**
 * Whom PostgreSQL runs as when Parley was started by root, whom PostgreSQL refuses: the owner of the cluster that is
 * there, else the user 'parley', else 'postgres', else a 'parley' made now, else 'nobody'. Undefined for everyone but
 * root: then it runs as whoever started Parley.
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

/** Spawn options that run a program as `account`, away from a folder that user may not enter. */
export function runAs(account: OsAccount | undefined): Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'> {
  return { cwd: '/', ...(account !== undefined && { uid: account.uid, gid: account.gid }) };
}

export type AccessKind = 'enter' | 'read' | 'write';

/** Whether that user can really do this with that path: tried as them, because modes alone do not tell. */
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
    // The folder is made later, where it can be.
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR') return undefined;
    throw new StartupError(`The data folder cannot be read: ${getErrorMessage(error)}.`);
  });
  if (status === undefined) return undefined;
  if (status.uid === 0)
    throw new StartupError(
      `${cluster} belongs to root, whom PostgreSQL refuses to run as. Give it to another user with: chown -R postgres "${cluster}"`,
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
    // A user with root's id is root by another name.
    return uid && gid ? { name, uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** With shadow's useradd, or with the adduser of BusyBox. */
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
    const made = await run(program, parameters).then(
      () => true,
      () => false,
    );
    if (!made) continue;
    report('Made the system user parley, as which PostgreSQL runs.');
    return findAccount('parley');
  }
  return undefined;
}

function throwNoAccount(): never {
  throw new StartupError(
    'PostgreSQL refuses to run as root, and there is no user parley, postgres or nobody to run it as. Start Parley as an ordinary user.',
  );
}
