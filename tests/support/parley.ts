import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { isProcessAlive } from '#server/postgres/embedded-orphan-cleanup.ts';
import { type ParleyOptions, type ParleyProcess, spawnParley } from './parley-process.ts';
import { copyPreparedDataDirectory } from './prepared-data-directory.ts';

export { eventually } from './eventually.ts';

/** Creates a directory that every user may enter, as /var/lib is; removed after the test. */
export async function createTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley test '));
  await chmod(directory, 0o755);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A path for a new data directory. A PostgreSQL that a failed test left there is stopped. */
export async function createTemporaryDataDirectory(parent?: string): Promise<string> {
  const data = path.join(parent ?? (await createTemporaryDirectory()), 'data');
  onTestFinished(async () => {
    const pid = await readPostmasterPid(data).catch(() => 0);
    if (pid > 0 && isProcessAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return data;
}

/** A data directory on which a Parley has run and stopped. */
export async function createPreparedDataDirectory(): Promise<string> {
  const data = await createTemporaryDataDirectory();
  await copyPreparedDataDirectory(data);
  return data;
}

/** Starts a Parley that is stopped after the test. */
export function startParley(options: ParleyOptions): ParleyProcess {
  const parley = spawnParley(options);
  let over = false;
  void parley.ended.then(() => (over = true));
  onTestFinished(async () => {
    if (over) return;
    parley.signal('SIGTERM');
    const forced = setTimeout(() => parley.signal('SIGKILL'), 15_000);
    await parley.ended;
    clearTimeout(forced);
  });
  return parley;
}

/** The process id of the PostgreSQL that runs on a data directory. */
export async function readPostmasterPid(data: string): Promise<number> {
  return Number.parseInt(await readFile(path.join(data, 'postgresql/postmaster.pid'), 'utf8'), 10);
}

export const isRoot = process.getuid?.() === 0;

/** A user without privileges (nobody), which every Unix has. */
export const unprivilegedUser = { uid: 65_534, gid: 65_534 };

export async function createDirectory(directory: string, mode = 0o755): Promise<string> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, mode);
  return directory;
}

const password = 'correct horse battery';

/** Registers a member; resolves with the status. */
export async function register(address: string, name: string): Promise<number> {
  const { status } = await post(`${address}/api/members`, {
    displayName: name,
    email: emailOf(name),
    password,
  });
  return status;
}

/** Signs in; resolves with the response. */
export function signIn(address: string, name: string): Promise<Response> {
  return post(`${address}/api/session`, { email: emailOf(name), password });
}

const emailOf = (name: string) => `${name.toLowerCase()}@example.org`;

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
