import type { Client, ClientBase } from 'pg';
import { getSqlState, retryConflicts } from '#server/core/database.ts';
import { importLockKey } from '#server/core/import-lock.ts';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { ArchiveError, ConnectionLostError } from './stack-exchange-errors.ts';

type Session = {
  /** A dedicated connection. Its settings are restored. */
  client: Client;
  signal?: AbortSignal | undefined;
};

/**
 * Runs work that takes long on a connection. If it is interrupted, the connection ends.
 * @throws ArchiveError if the disk is full, ConnectionLostError if the connection broke, and the signal's reason if it
 * was aborted
 */
export async function runInSession<Result>(
  { client, signal }: Session,
  run: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  // PostgreSQL rolls back when the connection ends, also during a long statement.
  const closeConnection = () => void client.end();
  signal?.addEventListener('abort', closeConnection, { once: true });
  let isBroken = false;
  const markBroken = () => void (isBroken = true);
  client.on('error', markBroken).on('end', markBroken);
  try {
    await prepareSession(client);
    return await run();
  } catch (error) {
    signal?.throwIfAborted();
    const state = getSqlState(error);
    // Class 53: the disk is full or memory is exhausted.
    if (state?.startsWith('53') === true)
      throw new ArchiveError(`The database has not enough space: ${getErrorMessage(error)}.`, {
        cause: error,
      });
    // Class 57P is an intervention of the operator, sent before PostgreSQL ends the connection.
    throw isBroken || state?.startsWith('57P') === true
      ? new ConnectionLostError(undefined, { cause: error })
      : error;
  } finally {
    signal?.removeEventListener('abort', closeConnection);
    // If the connection is lost, so is all of this.
    await resetSession(client).catch(ignore);
    client.off('error', markBroken).off('end', markBroken);
  }
}

/** Runs an import or its undoing: one at a time per database. */
export function runInImportSession<Result>(session: Session, run: () => Promise<Result>): Promise<Result> {
  return runInSession(session, async () => {
    const { rows } = await session.client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(${importLockKey}) as locked`,
    );
    if (rows[0]?.locked !== true)
      throw new ArchiveError('Another import is running on this database. Wait until it has finished.');
    return run();
  });
}

/**
 * Runs a long transaction, again after a deadlock: it locks members and tags before the last questions, so requests can wait
 * for it while it waits for them.
 */
export function runInTransaction<Result>(
  client: ClientBase,
  end: 'commit' | 'rollback',
  run: () => Promise<Result>,
): Promise<Result> {
  return retryConflicts(async () => {
    await client.query('begin');
    try {
      const result = await run();
      await client.query(end);
      return result;
    } catch (error) {
      await client.query('rollback').catch(ignore);
      throw error;
    }
  });
}

function ignore(): void {}

/**
 * Removes the statement timeout. PostgreSQL notices when the program is gone: during a statement by the check interval,
 * between two statements by keepalives, or after the timeout where the connection has none, as to a pooler. Otherwise the
 * locks of the import would stay for hours if its host lost power.
 */
async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(`
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = '10min';
    set tcp_keepalives_idle = 60;
    set tcp_keepalives_interval = 10;
    set tcp_keepalives_count = 6;
    set client_connection_check_interval = '5s';
    set work_mem = '64MB';
    set timezone = 'UTC';`);
}

async function resetSession(client: ClientBase): Promise<void> {
  await client.query('discard temp');
  await client.query('select pg_advisory_unlock_all()');
  await client.query(`
    reset statement_timeout;
    reset idle_in_transaction_session_timeout;
    reset tcp_keepalives_idle;
    reset tcp_keepalives_interval;
    reset tcp_keepalives_count;
    reset client_connection_check_interval;
    reset work_mem;
    reset timezone;`);
}
