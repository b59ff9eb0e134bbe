import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { getErrorCode, StartupError } from '#server/core/startup-error.ts';
import { type OsAccount, runAs } from './embedded-account.ts';

const run = promisify(execFile);

/** How long processes get to end after a signal, in milliseconds, before they get a harder one. */
const timeoutsMs = { fast: 20_000, immediate: 5_000, kill: 10_000 };

/**
 * Clears a cluster of what an instance that was killed left behind: its PostgreSQL, which lives on, the processes of
 * one that died, and a postmaster.pid that would keep the next one from starting. To be called under the lock only, so
 * that whatever runs on the cluster belongs to nobody any more.
 */
export async function cleanUpOrphans(
  cluster: string,
  account: OsAccount | undefined,
): Promise<{ stopped: boolean }> {
  const postmaster = await readPostmasterPid(cluster);
  if (postmaster === undefined) return { stopped: await endClusterProcesses(cluster, account) };
  if (await isPostmasterOf(postmaster, cluster, account)) {
    await endPostmaster(postmaster);
    await endClusterProcesses(cluster, account);
    return { stopped: true };
  }
  const stopped = await endClusterProcesses(cluster, account);
  await removeStalePid(cluster, postmaster);
  return { stopped };
}

/** Ends all processes of a cluster whose postmaster is gone; true when there were any. */
async function endClusterProcesses(cluster: string, account: OsAccount | undefined): Promise<boolean> {
  const first = await listClusterProcesses(cluster, account);
  if (first.length === 0) return false;
  // They notice by themselves that the postmaster is gone, except in the middle of a computation.
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of await listClusterProcesses(cluster, account)) sendSignal(pid, signal);
    const gone = await waitUntil(
      async () => (await listClusterProcesses(cluster, account)).length === 0,
      timeoutsMs.immediate,
    );
    if (gone) return true;
  }
  throw new StartupError(
    `PostgreSQL processes of ${cluster} could not be ended: ${(await listClusterProcesses(cluster, account)).join(', ')}.`,
  );
}

/** Fast shutdown, then immediate, then none at all; the data survives each (the write-ahead log is replayed). */
async function endPostmaster(pid: number): Promise<void> {
  const steps = [
    ['SIGINT', timeoutsMs.fast],
    ['SIGQUIT', timeoutsMs.immediate],
    ['SIGKILL', timeoutsMs.kill],
  ] as const;
  for (const [signal, time] of steps) {
    sendSignal(pid, signal);
    if (await waitUntil(() => Promise.resolve(!isProcessAlive(pid)), time)) return;
  }
  throw new StartupError(`A PostgreSQL left behind by an earlier run (process ${pid}) could not be ended.`);
}

/** The process of postmaster.pid, whose first line it is. */
async function readPostmasterPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

async function isPostmasterOf(
  pid: number,
  cluster: string,
  account: OsAccount | undefined,
): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'linux') return (await listClusterProcesses(cluster, account)).includes(pid);
  if (process.platform === 'win32') return false;
  // Without /proc, a postmaster is known by its command line, which names the folder.
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes(`-D ${cluster}`);
}

/**
 * PostgreSQL itself replaces a postmaster.pid whose process is gone. It refuses one whose number another process has
 * been given meanwhile, as happens after a reboot and in containers, where numbers are few. Removing it is safe when
 * nothing runs on the cluster any more.
 */
async function removeStalePid(cluster: string, pid: number): Promise<void> {
  if (!isPidTaken(pid)) return;
  if (process.platform !== 'linux')
    throw new StartupError(
      `${path.join(cluster, 'postmaster.pid')} names process ${pid}, which is another program now. Make sure that no PostgreSQL runs on this folder and remove that file.`,
    );
  await rm(path.join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * The PostgreSQL processes of a cluster: all of them work in its folder. Linux only; elsewhere none are known, and a
 * start waits until PostgreSQL finds the shared memory free.
 */
async function listClusterProcesses(cluster: string, account: OsAccount | undefined): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = account === undefined ? await listPidsIn(cluster) : await listPidsInAs(cluster, account);
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => names[index]?.trim() === 'postgres');
}

async function listPidsIn(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => folders[index] === cluster).map(Number);
}

/** Asked as that user, because root in a container may not look into other users' processes (CAP_SYS_PTRACE). */
async function listPidsInAs(cluster: string, account: OsAccount): Promise<number[]> {
  const options = { ...runAs(account), maxBuffer: 64 * 1024 * 1024 };
  const list = await run('/bin/sh', ['-c', 'ls -l /proc/[0-9]*/cwd 2>/dev/null; true'], options);
  return [...list.stdout.matchAll(/ \/proc\/(\d+)\/cwd -> (.*)$/gm)]
    .filter(([, , folder]) => folder === cluster)
    .map(([, pid]) => Number(pid));
}

/** Whether such a process runs, of whichever user. One that has ended and waits to be taken note of does not. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (getErrorCode(error) !== 'EPERM') return false;
  }
  // In a container without an init process, those that have ended stay for ever.
  return process.platform !== 'linux' || !hasEnded(pid);
}

/** State Z in /proc/PID/stat, after the name in parentheses (proc(5)). */
function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Whether PostgreSQL would take the number for that of a running postmaster. */
function isPidTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (getErrorCode(error) !== 'ESRCH') throw error;
  }
}

/** Looks every 20 ms; false after `time` milliseconds. */
async function waitUntil(condition: () => Promise<boolean>, time: number): Promise<boolean> {
  for (const end = Date.now() + time; Date.now() < end; await delay(20)) if (await condition()) return true;
  return condition();
}
