import { sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { LiveEvent, Position, Topic } from '#shared/core/events.ts';
import { listenToChannels } from './database-listen.ts';
import type { Database } from './database.ts';
import { type AddTexts, eventChannel, type TopicEvent } from './events.ts';
import {
  coversSnapshot,
  includesEvent,
  type StreamSnapshot,
  formatPosition,
  parsePosition,
} from './event-position.ts';
import { type EventsRead, notIncludedIn, readEvents } from './event-reads.ts';
import { selectNeededTransaction } from './event-reader.ts';
import { EventBuffer, maxBufferedEvents, type StoredEvent } from './event-buffer.ts';

/** The missed events of a topic. `gap`: some events are lost, so the client must fetch everything again. */
export type CatchUp = { events: LiveEvent[]; gap: boolean; position: Position };

/** The event stream as followed by one node. */
export type EventStream = {
  /** All events up to this position have been delivered. */
  position: () => Position;
  /**
   * Reads the events since a client's position, from the table if this node no longer buffers them. `catchUp` then
   * returns those that came meanwhile synchronously, so that no event is delivered between catching up and joining the
   * topic.
   */
  readSince: (topic: Topic, from: Position) => Promise<CatchUp>;
  /** The events of a topic since `older`, up to the current position of this stream. */
  catchUp: (topic: Topic, older: CatchUp) => CatchUp;
  /**
   * The delay in seconds between writing and delivering an event: of the last one, or of the oldest one that is
   * waiting.
   */
  lagSeconds: () => number;
  /** Whether the database responded recently, so that events are being delivered. */
  isUpToDate: () => boolean;
  stop: () => Promise<void>;
};

/** How long events are retained for disconnected clients, in minutes. */
const retentionMinutes = 60;

/** Older positions count as lost, well before the events after them are pruned. */
const maxPositionAgeSeconds = (retentionMinutes - 10) * 60;

/** How often the table is polled without a wake-up, in milliseconds. */
const pollIntervalMs = 1_000;

/** How long after a read the stream counts as up to date, in milliseconds. */
const upToDateForMs = 5 * pollIntervalMs;

/** The maximum number of events replayed to one subscriber. With more, the client fetches everything once. */
const maxReplayed = 500;

/**
 * Tails the event table. Each read returns the events committed since the last one, determined by the snapshots of both
 * reads. So no event is skipped or delivered twice, however late a transaction commits and however long another one
 * runs. A later read returns later commits. Within one read, the events of one post are in the order of their ids, and
 * so of the post's lock.
 */
export async function followEventStream(options: {
  db: Database;
  connection: pg.ClientConfig;
  /** The name of the connection that listens. */
  application?: string;
  log: Logger;
  /** `live`: when events are delivered. `missed`: again when a client catches up; live events never wait for it. */
  addTexts?: { live: AddTexts; missed: AddTexts };
  onEvents: (events: readonly TopicEvent[], position: Position) => void;
  /**
   * Called when events are lost: the database was replaced, or was unreachable for too long, or more events were written
   * since the last read than a node buffers, for example while its computer slept.
   */
  onGap: (position: Position) => void;
}): Promise<EventStream> {
  const { db, connection, application, log, onEvents, onGap } = options;
  const { live: addLiveTexts, missed: addMissedTexts } = options.addTexts ?? {
    live: addNone,
    missed: addNone,
  };
  let current = await readStream(db, null);
  let recent = new EventBuffer(current.snapshot);
  let lastReadAt = performance.now();
  let isFailing = false;
  let deliveryDelay = 0;
  let pendingReads: (() => void)[] = [];
  let wake = () => {};
  const stopping = new AbortController();
  const onWake = () => wake();
  const listener = listenToChannels({
    connection,
    ...(application !== undefined && { application }),
    channels: [eventChannel],
    onMessage: onWake,
    log,
  });
  const pruning = setInterval(
    () => void pruneEvents(db).catch((error: unknown) => log.warn({ err: error }, 'Events were not pruned.')),
    60_000,
  );
  const tailing = tail();

  return {
    position: () => current.position,
    readSince: readMissed,
    catchUp(topic, { events, gap, position }) {
      const lost: CatchUp = { events: [], gap: true, position: current.position };
      const from = parsePosition(position);
      if (gap || from === null || hasGap(from, current.snapshot)) return lost;
      const later = recent.listAfter(from, topic);
      if (later.length > maxReplayed) return lost;
      return { events: [...events, ...later], gap: false, position: current.position };
    },
    lagSeconds: () => Math.max(deliveryDelay, (performance.now() - lastReadAt - pollIntervalMs) / 1_000),
    isUpToDate: () => !isFailing && performance.now() - lastReadAt < upToDateForMs,
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
      const waiting = pendingReads;
      pendingReads = [];
      try {
        const next = await readStream(db, current.snapshot);
        // To fetch everything once costs less than thousands of events.
        if (next.events.length > maxBufferedEvents) startOver(next);
        else dispatch({ ...next, events: await addLiveTexts(next.events) });
        isFailing = false;
      } catch (error) {
        isFailing = true;
        // While the database restarts, the position stays, and the next read continues from it.
        if (!stopping.signal.aborted)
          log.warn({ err: error }, 'cannot read the event stream, waiting for the database');
      }
      for (const resolve of waiting) resolve();
      if (pendingReads.length === 0) await Promise.race([woken, pause(pollIntervalMs)]);
    }
  }

  function dispatch(next: StreamRead): void {
    if (hasGap(current.snapshot, next.snapshot)) return startOver(next);
    advance(next);
    if (next.events.length === 0) return;
    recent.add(next.events, next.snapshot);
    onEvents(next.events, next.position);
  }

  function startOver(next: StreamRead): void {
    advance(next);
    log.warn(
      'The event stream starts over: the database was replaced, or was not read for too long or for too many events.',
    );
    recent = new EventBuffer(next.snapshot);
    onGap(next.position);
  }

  function advance(next: StreamRead): void {
    current = next;
    lastReadAt = performance.now();
    deliveryDelay = next.delay;
  }

  async function readMissed(topic: Topic, position: Position): Promise<CatchUp> {
    const lost: CatchUp = { events: [], gap: true, position };
    const from = parsePosition(position);
    if (from === null) return lost;
    if (!coversSnapshot(current.snapshot, from)) {
      // The position comes from a node that is slightly ahead. A read that starts now includes it.
      await readAgain();
      if (isFailing) return lost;
    }
    if (hasGap(from, current.snapshot)) return lost;
    const to = current;
    const events = recent.coversSince(from)
      ? recent.listAfter(from, topic)
      : await eventsBetween(db, topic, { from, to: to.snapshot });
    if (events === null || events.length > maxReplayed) return lost;
    const delivered = await addMissedTexts(events.map((event) => ({ topic, event })));
    return { events: delivered.map((each) => each.event), gap: false, position: to.position };
  }

  function readAgain(): Promise<void> {
    return new Promise((resolve) => {
      pendingReads.push(resolve);
      wake();
    });
  }
}

