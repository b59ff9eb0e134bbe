import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A snapshot as PostgreSQL writes it, xmin:xmax:running,… */
export type PostgresSnapshot = { xmax: number; running: number[] };

export function parseSnapshot(text: string): PostgresSnapshot {
  const [, xmax, running] = text.split(':');
  if (xmax === undefined || running === undefined) throw new Error(`${text} is no snapshot`);
  return { xmax: Number(xmax), running: running === '' ? [] : running.split(',').map(Number) };
}

/** So many are kept as they are: to look for those among them would cost more than they do. */
const maxUnfiltered = 16;

/**
 * Of transactions that were running in a snapshot, those that may have appended an event before the sequence of events
 * was read; to be called after that. A snapshot lists the transactions of the whole server, hundreds of which may be other
 * databases'.
 *
 * Who appends an event locks the table first and holds that lock to the end. So a transaction that holds none as the locks
 * are read, and is still running afterwards, had appended nothing by then.
 */
export async function filterPublishers(db: Database, running: readonly number[]): Promise<number[]> {
  if (running.length <= maxUnfiltered) return [...running];
  const holding = new Set(await listEventLockHolders(db));
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
  const still = new Set(parseSnapshot(rows[0]?.now ?? '').running);
  // Locks name transactions by the lower half of their ids.
  return running.filter((id) => holding.has(id % 2 ** 32) || !still.has(id));
}

async function listEventLockHolders(db: Database): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select own.transactionid::text as id
    from pg_locks event_lock join pg_locks own on own.virtualtransaction = event_lock.virtualtransaction
    where event_lock.locktype = 'relation' and event_lock.relation = 'event'::regclass
      and event_lock.database = (select oid from pg_database where datname = current_database())
      and own.locktype = 'transactionid' and own.mode = 'ExclusiveLock'`.execute(db);
  return rows.map(({ id }) => Number(id));
}
