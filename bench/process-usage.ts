import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process in milliseconds (proc(5), in clock ticks of 10 ms); Linux only. */
export function getCpuTimeMs(pid: number): number {
  const [, , , , , , , , , , , user = '0', system = '0'] = statOf(pid);
  return (Number(user) + Number(system)) * 10;
}

/** The same for the running child processes of the postmaster. */
export function getChildrenCpuTimeMs(postmaster: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  const below = pids.filter((pid) => getParentPid(Number(pid)) === postmaster);
  return below.reduce((sum, pid) => sum + getCpuTimeMs(Number(pid)), 0);
}

export const getParentPid = (pid: number) => Number(statOf(pid)[1]);

/** Resident memory of a process in bytes; Linux only. */
export function getResidentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

/** The fields from the state on: the name before it may contain spaces. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /u, '')
      .split(' ');
  } catch {
    return [];
  }
}