const addNone: AddTexts = async (events) => events;

type StreamRead = Omit<EventsRead, 'events'> & { events: readonly StoredEvent[]; position: Position };

async function readStream(db: Database, since: StreamSnapshot | null): Promise<StreamRead> {
  const read = await readEvents(db, since, { limit: maxBufferedEvents + 1 });
  return { ...read, position: formatPosition(read.snapshot) };
}

/** Returns null if there may be more than are replayed to one subscriber. */
async function eventsBetween(
  db: Database,
  topic: Topic,
  { from, to }: { from: StreamSnapshot; to: StreamSnapshot },
): Promise<LiveEvent[] | null> {
  const { rows } = await sql<{ id: number; transaction_id: string; event: LiveEvent }>`
    select id, transaction_id::text, event from event
    where topic = ${topic} and ${notIncludedIn(from)} order by id limit ${maxReplayed + 1}`.execute(db);
  // Compared before the filter: a row that is not included yet takes the place of one that is.
  if (rows.length > maxReplayed) return null;
  const isIncluded = (row: { id: number; transaction_id: string }) =>
    includesEvent(to, { id: row.id, transactionId: Number(row.transaction_id) });
  return rows.filter(isIncluded).map((row) => row.event);
}

/** Whether events between two snapshots may be lost. */
function hasGap(from: StreamSnapshot, to: StreamSnapshot): boolean {
  const age = to.seconds - from.seconds;
  // A clock that was set back does not indicate a gap, unless it was set back by much.
  return (
    from.timeline !== to.timeline ||
    to.xmax < from.xmax ||
    age > maxPositionAgeSeconds ||
    age < -maxPositionAgeSeconds
  );
}

/**
 * Deletes events from the beginning of the stream up to the first transaction with a recent event, or with an event that
 * a reader needs.
 */
async function pruneEvents(db: Database): Promise<void> {
  await sql`
    delete from event where transaction_id < least(
      coalesce(
        (
          select transaction_id from event
          where created_at >= clock_timestamp() - make_interval(mins => ${retentionMinutes})
          order by transaction_id, id limit 1
        ),
        pg_snapshot_xmin(pg_current_snapshot())
      ),
      ${selectNeededTransaction}
    )`.execute(db);
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
