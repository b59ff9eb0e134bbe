import { sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { LiveEvent, Position, Topic } from '#shared/core/events.ts';
import { listenToChannels } from './database-listen.ts';
import type { Database } from './database.ts';
import { eventChannel, type TopicEvent } from './events.ts';
import {
  coversSnapshot,
  includesEvent,
  type StreamSnapshot,
  formatPosition,
  parsePosition,
} from './event-position.ts';
import { filterPublishers, parseSnapshot } from './event-snapshots.ts';
import { type StoredEvent, EventBuffer } from './event-buffer.ts';

/** What happened on a topic. `gap`: some of it is gone; look again at everything. */
export type CatchUp = { events: LiveEvent[]; gap: boolean; position: Position };

/** The stream of events as one node follows it. */
export type EventStream = {
  /** Everything that had ended there has been handed out. */
  position: () => Position;
  /**
   * Prepares catching up from a position that a browser had: what this node no longer holds is read from the table. The
   * rest is had by `catchUp`, without waiting, so that nothing happens between it and joining in.
   */
  readSince: (topic: Topic, from: Position) => Promise<CatchUp>;
  /** What happened since `older`, up to this stream's own position. */
  catchUp: (topic: Topic, older: CatchUp) => CatchUp;
  /** Seconds between the writing of an event and its being handed out: of the last one, or of what waits since. */
  lagSeconds: () => number;
  /** Whether the database answered a moment ago, so that what happens is being handed out. */
  isUpToDate: () => boolean;
  stop: () => Promise<void>;
};

/** How long events are kept for those who were away, in minutes. */
const retentionMinutes = 60;

/** An older position counts as lost: well before what follows it is pruned. */
const maxPositionAgeSeconds = (retentionMinutes - 10) * 60;

/** How often the table is looked at without being woken, in milliseconds. */
const pollIntervalMs = 1_000;

/** The stream counts as followed for so long after a look, in milliseconds. */
const upToDateForMs = 5 * pollIntervalMs;

/** Events replayed to one subscriber at most; who missed more fetches once. */
const maxReplayed = 500;

/**
 * Tails the table: each look takes what has been committed since the last, known by the snapshots of both, so that no
 * event is passed over and none comes twice, however late a transaction commits and however long another one runs. Of
 * two looks the later one holds the later commits; within one, events of one post follow their ids, and so its lock.
 */
export async function followEventStream(options: {
  db: Database;
  connection: pg.ClientConfig;
  log: Logger;
  onEvents: (events: TopicEvent[], position: Position) => void;
  /** Some events are lost for good: the database became another one, or could not be reached for too long. */
  onGap: (position: Position) => void;
}): Promise<EventStream> {
  const { db, connection, log, onEvents, onGap } = options;
  let current = await readStream(db, null);
  let recent = new EventBuffer(current.moment);
  let lastLook = performance.now();
  let isFailing = false;
  let deliveryDelay = 0;
  let waitingForLook: (() => void)[] = [];
  let wake = () => {};
  const stopping = new AbortController();
  const onWake = () => wake();
  const listener = listenToChannels({ connection, channels: [eventChannel], heard: onWake, log });
  const pruning = setInterval(() => void pruneEvents(db).catch(() => {}), 60_000);
  const tailing = tail();

  return {
    position: () => current.position,
    readSince: older,
    catchUp(topic, { events, gap, position }) {
      const from = parsePosition(position);
      if (gap || from === null) return { events: [], gap: true, position: current.position };
      return {
        events: [...events, ...recent.listAfter(from, topic)],
        gap: false,
        position: current.position,
      };
    },
    lagSeconds: () => Math.max(deliveryDelay, (performance.now() - lastLook - pollIntervalMs) / 1_000),
    isUpToDate: () => !isFailing && performance.now() - lastLook < upToDateForMs,
    async stop() {
      stopping.abort();
      clearInterval(pruning);
      wake();
      await Promise.all([tailing, listener.stop()]);
    },
  };

  async function tail(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const waiting = waitingForLook;
      waitingForLook = [];
      try {
        handOut(await readStream(db, current.moment));
        isFailing = false;
      } catch (error) {
        isFailing = true;
        // The database restarts: the position stays, and the next round goes on from there.
        if (!stopping.signal.aborted) log.warn({ err: error }, 'the stream of events waits for the database');
      }
      for (const resolve of waiting) resolve();
      if (waitingForLook.length === 0) await Promise.race([woken, pause(pollIntervalMs)]);
    }
  }

  function handOut(next: StreamRead): void {
    const before = current;
    current = next;
    lastLook = performance.now();
    deliveryDelay = next.delay;
    if (hasGap(before.moment, next.moment)) {
      log.warn('The stream of events begins anew: the database is another one, or was away for too long.');
      recent = new EventBuffer(next.moment);
      onGap(next.position);
      return;
    }
    if (next.events.length === 0) return;
    recent.add(next.events, next.moment);
    onEvents(next.events, next.position);
  }

  async function older(topic: Topic, position: Position): Promise<CatchUp> {
    const lost: CatchUp = { events: [], gap: true, position };
    const from = parsePosition(position);
    if (from === null) return lost;
    if (!coversSnapshot(current.moment, from)) {
      // Told by a node that is a little ahead of this one: a look that begins now covers it.
      await lookAgain();
      if (isFailing) return lost;
    }
    if (hasGap(from, current.moment)) return lost;
    if (recent.coversSince(from)) return { events: [], gap: false, position };
    const to = current;
    const read = await eventsBetween(db, topic, { from, to: to.moment });
    return read.length > maxReplayed ? lost : { events: read, gap: false, position: to.position };
  }

  function lookAgain(): Promise<void> {
    return new Promise((resolve) => {
      waitingForLook.push(resolve);
      wake();
    });
  }
}

