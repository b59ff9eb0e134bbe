import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import type { LiveEvent, Position, Topic } from '#shared/events.ts';
import { type Database, onCommit, type Tx } from './database.ts';

/** Events of other nodes wake this one through this channel; what they say is in the table. */
const channel = 'parley_event';

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
export async function publishAll(tx: Tx, events: readonly StreamedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into event (topic, event)
    select each ->> 'topic', each -> 'event'
    from jsonb_array_elements(${JSON.stringify(events)}::jsonb) with ordinality as list (each, position)
    order by position`.execute(tx);
  onCommit(tx, wakeSoon);
}

const waking = new WeakSet<Database>();

/** One NOTIFY for all commits of a few milliseconds; the slow poll covers one that gets lost. */
function wakeSoon(db: Database): void {
  if (waking.has(db)) return;
  waking.add(db);
  setTimeout(() => {
    waking.delete(db);
    sql`select pg_notify(${channel}, '')`.execute(db).catch(() => {});
  }, 5);
}

/** An event with its place in the stream. */
export type StreamedEvent = { topic: Topic; event: LiveEvent };

export type EventStream = {
  /** Everything before it has been handed out. */
  position: () => Position;
  /** What happened on a topic from a position to this stream's own; `gap` when part of it is pruned. */
  since: (
    topic: Topic,
    position: Position,
  ) => Promise<{ events: LiveEvent[]; gap: boolean; position: Position }>;
  stop: () => Promise<void>;
};

/** How long events are kept for those who were away, and how often the table is looked at without being woken. */
const keepMinutes = 60;
const pollMilliseconds = 1000;

/** Events replayed to one subscriber at most; who missed more fetches once. */
const replayed = 500;

/**
 * Tails the table in an order that never contradicts the order of commits to one post. A batch is what is older than
 * the oldest running transaction (`pg_snapshot_xmin`) and was not when the last batch was read; a late commit of an
 * early transaction therefore comes in a later batch, and is never passed over.
 */
export async function followEvents(options: {
  db: Database;
  connection: pg.ClientConfig;
  log: Logger;
  onEvents: (events: StreamedEvent[], position: Position) => void;
}): Promise<EventStream> {
  const { db, connection, log, onEvents } = options;
  let position = await horizon(db);
  const stopping = new AbortController();
  let wake: (() => void) | undefined;
  const listener = listen(connection, () => wake?.(), log);
  const pruning = setInterval(() => void prune(db).catch(() => {}), 60_000);
  const tailing = tail();

  return {
    position: () => position,
    since: (topic, from) => eventsSince(db, { topic, from, to: position }),
    async stop() {
      stopping.abort();
      clearInterval(pruning);
      wake?.();
      await Promise.all([tailing, listener.stop()]);
    },
  };

  async function tail(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        const batch = await readBatch(db, position);
        position = batch.position;
        if (batch.events.length > 0) onEvents(batch.events, position);
      } catch (error) {
        // The database restarts: the position stays, and the next round goes on from there.
        if (!stopping.signal.aborted) log.warn({ err: error }, 'the stream of events waits for the database');
      }
      await Promise.race([woken, pause(pollMilliseconds)]);
    }
  }
}

async function horizon(db: Database): Promise<Position> {
  const { rows } = await sql<{ position: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as position`.execute(db);
  return rows[0]?.position ?? '0';
}

async function readBatch(db: Database, from: Position) {
  const { rows } = await sql<{ position: string; topic: Topic | null; event: LiveEvent }>`
    with snapshot as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as xmin)
    select snapshot.xmin::text as position, event.topic, event.event
    from snapshot left join event
      on event.transaction_id >= ${from}::xid8 and event.transaction_id < snapshot.xmin
    order by event.id`.execute(db);
  const events: StreamedEvent[] = [];
  for (const { topic, event } of rows) if (topic !== null) events.push({ topic, event });
  return { events, position: rows[0]?.position ?? from };
}

async function eventsSince(
  db: Database,
  { topic, from, to }: { topic: Topic; from: Position; to: Position },
) {
  if (!/^\d{1,19}$/.test(from)) return { events: [], gap: true, position: to };
  if (BigInt(from) >= BigInt(to)) return { events: [], gap: false, position: to };
  const { rows } = await sql<{ known: boolean; event: LiveEvent | null }>`
    select exists (select 1 from event where transaction_id <= ${from}::xid8) as known, later.event
    from (select 1) one left join lateral (
      select event, id from event
      where topic = ${topic} and transaction_id >= ${from}::xid8 and transaction_id < ${to}::xid8
      order by id limit ${replayed + 1}
    ) later on true
    order by later.id`.execute(db);
  const events = rows.flatMap((row) => (row.event === null ? [] : [row.event]));
  const gap = rows[0]?.known !== true || events.length > replayed;
  return { events: gap ? [] : events, gap, position: to };
}

/** Drops what is old, but never the newest: its place tells later subscribers that nothing is missing. */
async function prune(db: Database): Promise<void> {
  await sql`
    delete from event where created_at < now() - make_interval(mins => ${keepMinutes})
      and id < (select max(id) from event)`.execute(db);
}

/** Keeps a connection that listens; a lost one is made anew. */
function listen(connection: pg.ClientConfig, onWake: () => void, log: Logger) {
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...connection, application_name: 'parley events' });
    client = next;
    let lost = false;
    const again = () => {
      if (lost || stopped) return;
      lost = true;
      retry = setTimeout(() => void connect(), pollMilliseconds);
    };
    next.on('error', again);
    next.on('end', again);
    next.on('notification', onWake);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
      onWake();
    } catch (error) {
      log.debug({ err: error }, 'cannot listen for events yet');
      again();
    }
  }
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref());
