import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds that programs have to end by themselves. */
const patienceMs = 15_000;

/**
 * Ends the programs that have a path in `directory` on their command line or in their environment: an interrupted test
 * run leaves servers, databases and browsers running. Only on Linux; elsewhere nothing is ended.
 * @param {string} directory
 */
export async function endProcessesOf(directory) {
  const deadline = Date.now() + patienceMs;
  /** @type {Set<number>} */
  const signalled = new Set();
  for (;;) {
    const pids = await findProcessesOf(directory);
    if (pids.length === 0) return;
    const isLate = Date.now() > deadline;
    for (const pid of pids)
      // A node stops its PostgreSQL; a PostgreSQL without a node ends its sessions and stops.
      if (isLate) signal(pid, 'SIGKILL');
      else if (!signalled.has(pid)) signal(pid, 'SIGINT');
    for (const pid of pids) signalled.add(pid);
    await delay(50);
  }
}

/**
 * @param {string} directory
 * @returns {Promise<number[]>}
 */
async function findProcessesOf(directory) {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const uses = await Promise.all(
    pids.map(async (pid) => {
      const parts = await Promise.all([readOf(pid, 'cmdline'), readOf(pid, 'environ')]);
      return parts.some((part) => part.includes(directory));
    }),
  );
  return pids.filter((_, index) => uses[index]);
}

/**
 * Empty for processes that have ended or belong to another user.
 * @param {number} pid
 * @param {string} file
 */
function readOf(pid, file) {
  return readFile(path.join('/proc', String(pid), file), 'utf8').catch(() => '');
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
