import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { withDatabase, runUnderLoad } from '#tests/support/under-load.ts';
import { runFault } from './fault-run.ts';
import { fillUp, withSmallDisk } from './small-disk.ts';

/**
 * The disk for backups is full when a backup is made: earlier backups stay, no partial file stays, and the failure is
 * reported.
 */
export function backupDiskFull(directory: string): Promise<string> {
  return withSmallDisk(directory, 8, async (disk) => {
    const old = 'parley-scheduled-2026-01-01-0330.backup.tar';
    await writeFile(path.join(disk, old), 'an old one');
    await fillUp(disk, 16 * 1024);
    const env = { BACKUP_DIRECTORY: disk, BACKUP_RETENTION: '1 daily' };
    return runFault({ data: path.join(directory, 'data'), env }, async (community) => {
      await runUnderLoad(community, {
        before: () => delay(500),
        async fault() {
          // The first backup is due as soon as Parley runs.
          await community.parley.waitForOutput(
            /The backup failed, and earlier backups are kept: The disk is full\./,
          );
        },
      });
      const names = (await readdir(disk)).toSorted();
      if (names.join() !== ['filler', old].join()) throw new Error(`the files are ${names.join(', ')}`);
      const { rows: failed } = await withDatabase(community, (db) =>
        sql<{ outcome: string; reason: string | null }>`select outcome, reason from backup_run`.execute(db),
      );
      if (failed.length !== 1 || failed[0]?.reason !== 'The disk is full.')
        throw new Error(`it is recorded as ${JSON.stringify(failed)}`);
      return 'the older backup stays, no partial file stays, the log and the list of backups give the reason.';
    });
  });
}
