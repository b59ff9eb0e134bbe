import { type RawBuilder, sql } from 'kysely';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import { type Database, onCommit, type Tx } from './database.ts';
import type { EventPosition } from './event-position.ts';

/** Nodes wake each other through this channel. The events themselves are in the table. */
export const eventChannel = 'parley_event';

/** An event with its topic. */
export type TopicEvent = { topic: Topic; event: LiveEvent };

/** Adds texts of posts to events, as they are now. */
export type AddTexts = <Each extends TopicEvent>(events: readonly Each[]) => Promise<readonly Each[]>;

/**
 * Appends events to the stream in the transaction that causes them, so they are published only if it commits. Call it
 * last, while the post is locked: the event ids of one post then follow its commits.
 */
export async function publish(tx: Tx, topic: Topic, ...events: LiveEvent[]): Promise<void> {
  await publishAll(
    tx,
    events.map((event) => ({ topic, event })),
  );
}

/** Like `publish`, for events of several topics. */
export async function publishAll(tx: Tx, events: readonly TopicEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { rows } = await sql<{ id: number; transaction_id: string }>`
    insert into event (topic, event) select topic, event from (${selectEvents(events)}) each order by position
    returning id, transaction_id::text`.execute(tx);
  announceOnCommit(tx, events, rows[0]);
}

/**
 * Like `publishAll`, in one statement with everything else that changes.
 * @param changes SQL that begins with `with` and has a CTE for each change
 * @param more a query (topic, event) for events that only the database knows, which come first. It can use the CTEs.
 */
export async function publishWithChanges(
  tx: Tx,
  {
    changes,
    events,
    more,
  }: { changes: RawBuilder<unknown>; events: readonly TopicEvent[]; more: RawBuilder<unknown> },
): Promise<void> {
  const { rows } = await sql<{ id: number; transaction_id: string; more: TopicEvent[] }>`
    ${changes}, more_events as materialized (
      ${more}
    ), appended as (
      insert into event (topic, event)
      select topic, event from (
        ${selectEvents(events)} union all select topic, event, null from more_events
      ) each order by position nulls first
      returning id
    )
    select max(id) as id, pg_current_xact_id()::text as transaction_id,
      (select coalesce(json_agg(json_build_object('topic', topic, 'event', event)), '[]') from more_events) as more
    from appended`.execute(tx);
  announceOnCommit(tx, [...(rows[0]?.more ?? []), ...events], rows[0]);
}

const selectEvents = (events: readonly TopicEvent[]) => sql`
  select each ->> 'topic' as topic, each -> 'event' as event, position
  from jsonb_array_elements(${JSON.stringify(events)}::jsonb) with ordinality as list (each, position)`;

/** @param row one of the appended events */
function announceOnCommit(
  tx: Tx,
  events: readonly TopicEvent[],
  row: { id: number; transaction_id: string } | undefined,
): void {
  const position = { id: Number(row?.id), transactionId: Number(row?.transaction_id) };
  const committed: CommittedEvents = { position, events };
  // Runs before the response is sent.
  onCommit(tx, (db) => {
    const running = [...(listeners.get(db) ?? [])].flatMap((listener) => listener(committed) ?? []);
    return running.length > 0 ? Promise.all(running) : undefined;
  });
  onCommit(tx, scheduleWake);
}

/** The events published by a transaction of this process when it commits. `position` is the position of one of them. */
export type CommittedEvents = { position: EventPosition; events: readonly TopicEvent[] };

type CommitListener = (committed: CommittedEvents) => void | Promise<void>;

const listeners = new WeakMap<Database, Set<CommitListener>>();

/**
 * Calls `listener` for each committed transaction on `db` that published events, before the response is sent,
 * which waits for the promise that `listener` returns. The event
 * stream delivers the same events a moment later, together with those of other processes.
 */
export function onEventsCommitted(db: Database, listener: CommitListener): void {
  const all = listeners.get(db);
  if (all === undefined) listeners.set(db, new Set([listener]));
  else all.add(listener);
}

const waking = new WeakSet<Database>();

/** Sends one NOTIFY for all commits within a few milliseconds. Polling covers a lost one. */
function scheduleWake(db: Database): void {
  if (waking.has(db)) return;
  waking.add(db);
  setTimeout(() => {
    waking.delete(db);
    notifyNodes(db, eventChannel, '').catch(() => {});
  }, 5);
}

/** Sends a NOTIFY to all nodes. It may get lost, so it does not wait for the disk. */
export async function notifyNodes(db: Database, channel: string, payload: string): Promise<void> {
  await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`.execute(
    db,
  );
}
