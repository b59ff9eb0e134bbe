import { sql } from 'kysely';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import { type Database, onCommit, type Tx } from './database.ts';
import { runWithCommit } from './database-driver.ts';
import type { EventPosition } from './event-position.ts';

/** Nodes wake each other through this channel; what happened is in the table. */
export const eventChannel = 'parley_event';

/** An event with its place in the stream. */
export type TopicEvent = { topic: Topic; event: LiveEvent };

/**
 * Appends what happened to the stream, in the transaction in which it happens: nothing is told before it is committed,
 * and nothing committed goes untold. Call it last, with the post it tells of locked: of two changes to one post, the ids
 * then follow the commits.
 */
export async function publish(tx: Tx, topic: Topic, ...events: LiveEvent[]): Promise<void> {
  await publishAll(
    tx,
    events.map((event) => ({ topic, event })),
  );
}

/** The same for events of several topics. */
export async function publishAll(tx: Tx, events: readonly TopicEvent[]): Promise<void> {
  if (events.length === 0) return;
  const committed = { position: { id: 0, transactionId: 0 }, events };
  const appended = sql<{ id: number; transaction_id: string }>`
    insert into event (topic, event)
    select each ->> 'topic', each -> 'event'
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) with ordinality as list (each, position)
    order by position
    returning id, transaction_id::text`;
  await runWithCommit(tx, appended, ([row]) => {
    committed.position = { id: Number(row?.id), transactionId: Number(row?.transaction_id) };
  });
  // Before anybody hears that it is done.
  onCommit(tx, (db) => listeners.get(db)?.forEach((listener) => listener(committed)));
  onCommit(tx, scheduleWake);
}

/** What a transaction of this process told of, as it is committed. `place`: that of one of the events. */
export type CommittedEvents = { position: EventPosition; events: readonly TopicEvent[] };

const listeners = new WeakMap<Database, Set<(committed: CommittedEvents) => void>>();

/**
 * Calls `listener` for each transaction on `db` that published something, when it is committed and before whoever asked
 * for it is answered. The stream of events tells of it as well, and of what other processes did, a moment later.
 */
export function onEventsCommitted(db: Database, listener: (committed: CommittedEvents) => void): void {
  const all = listeners.get(db);
  if (all === undefined) listeners.set(db, new Set([listener]));
  else all.add(listener);
}

const waking = new WeakSet<Database>();

/** One NOTIFY for all commits of a few milliseconds; the slow poll covers one that gets lost. */
function scheduleWake(db: Database): void {
  if (waking.has(db)) return;
  waking.add(db);
  setTimeout(() => {
    waking.delete(db);
    notifyNodes(db, eventChannel, '').catch(() => {});
  }, 5);
}

/** Sends a signal to all nodes. It may get lost, so nobody waits for the disk. */
export async function notifyNodes(db: Database, channel: string, payload: string): Promise<void> {
  await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`.execute(
    db,
  );
}