/** One look at the table: what was committed since the last one, and the moment behind it. */
type StreamRead = { events: StoredEvent[]; moment: StreamSnapshot; position: Position; delay: number };

/** @param since null: only the moment. */
async function readStream(db: Database, since: StreamSnapshot | null): Promise<StreamRead> {
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
    delay: number;
  }>`
    with here as materialized (
      select pg_current_snapshot()::text as snapshot, clock_timestamp() as now,
        -- Both are read after the snapshot was taken: whatever it shows was in the log, and had its id, by now.
        pg_current_wal_insert_lsn() as wal,
        (select case when is_called then last_value else 0 end from event_id_seq) as last_event
    )
    select ('x' || substr(pg_walfile_name(here.wal), 1, 8))::bit(32)::int as timeline,
      extract(epoch from here.now)::bigint as seconds, here.wal::text, here.snapshot,
      here.last_event, recent.id, recent.transaction_id::text, recent.topic, recent.event,
      extract(epoch from here.now - recent.created_at)::float8 as delay
    from here left join (
      select id, transaction_id, topic, event, created_at from event
      where ${since === null ? sql`false` : notIncludedIn(since)}
    ) recent on true
    order by recent.id`.execute(db);
  const [first] = rows;
  if (first === undefined) throw new Error('the database has no moment');
  const { timeline, seconds, wal, last_event: lastEvent } = first;
  const { xmax, running } = parseSnapshot(first.snapshot);
  const moment = { timeline, seconds, wal, xmax, lastEvent, running: await filterPublishers(db, running) };
  const events: StoredEvent[] = [];
  for (const { id, transaction_id: transactionId, topic, event } of rows)
    if (id !== null) events.push({ id, transactionId: Number(transactionId), topic, event });
  const delay = events.length === 0 ? 0 : Math.max(...rows.map((row) => row.delay));
  return { events, moment, position: formatPosition(moment), delay };
}

/** The condition of rows that had not happened at a moment; indexes find them. */
function notIncludedIn({ xmax, running, lastEvent }: StreamSnapshot) {
  const late = sql`transaction_id >= ${String(xmax)}::xid8 or id > ${lastEvent}`;
  if (running.length === 0) return sql`(${late})`;
  return sql`(${late} or transaction_id = any(${running.map(String)}::xid8[]))`;
}

async function eventsBetween(
  db: Database,
  topic: Topic,
  { from, to }: { from: StreamSnapshot; to: StreamSnapshot },
): Promise<LiveEvent[]> {
  const { rows } = await sql<{ id: number; transaction_id: string; event: LiveEvent }>`
    select id, transaction_id::text, event from event
    where topic = ${topic} and ${notIncludedIn(from)} order by id limit ${maxReplayed + 1}`.execute(db);
  const had = (row: { id: number; transaction_id: string }) =>
    includesEvent(to, { id: row.id, transactionId: Number(row.transaction_id) });
  return rows.filter(had).map((row) => row.event);
}

/** Whether events between two moments may be gone. */
function hasGap(from: StreamSnapshot, to: StreamSnapshot): boolean {
  const age = to.seconds - from.seconds;
  // A clock that was set back says nothing about age, unless by much.
  return (
    from.timeline !== to.timeline ||
    to.xmax < from.xmax ||
    age > maxPositionAgeSeconds ||
    age < -maxPositionAgeSeconds
  );
}

/** From the beginning of the stream up to the first transaction that wrote something not long ago. */
async function pruneEvents(db: Database): Promise<void> {
  await sql`
    delete from event where transaction_id < coalesce(
      (
        select transaction_id from event where created_at >= clock_timestamp() - make_interval(mins => ${retentionMinutes})
        order by transaction_id, id limit 1
      ),
      pg_snapshot_xmin(pg_current_snapshot())
    )`.execute(db);
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
