import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { measureClockSkew } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import { type Finding, createFinding, formatMegabytes, okFinding } from './doctor-findings.ts';

const gigabyte = 1024 * 1024 * 1024;

/** Whether the disk of a folder has room. @param needed bytes that something will soon need there */
export async function checkDisk(what: string, folder: string, needed = 0): Promise<Finding> {
  const found = createFinding('disk');
  if (!existsSync(folder))
    return found(
      'warning',
      `${what}, ${folder}, is not there.`,
      'Its disk cannot be looked at.',
      'Make the folder, or mount its disk.',
    );
  const { bavail, blocks, bsize, files, ffree } = await statfs(folder);
  const [free, whole] = [bavail * bsize, blocks * bsize];
  const share = whole === 0 ? 0 : free / whole;
  const summary = `${what} (${folder}) has ${formatMegabytes(free)} free of ${formatMegabytes(whole)}.`;
  const why = 'On a full disk PostgreSQL stops, nothing more can be posted, and backups fail.';
  const todo = 'Free some room, or move the folder to a larger disk.';
  if (files > 0 && ffree / files < 0.03)
    return found('problem', `${what} (${folder}) has hardly any room for more files (inodes).`, why, todo);
  if (free < gigabyte / 2 || share < 0.03) return found('problem', summary, why, todo);
  if (free < needed)
    return found('warning', summary, `About ${formatMegabytes(needed)} will be needed there.`, todo);
  if (free < 2 * gigabyte || share < 0.1) return found('warning', summary, why, todo);
  return okFinding('disk', summary);
}

/** Compares this machine's clock with the database's. */
export async function checkClock(db: Database, now: () => number = Date.now): Promise<Finding> {
  const { difference, uncertain } = await measureClockSkew(db, now);
  const seconds = Math.max(0, Math.abs(difference) - uncertain) / 1_000;
  const summary = `The clocks of this machine and of the database are ${seconds.toFixed(1)} s apart.`;
  if (seconds < 2) return okFinding('clock', summary);
  return createFinding('clock')(
    seconds < 30 ? 'warning' : 'problem',
    summary,
    'Sessions and backups go by one, limits, links and the times that members see by the other.',
    'Let both machines follow a time server (chrony or systemd-timesyncd).',
  );
}
