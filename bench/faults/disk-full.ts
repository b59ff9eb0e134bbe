import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runUnderLoad } from '#tests/support/under-load.ts';
import { runFault, formatSpread } from './fault-run.ts';
import { fillUp, withSmallDisk } from './small-disk.ts';

/** How long the disk stays full, in milliseconds. */
const fullMs = 15_000;

/**
 * The disk of the embedded PostgreSQL's data fills up while members write: with some room left, so that the log of
 * transactions is what finds none, and at once with none.
 */
export function diskFull(folder: string): Promise<string> {
  return withSmallDisk(folder, 600, (disk) =>
    runFault({ data: path.join(disk, 'data') }, async (community) => {
      const took: number[] = [];
      let refused = 0;
      for (const spare of [0, 4, 24]) {
        let giveBack = async () => {};
        const before = community.writers.reduce((sum, ledger) => sum + ledger.refused, 0);
        took.push(
          await runUnderLoad(community, {
            before: () => delay(700),
            async fault() {
              giveBack = await fillUp(disk, spare * 1024 * 1024);
              await delay(fullMs);
            },
            end: () => giveBack(),
          }),
        );
        const after = community.writers.reduce((sum, ledger) => sum + ledger.refused, 0);
        if (after > before) refused++;
      }
      if (refused === 0) throw new Error('nobody was refused: the disk was never full');
      return `full for ${fullMs / 1_000} s three times (members were refused in ${refused} of them); with room again, writes go on after ${formatSpread(took)}.`;
    }),
  );
}
