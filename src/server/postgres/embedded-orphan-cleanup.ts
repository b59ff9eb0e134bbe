import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { getErrorCode, StartupError } from '#server/core/startup-error.ts';
import { type OsAccount, runAs } from './embedded-account.ts';

const run = promisify(execFile);

/** How long to wait for processes to end after each signal, in milliseconds, before sending a stronger one. */
const timeoutsMs = { fast: 20_000, immediate: 5_000, kill: 10_000 };

/**
 * Removes what a killed instance left in a cluster: its PostgreSQL if it still runs, the child processes of a dead
 * postmaster, and a postmaster.pid that would prevent the next start. Call it only while holding the lock, so that no
 * process on the cluster belongs to a running instance.
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

/** Ends all processes of a cluster whose postmaster is gone. Returns true if there were any. */
async function endClusterProcesses(cluster: string, account: OsAccount | undefined): Promise<boolean> {
  const first = await listClusterProcesses(cluster, account);
  if (first.length === 0) return false;
  // They detect a dead postmaster on their own, except in the middle of a computation.
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of await listClusterProcesses(cluster, account)) sendSignal(pid, signal);
    const hasEnded = await waitUntil(
      async () => (await listClusterProcesses(cluster, account)).length === 0,
      timeoutsMs.immediate,
    );
    if (hasEnded) return true;
  }
  throw new StartupError(
    `PostgreSQL processes of ${cluster} could not be ended: ${(await listClusterProcesses(cluster, account)).join(', ')}.`,
  );
}

/**
 * Tries a fast shutdown, then an immediate one, then SIGKILL. The data survives each of them, because PostgreSQL
 * replays the write-ahead log.
 */
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
  throw new StartupError(`A PostgreSQL of an earlier run (process ${pid}) could not be ended.`);
}

/** The process id from the first line of postmaster.pid. */
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
  // Without /proc, a postmaster is identified by its command line, which contains the directory.
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes(`-D ${cluster}`);
}

/**
 * PostgreSQL replaces a postmaster.pid whose process is gone. It refuses one whose process id now belongs to another
 * process, which happens after a reboot and in containers, where ids are small numbers. Removing the file is safe when
 * nothing runs on the cluster any more.
 */
async function removeStalePid(cluster: string, pid: number): Promise<void> {
  if (!isPidTaken(pid)) return;
  if (process.platform !== 'linux')
    throw new StartupError(
      `${path.join(cluster, 'postmaster.pid')} names process ${pid}, which is now another program. Make sure that no PostgreSQL runs on this directory, then remove the file.`,
    );
  await rm(path.join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * The PostgreSQL processes of a cluster, identified by their working directory. On Linux only. Elsewhere the list is
 * empty, and a start waits until PostgreSQL finds the shared memory unused.
 */
async function listClusterProcesses(cluster: string, account: OsAccount | undefined): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = account === undefined ? await listPidsIn(cluster) : await listPidsInAs(cluster, account);
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => names[index]?.trim() === 'postgres');
}

async function listPidsIn(cluster: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const directories = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => directories[index] === cluster).map(Number);
}

/**
 * Runs as that account, because root in a container may lack the right to inspect processes of other users
 * (CAP_SYS_PTRACE).
 */
async function listPidsInAs(cluster: string, account: OsAccount): Promise<number[]> {
  const options = { ...runAs(account), maxBuffer: 64 * 1024 * 1024 };
  const list = await run('/bin/sh', ['-c', 'ls -l /proc/[0-9]*/cwd 2>/dev/null; true'], options);
  return [...list.stdout.matchAll(/ \/proc\/(\d+)\/cwd -> (.*)$/gm)]
    .filter(([, , directory]) => directory === cluster)
    .map(([, pid]) => Number(pid));
}

/** Whether the process runs, under any user. A zombie process does not count. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (getErrorCode(error) !== 'EPERM') return false;
  }
  // In a container without an init process, zombies stay forever.
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

/** Whether PostgreSQL would mistake this process id for a running postmaster. */
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

/** Polls every 20 ms. Returns false after `time` milliseconds. */
async function waitUntil(condition: () => Promise<boolean>, time: number): Promise<boolean> {
  for (const end = Date.now() + time; Date.now() < end; await delay(20)) if (await condition()) return true;
  return condition();
}
