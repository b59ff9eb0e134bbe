import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '#server/platform/database.ts';
import { type Finding, finder, megabytes, ok } from './finding.ts';

const gigabyte = 1024 * 1024 * 1024;

/** Whether the disk of a folder has room. @param needed bytes that something will soon need there */
export async function checkDisk(what: string, folder: string, needed = 0): Promise<Finding> {
  const found = finder('disk');
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
  const said = `${what} (${folder}) has ${megabytes(free)} free of ${megabytes(whole)}.`;
  const why = 'On a full disk PostgreSQL stops, nothing more can be posted, and backups fail.';
  const todo = 'Free some room, or move the folder to a larger disk.';
  if (files > 0 && ffree / files < 0.03)
    return found('problem', `${what} (${folder}) has hardly any room for more files (inodes).`, why, todo);
  if (free < gigabyte / 2 || share < 0.03) return found('problem', said, why, todo);
  if (free < needed) return found('warning', said, `About ${megabytes(needed)} will be needed there.`, todo);
  if (free < 2 * gigabyte || share < 0.1) return found('warning', said, why, todo);
  return ok('disk', said);
}

/** Compares this machine's clock with the database's. */
export async function checkClock(db: Database, now: () => number = Date.now): Promise<Finding> {
  const before = now();
  const { rows } = await sql<{
    now: number;
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db);
  const after = now();
  const apart = Math.abs((rows[0]?.now ?? 0) - (before + after) / 2);
  const uncertain = (after - before) / 2;
  const seconds = Math.max(0, apart - uncertain) / 1_000;
  const said = `The clocks of this machine and of the database are ${seconds.toFixed(1)} s apart.`;
  if (seconds < 2) return ok('clock', said);
  return finder('clock')(
    seconds < 30 ? 'warning' : 'problem',
    said,
    'Sessions, limits and mails go by one, the times that members see by the other.',
    'Let both machines follow a time server (chrony or systemd-timesyncd).',
  );
}
