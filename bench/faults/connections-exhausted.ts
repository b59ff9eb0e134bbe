import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { runUnderLoad } from '#tests/support/under-load.ts';
import { runFault, formatSpread } from './fault-run.ts';

/** How long other clients hold every connection, in milliseconds. */
const heldMs = 12_000;

/** Other clients take every connection of PostgreSQL, and Parley's own are terminated, so that it gets none. */
export async function connectionsExhausted(directory: string): Promise<string> {
  const data = path.join(directory, 'data');
  return runFault({ data }, async (community) => {
    const connection = await findRunningConnection(data);
    const others: pg.Client[] = [];
    let most = 0;
    const took = await runUnderLoad(community, {
      before: () => delay(700),
      async fault() {
        const until = performance.now() + heldMs;
        while (performance.now() < until) {
          await takeAll(connection, others);
          most = Math.max(most, others.length);
          // Terminates connections that Parley opened in between, so that the bench takes them next.
          await others[0]?.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where usename = current_user and application_name <> 'others'`,
          );
          await delay(50);
        }
      },
      end: async () => void (await Promise.all(others.map((other) => other.end()))),
    });
    return `other clients held ${most} connections for ${heldMs / 1_000} s; writes resume after ${formatSpread([took])}.`;
  });
}

async function takeAll(connection: pg.ClientConfig | undefined, others: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client({ ...connection, application_name: 'others' });
    client.on('error', () => {});
    try {
      await client.connect();
      others.push(client);
    } catch (error) {
      // Too many connections: all are taken.
      if (error instanceof pg.DatabaseError && error.code === '53300') return;
      throw error;
    }
  }
}
