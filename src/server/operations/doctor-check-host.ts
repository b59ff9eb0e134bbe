import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { measureClockSkew } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import { type Finding, createFinding, formatMegabytes, okFinding } from './doctor-findings.ts';

const gigabyte = 1024 * 1024 * 1024;

/**
 * Checks the free space of a directory's disk.
 * @param needed bytes that will be needed there soon
 */
export async function checkDisk(label: string, directory: string, needed = 0): Promise<Finding> {
  const finding = createFinding('disk');
  if (!existsSync(directory))
    return finding(
      'warning',
      `${label} (${directory}) does not exist.`,
      'Its disk cannot be checked.',
      'Create the directory, or mount its disk.',
    );
  const { bavail, blocks, bsize, files, ffree } = await statfs(directory);
  const [free, total] = [bavail * bsize, blocks * bsize];
  const share = total === 0 ? 0 : free / total;
  const summary = `${label} (${directory}) has ${formatMegabytes(free)} free of ${formatMegabytes(total)}.`;
  const why = 'On a full disk PostgreSQL stops, members cannot post, and backups fail.';
  const todo = 'Free some space, or move the directory to a larger disk.';
  if (files > 0 && ffree / files < 0.03)
    return finding('problem', `${label} (${directory}) has hardly any free inodes.`, why, todo);
  if (free < gigabyte / 2 || share < 0.03) return finding('problem', summary, why, todo);
  if (free < needed)
    return finding('warning', summary, `About ${formatMegabytes(needed)} will be needed there.`, todo);
  if (free < 2 * gigabyte || share < 0.1) return finding('warning', summary, why, todo);
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
    'Sessions and backups use one; limits, links and the times that members see use the other.',
    'Synchronise both machines with a time server (chrony or systemd-timesyncd).',
  );
}
