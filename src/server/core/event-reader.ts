import { sql } from 'kysely';
import type { Tx } from './database.ts';
import type { StreamSnapshot } from './event-position.ts';
import { type DatedEvent, readEvents } from './event-reads.ts';

/**
 * Events are not deleted before every reader has read them, for at most this long. A reader that stands still would
 * otherwise fill the disk.
 */
const maxReaderDelay = sql.lit('3 days');

/** Starts a reader at the present end of the stream. Does nothing if it exists. */
export async function startEventReader(tx: Tx, name: string): Promise<void> {
  if (await hasEventReader(tx, name)) return;
  const { snapshot } = await readEvents(tx, null);
  await sql`
    insert into event_reader (name, snapshot, needed_from)
    values (${name}, ${JSON.stringify(snapshot)}::jsonb, ${getNeededFrom(snapshot)}::xid8)
    on conflict do nothing`.execute(tx);
}

export async function hasEventReader(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql`select from event_reader where name = ${name}`.execute(tx);
  return rows.length > 0;
}

export async function stopEventReader(tx: Tx, name: string): Promise<void> {
  await sql`delete from event_reader where name = ${name}`.execute(tx);
}

/**
 * Reads the events since the last read, in the order in which they became visible. The position changes with the
 * caller's transaction, so that each event is handled exactly once, on one node. Returns null if the reader was not
 * started, or if another node reads right now.
 */
export async function readNewEvents(
  tx: Tx,
  { name, kinds }: { name: string; kinds: readonly string[] },
): Promise<DatedEvent[] | null> {
  const { rows } = await sql<{ snapshot: StreamSnapshot }>`
    select snapshot from event_reader where name = ${name} for update skip locked`.execute(tx);
  const since = rows[0]?.snapshot;
  if (since === undefined) return null;
  const read = await readEvents(tx, since, { kinds });
  const { snapshot } = read;
  // Transaction ids that start over belong to another database.
  const events = snapshot.xmax < since.xmax ? [] : read.events;
  // Nothing is written while nothing happens.
  if (snapshot.lastEvent !== since.lastEvent || events.length > 0)
    await sql`
      update event_reader set snapshot = ${JSON.stringify(snapshot)}::jsonb,
        needed_from = ${getNeededFrom(snapshot)}::xid8, read_at = now()
      where name = ${name}`.execute(tx);
  return events;
}

/** The oldest transaction whose events the reader may not have read. */
const getNeededFrom = ({ running, xmax }: StreamSnapshot) => String(Math.min(xmax, ...running));

/** The oldest transaction whose events a reader needs; null for none. */
export const selectNeededTransaction = sql`(
  select needed_from from event_reader where read_at > now() - interval ${maxReaderDelay}
  order by needed_from limit 1
)`;
