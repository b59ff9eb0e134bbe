import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase, runUnderLoad } from '#tests/support/under-load.ts';
import { runFault } from './fault-run.ts';
import { fillUp, withSmallDisk } from './small-disk.ts';

/** The disk for backups is full when one is made: the older ones stay, no half file does, and it is told. */
export function backupDiskFull(folder: string): Promise<string> {
  return withSmallDisk(folder, 8, async (disk) => {
    const old = 'parley-scheduled-2026-01-01-0330.backup.tar';
    await writeFile(path.join(disk, old), 'an old one');
    await fillUp(disk, 16 * 1024);
    const env = { BACKUP_FOLDER: disk, BACKUP_KEEP: '1 daily' };
    return runFault({ data: path.join(folder, 'data'), env }, async (community) => {
      await runUnderLoad(community, {
        before: () => delay(500),
        async fault() {
          // The first is due as soon as Parley runs.
          await community.parley.waitForOutput(
            /The backup failed, and those before it stay: The disk is full\./,
          );
        },
      });
      const names = (await readdir(disk)).toSorted();
      if (names.join() !== ['filler', old].join()) throw new Error(`there are now: ${names.join(', ')}`);
      const failed = await withDatabase(community, (db) =>
        db.selectFrom('backup_run').select(['outcome', 'reason']).execute(),
      );
      if (failed.length !== 1 || failed[0]?.reason !== 'The disk is full.')
        throw new Error(`it is noted as ${JSON.stringify(failed)}`);
      return 'the older backup stays, no half file does, the log and the list of backups say why.';
    });
  });
}
