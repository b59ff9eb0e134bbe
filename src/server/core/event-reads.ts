import { sql } from 'kysely';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { Queryable } from './database.ts';
import { one } from './sql.ts';
import type { StoredEvent } from './event-buffer.ts';
import type { StreamSnapshot } from './event-position.ts';
import { filterPublishers, parseSnapshot } from './event-snapshots.ts';

/** One read of the table: the events committed since the last read, and the snapshot after them. */
export type EventsRead = { events: DatedEvent[]; snapshot: StreamSnapshot; delay: number };

/** `createdAt`: when the event was written, by the database clock. */
export type DatedEvent = StoredEvent & { createdAt: Date };

/**
 * Reads the events that were committed after a snapshot, in the order of their ids.
 * @param since null reads only the snapshot
 * @param kinds only events of these kinds; absent: all
 * @param limit with more events, this many of them are read, in any choice; absent: all are read
 */
export async function readEvents(
  db: Queryable,
  since: StreamSnapshot | null,
  { kinds, limit }: { kinds?: readonly string[]; limit?: number } = {},
): Promise<EventsRead> {
  const { rows } = await sql<{
    timeline: number;
    seconds: number;
    wal: string;
    snapshot: string;
    last_event: number;
    id: number | null;
    transaction_id: string;
    topic: Topic;
    event: LiveEvent;
    created_at: Date;
    delay: number;
  }>`
    with current as materialized (
      select pg_current_snapshot()::text as snapshot, clock_timestamp() as now,
        -- Read after the snapshot, so they include everything that the snapshot shows.
        pg_current_wal_insert_lsn() as wal,
        (select case when is_called then last_value else 0 end from event_id_seq) as last_event
    )
    select ('x' || substr(pg_walfile_name(current.wal), 1, 8))::bit(32)::int as timeline,
      extract(epoch from current.now)::bigint as seconds, current.wal::text, current.snapshot,
      current.last_event, recent.id, recent.transaction_id::text, recent.topic, recent.event, recent.created_at,
      extract(epoch from current.now - recent.created_at)::float8 as delay
    from current left join (
      select id, transaction_id, topic, event, created_at from event
      where ${since === null ? sql`false` : notIncludedIn(since)}
        ${kinds === undefined ? sql`` : sql`and event ->> 'kind' = any(${[...kinds]}::text[])`}
        ${limit === undefined ? sql`` : sql`limit ${sql.lit(limit)}`}
    ) recent on true
    order by recent.id`.execute(db);
  const first = one(rows);
  const { timeline, seconds, wal, last_event: lastEvent } = first;
  const { xmax, running } = parseSnapshot(first.snapshot);
  const snapshot = { timeline, seconds, wal, xmax, lastEvent, running: await filterPublishers(db, running) };
  const events: DatedEvent[] = [];
  for (const { id, transaction_id: transactionId, topic, event, created_at: createdAt } of rows)
    if (id !== null) events.push({ id, transactionId: Number(transactionId), topic, event, createdAt });
  const delay = events.length === 0 ? 0 : Math.max(...rows.map((row) => row.delay));
  return { events, snapshot, delay };
}

/**
 * The condition for rows after a snapshot. The lower limit lets an index skip everything older: PostgreSQL finds
 * `id > lastEvent` only by reading all of an index.
 */
export function notIncludedIn({ xmax, running, lastEvent }: StreamSnapshot) {
  const oldest = Math.min(xmax, ...running);
  return sql`(
    transaction_id >= ${String(oldest)}::xid8 and (
      transaction_id >= ${String(xmax)}::xid8 or id > ${lastEvent}
      or transaction_id = any(${running.map(String)}::xid8[])
    ))`;
}
