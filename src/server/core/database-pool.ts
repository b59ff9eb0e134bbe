import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { firstLockTimeoutMs } from './database-lock-waits.ts';
import { runStatement, type StatementOptions } from './database-prepared-statements.ts';

/**
 * A connection pool as Kysely expects it, with prepared statements. Its transactions begin with a short timeout of waits
 * for locks, which `transaction()` (database.ts) handles.
 * @param settings SQL for connections whose state does not survive a transaction (a pooler in transaction mode). A
 * statement outside a transaction then runs in one of its own that starts with this SQL.
 */
export function toKyselyPool(
  pool: pg.Pool,
  { settings, ...options }: StatementOptions & { settings?: string },
): PostgresPool {
  const begin = ['begin', ...(settings === undefined ? [] : [settings]), lockTimeout].join('; ');
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const run = (text: string, values: readonly unknown[]) =>
        runStatement(client, { text, values }, options);
      const query = (text: string, values: readonly unknown[]) => {
        if (text === 'begin') return client.query(begin);
        return settings !== undefined && client.getTransactionStatus() === 'I'
          ? runAlone(client, `begin; ${settings}`, () => run(text, values))
          : run(text, values);
      };
      return {
        // Kysely also accepts cursors, which are not used.
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy),
      };
    },
  };
}

const lockTimeout = `set local lock_timeout = ${firstLockTimeoutMs}`;

/** Runs a statement in its own transaction, in one round trip. */
async function runAlone<Result>(
  client: pg.PoolClient,
  begin: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const [begun, result, committed] = await Promise.allSettled([
    client.query(begin),
    run(),
    client.query('commit'),
  ]);
  if (begun.status === 'rejected') throw begun.reason;
  if (result.status === 'rejected') throw result.reason;
  if (committed.status === 'rejected') throw committed.reason;
  return result.value;
}
