import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { runUnderLoad } from '#tests/support/under-load.ts';
import { runFault, formatSpread } from './fault-run.ts';

const times = 10;

/**
 * Restarts PostgreSQL as an operator does (fast shutdown: running transactions are rolled back), ten times under load.
 */
export async function databaseRestarts(directory: string): Promise<string> {
  const data = path.join(directory, 'data');
  return runFault({ data }, async (community) => {
    const took: number[] = [];
    for (let round = 0; round < times; round++)
      took.push(
        await runUnderLoad(community, {
          before: () => delay(700),
          async fault() {
            const pid = Number.parseInt(
              await readFile(path.join(data, 'postgresql/postmaster.pid'), 'utf8'),
              10,
            );
            process.kill(pid, 'SIGINT');
          },
        }),
      );
    return `restarted ${times} times, writes resume after ${formatSpread(took)}.`;
  });
}
