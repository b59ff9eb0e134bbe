import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase, runUnderLoad } from '#tests/support/under-load.ts';
import { sql } from 'kysely';
import { runFault, formatSpread } from './fault-run.ts';

const library = process.env['FAKETIME_LIBRARY'] ?? '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** Milliseconds that the clock is wrong. */
const skewMs = 5_000;

/** The clock of the machine, Parley's and PostgreSQL's alike, is set an hour ahead and back, and an hour back and ahead. */
export async function clockSteps(folder: string): Promise<string> {
  if (!existsSync(library))
    throw new Error(`${library} is not there: apt-get install libfaketime, or FAKETIME_LIBRARY`);
  const offset = path.join(folder, 'offset');
  const step = (by: string) => writeFile(offset, `${by}\n`);
  await step('+0');
  await chmod(offset, 0o644);
  // Only the time of day: a clock that is set leaves the time since the start as it is.
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  return runFault({ data: path.join(folder, 'data'), env }, async (community) => {
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
        throw new Error(`the clock went from ${before} to ${after}`);
    }
    return `set an hour ahead, back, an hour behind, and back; writes go on after ${formatSpread(took)}.`;
  });

  /** Seconds that PostgreSQL's clock is ahead of this one. */
  async function ahead(community: Parameters<typeof withDatabase>[0]): Promise<number> {
    const { rows } = await withDatabase(community, (db) =>
      sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 as now`.execute(db),
    );
    return (rows[0]?.now ?? 0) - Date.now() / 1_000;
  }
}
