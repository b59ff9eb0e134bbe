import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runUnderLoad } from '#tests/support/under-load.ts';
import { runFault, formatSpread } from './fault-run.ts';
import { fillUp, withSmallDisk } from './small-disk.ts';

/** How long the disk stays full, in milliseconds. */
const fullMs = 15_000;

/**
 * Fills the disk of the embedded PostgreSQL while members write: once with some space left, so that the WAL runs out of
 * space first, and once completely.
 */
export function diskFull(directory: string): Promise<string> {
  return withSmallDisk(directory, 600, (disk) =>
    runFault({ data: path.join(disk, 'data') }, async (community) => {
      const took: number[] = [];
      let refused = 0;
      for (const spare of [0, 4, 24]) {
        let freeSpace = async () => {};
        const before = community.writers.reduce((sum, ledger) => sum + ledger.refused, 0);
        took.push(
          await runUnderLoad(community, {
            before: () => delay(700),
            async fault() {
              freeSpace = await fillUp(disk, spare * 1024 * 1024);
              await delay(fullMs);
            },
            end: () => freeSpace(),
          }),
        );
        const after = community.writers.reduce((sum, ledger) => sum + ledger.refused, 0);
        if (after > before) refused++;
      }
      if (refused === 0) throw new Error('no request was refused: the disk was never full');
      return `full for ${fullMs / 1_000} s three times (requests were refused in ${refused} of them); with free space again, writes resume after ${formatSpread(took)}.`;
    }),
  );
}
