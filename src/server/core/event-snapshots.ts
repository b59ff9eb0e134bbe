import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A PostgreSQL snapshot, written as `xmin:xmax:running,…`. `running` is in ascending order. */
export type PostgresSnapshot = { xmax: number; running: number[] };

export function parseSnapshot(text: string): PostgresSnapshot {
  const [, xmax, running] = text.split(':');
  if (xmax === undefined || running === undefined) throw new Error(`${text} is not a snapshot`);
  return { xmax: Number(xmax), running: running === '' ? [] : running.split(',').map(Number) };
}

/** Up to this many transactions, filtering costs more than it saves. */
const maxUnfiltered = 16;

/**
 * Filters the transactions that were running in a snapshot to those that may have appended an event before the sequence
 * of events was read. Call it after reading the sequence. A snapshot lists the transactions of the whole server, which
 * may include hundreds of other databases.
 *
 * A transaction that appends an event holds a lock on the table until it ends. So a transaction without that lock that
 * is still running afterwards has not appended anything.
 *
 * The oldest transaction stays in the list, because all events of older ones are in the snapshot.
 */
export async function filterPublishers(db: Database, running: readonly number[]): Promise<number[]> {
  if (running.length <= maxUnfiltered) return [...running];
  const holding = new Set(await listEventLockHolders(db));
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
  const still = new Set(parseSnapshot(rows[0]?.now ?? '').running);
  // Locks identify transactions by the lower 32 bits of their ids.
  return running.filter((id, index) => index === 0 || holding.has(id % 2 ** 32) || !still.has(id));
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
