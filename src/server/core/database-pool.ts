import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { firstLockTimeoutMs } from './database-lock-waits.ts';
import { runStatement, type StatementOptions } from './database-prepared-statements.ts';

/** Lets the following statements of a transaction take any time. */
export const noStatementTimeout = 'set local statement_timeout = 0';

/**
 * The access mode of transactions that begin with a short timeout of waits for locks, without a round trip. Only
 * `transaction()` (database.ts) uses it, because it runs its work again. The transactions of better-auth are not repeated.
 */
export const shortLockWaits = 'read write';

/**
 * A connection pool as Kysely expects it, with prepared statements. A connection whose server does not respond in time
 * is closed: after the loss of a machine or a network, it can stay open without a response for hours.
 * @param settings SQL for connections whose state does not survive a transaction (a pooler in transaction mode). A
 * statement outside a transaction then runs in one of its own that starts with this SQL.
 */
export function toKyselyPool(
  pool: pg.Pool,
  { settings, ...options }: StatementOptions & { settings?: string },
): PostgresPool {
  const begin = settings === undefined ? 'begin' : `begin; ${settings}`;
  const begins = new Map([
    ['begin', begin],
    [`start transaction ${shortLockWaits}`, `${begin}; set local lock_timeout = ${firstLockTimeoutMs}`],
  ]);
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      let { responseTimeoutMs } = options;
      const run = (text: string, values: readonly unknown[]) => {
        if (text === noStatementTimeout) responseTimeoutMs = undefined;
        const result = runStatement(client, { text, values }, { ...options, responseTimeoutMs });
        return closeWithoutResponse(client, result);
      };
      const query = (text: string, values: readonly unknown[]) => {
        const begun = begins.get(text);
        if (begun !== undefined) {
          const beginning = { text: begun, query_timeout: responseTimeoutMs };
          return closeWithoutResponse(client, client.query(beginning));
        }
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

/** Whether the database did not respond to a statement in time. pg has no code for it. */
export function isResponseTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Closes the connection, so that the rollback that may follow does not wait for a response as well. */
async function closeWithoutResponse<Result>(client: pg.PoolClient, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (isResponseTimeout(error)) void (client as pg.PoolClient & Pick<pg.Client, 'end'>).end();
    throw error;
  }
}

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
