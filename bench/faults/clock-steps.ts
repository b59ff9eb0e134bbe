import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase, runUnderLoad } from '#tests/support/under-load.ts';
import { sql } from 'kysely';
import { runFault, formatSpread } from './fault-run.ts';

const library = process.env['FAKETIME_LIBRARY'] ?? '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** How long the clock stays wrong, in milliseconds. */
const skewMs = 5_000;

/** Sets the clock of the machine, for Parley and PostgreSQL, an hour ahead and back, then an hour back and ahead. */
export async function clockSteps(directory: string): Promise<string> {
  if (!existsSync(library))
    throw new Error(`${library} is missing: apt-get install libfaketime, or set FAKETIME_LIBRARY`);
  const offset = path.join(directory, 'offset');
  const step = (by: string) => writeFile(offset, `${by}\n`);
  await step('+0');
  await chmod(offset, 0o644);
  // Changes only the wall clock, not the monotonic clock, as setting a clock does.
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  return runFault({ data: path.join(directory, 'data'), env }, async (community) => {
    const took: number[] = [];
    for (const by of ['+1h', '+0', '-1h', '+0']) {
      const before = await ahead(community);
      took.push(
        await runUnderLoad(community, {
          before: () => delay(700),
          async fault() {
            await step(by);
            await delay(skewMs);
          },
          end: async () => {},
        }),
      );
      const after = await ahead(community);
      if (Math.abs(Math.abs(after - before) - 3_600) > 60)
        throw new Error(`the clock changed from ${before} to ${after}`);
    }
    return `set an hour ahead, back, an hour behind, and back; writes resume after ${formatSpread(took)}.`;
  });

  /** Seconds by which PostgreSQL's clock is ahead of this one. */
  async function ahead(community: Parameters<typeof withDatabase>[0]): Promise<number> {
    const { rows } = await withDatabase(community, (db) =>
      sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 as now`.execute(db),
    );
    return (rows[0]?.now ?? 0) - Date.now() / 1_000;
  }
}
