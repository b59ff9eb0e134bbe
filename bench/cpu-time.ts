import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time that a process has used (proc(5), in clock ticks of 10 ms); Linux only. */
export function getCpuTimeMs(pid: number): number {
  const [, , , , , , , , , , , user = '0', system = '0'] = statOf(pid);
  return (Number(user) + Number(system)) * 10;
}

/** The same for the processes that PostgreSQL's first one has started and that live. */
export function getChildrenCpuTimeMs(postmaster: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  const below = pids.filter((pid) => getParentPid(Number(pid)) === postmaster);
  return below.reduce((sum, pid) => sum + getCpuTimeMs(Number(pid)), 0);
}

export const getParentPid = (pid: number) => Number(statOf(pid)[1]);

/** From the state on: what is before it may hold spaces. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /u, '')
      .split(' ');
  } catch {
    return [];
  }
}
