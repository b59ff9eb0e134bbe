import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { eventually } from '#server/testing/parley.ts';
import type { LiveEvent, Topic } from '#shared/events.ts';
import { type Database, openDatabase, transaction } from './database.ts';
import { projectFolder } from './embedded/folders.ts';
import { publish } from './events.ts';
import { type EventStream, followEvents } from './stream.ts';

let database: TestDatabase;
let db: Database;
const streams: EventStream[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ connection: database.connection, size: 12 });
  await sql`create table place (question_id bigint primary key, written bigint not null)`.execute(db);
});
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.stop();
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const log = pino({ level: 'silent' });

/** A node in this process; what it hands out on a topic comes in order. */
async function node() {
  const heard: { topic: Topic; event: LiveEvent }[] = [];
  const gaps: string[] = [];
  const stream = await followEvents({
    db,
    connection: database.connection,
    log,
    onEvents: (events) => heard.push(...events),
    onGap: (position) => gaps.push(position),
  });
  streams.push(stream);
  const on = (topic: Topic) => heard.filter((each) => each.topic === topic).map((each) => each.event);
  return { stream, heard, gaps, on };
}

const viewed = (views: number): LiveEvent => ({ kind: 'viewed', views });
const viewsOf = (events: readonly LiveEvent[]) =>
  events.map((event) => (event.kind === 'viewed' ? event.views : Number.NaN));

test('eight writers who commit late are told once and in order by every node, also by one that is killed', async () => {
  const locked: Topic[] = ['question:101', 'question:102', 'question:103'];
  const free: Topic = 'question:104';
  await sql`insert into place values (101, 0), (102, 0), (103, 0)`.execute(db);
  const living = await node();
  const mortal = new TailingProcess([...locked, free]);
  onTestFinished(() => mortal.end());
  await mortal.start();

  const written = new Map<Topic, number[]>(locked.map((topic) => [topic, []]));
  const freely: { number: number; began: number; committed: number }[] = [];
  let next = 0;
  // The whole time, one transaction has not ended; nobody else's news may wait for it, and its own must not be lost.
  const over = Promise.withResolvers<void>();
  let abandoned = 0;
  const long = transaction(db, async (tx) => {
    await publish(tx, free, viewed(0));
    await over.promise;
  });
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 60; round++) {
      if (writer === 0 && round % 20 === 10) await mortal.killAndRestart();
      if (round % 3 === 0) {
        const number = ++next;
        const began = performance.now();
        await transaction(db, async (tx) => {
          await publish(tx, free, viewed(number));
          await delay(Math.random() * 60);
        });
        freely.push({ number, began, committed: performance.now() });
      } else await writeLocked(locked[(writer + round) % locked.length] ?? free);
    }
  });
  const heard = (count: number) => eventually(() => living.heard.length >= count && mortal.count() >= count);
  try {
    await Promise.all(writers);
    await heard(8 * 60 - abandoned);
  } finally {
    over.resolve();
  }
  await long;

  const everything = 8 * 60 + 1 - abandoned;
  await heard(everything);
  for (const told of [(topic: Topic) => living.on(topic), (topic: Topic) => mortal.on(topic)]) {
    for (const topic of locked) expect(viewsOf(told(topic))).toEqual(written.get(topic));
    const order = viewsOf(told(free));
    expect(order.toSorted((a, b) => a - b)).toEqual([
      0,
      ...Array.from({ length: next }, (_, each) => each + 1),
    ]);
    const place = new Map(order.map((number, index) => [number, index]));
    const early = freely.flatMap((first) =>
      freely
        .filter((second) => first.committed < second.began)
        .filter((second) => (place.get(first.number) ?? 0) > (place.get(second.number) ?? 0)),
    );
    expect(early).toEqual([]);
    expect(order.at(-1), 'the long transaction held up the others').toBe(0);
  }
  expect(mortal.restarts).toBe(3);
  expect(mortal.gaps).toBe(0);

  /** As votes on one question do: one after the other, in the order of their commits; some are rolled back. */
  async function writeLocked(topic: Topic): Promise<void> {
    const id = Number(topic.split(':')[1]);
    const gone = new Error('changed my mind');
    try {
      await transaction(db, async (tx) => {
        const { rows } = await sql<{ written: number }>`
          update place set written = written + 1 where question_id = ${id} returning written`.execute(tx);
        const number = rows[0]?.written ?? 0;
        await publish(tx, topic, viewed(number));
        await delay(Math.random() * 15);
        if (Math.random() < 0.1) throw gone;
        written.get(topic)?.push(number);
      });
    } catch (error) {
      if (error !== gone) throw error;
      abandoned++;
    }
  }
});

test('what was committed late is caught up on by who came back before it', async () => {
  const { stream } = await node();
  const topic: Topic = 'question:201';
  const before = stream.position();
  const holding = Promise.withResolvers<void>();
  const published = Promise.withResolvers<void>();
  const late = transaction(db, async (tx) => {
    await publish(tx, topic, viewed(1));
    published.resolve();
    await holding.promise;
  });
  await published.promise;
  await transaction(db, (tx) => publish(tx, topic, viewed(2)));

  const other = await node();
  await eventually(() => other.stream.position() !== before);
  const first = other.stream.catchUp(topic, await other.stream.older(topic, before));
  expect(viewsOf(first.events)).toEqual([2]);
  holding.resolve();
  await late;
  await eventually(() => other.on(topic).length === 1);
  const second = other.stream.catchUp(topic, await other.stream.older(topic, first.position));
  expect(viewsOf(second.events)).toEqual([1]);
  const third = other.stream.catchUp(topic, await other.stream.older(topic, second.position));
  expect(third.events).toEqual([]);
});

test('a position of a node that is ahead is caught up with before it is answered', async () => {
  const behind = await node();
  const ahead = await node();
  const topic: Topic = 'question:301';
  await transaction(db, (tx) => publish(tx, topic, viewed(7)));
  await eventually(() => ahead.on(topic).length === 1);
  const position = ahead.stream.position();
  const caught = behind.stream.catchUp(topic, await behind.stream.older(topic, position));
  expect(caught).toMatchObject({ events: [], gap: false });
  expect(behind.on(topic)).toHaveLength(1);
});

test('who was away for longer than events are kept, or sends nonsense, is told to look again', async () => {
  const { stream } = await node();
  const [timeline, seconds, ...rest] = stream.position().split('.');
  const old = [timeline, Number(seconds) - 3_600, ...rest].join('.');
  const foreign = [Number(timeline) + 1, seconds, ...rest].join('.');
  const future = stream.position().replace(/:\d+:/, ':999999999999:');
  for (const position of [old, foreign, future, '', '0', 'a.b.c.d', `${stream.position()},'`]) {
    const caught = stream.catchUp('feeds', await stream.older('feeds', position));
    expect({ asked: position, ...caught }).toEqual({
      asked: position,
      events: [],
      gap: true,
      position: stream.position(),
    });
  }
});

test('events are dropped by the age of their writing, not of their transaction', async () => {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_expr(adbin, adrelid) as definition from pg_attrdef
    join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'event'::regclass and attname = 'created_at'`.execute(db);
  expect(rows[0]?.definition).toBe('clock_timestamp()');
});

/** A node in a process of its own, and somebody who listens to it and comes back after it was killed. */
class TailingProcess {
  restarts = 0;
  gaps = 0;
  readonly #heard = new Map<Topic, LiveEvent[]>();
  readonly #positions = new Map<Topic, string | null>();
  #child: ChildProcess | undefined;

  constructor(topics: readonly Topic[]) {
    for (const topic of topics) {
      this.#heard.set(topic, []);
      this.#positions.set(topic, null);
    }
  }

  on(topic: Topic): LiveEvent[] {
    return this.#heard.get(topic) ?? [];
  }

  count(): number {
    return [...this.#heard.values()].reduce((sum, events) => sum + events.length, 0);
  }

  /** Resolves when it has caught up on every topic. */
  async start(): Promise<void> {
    const topics = [...this.#positions].map(([topic, since]) => ({ topic, since }));
    const parameters = JSON.stringify({ connection: database.connection, topics });
    const script = path.join(projectFolder, 'src/server/testing/tail.ts');
    const child = spawn(process.execPath, [script, parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const missing = new Set(this.#positions.keys());
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the node ended')));
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        // The last line of a killed process may be cut off: its reader did not get it either.
        const told = parsed(line);
        if (told === null) return;
        if (told.gap) this.gaps++;
        this.#heard.get(told.topic)?.push(...told.events);
        this.#positions.set(told.topic, told.position);
        missing.delete(told.topic);
        if (missing.size === 0) resolve();
      });
    });
    child.removeAllListeners('exit');
  }

  async killAndRestart(): Promise<void> {
    const child = this.#child;
    child?.kill('SIGKILL');
    if (child !== undefined) await once(child, 'close');
    this.restarts++;
    await this.start();
  }

  end(): void {
    this.#child?.kill('SIGKILL');
  }
}

type Told = { topic: Topic; events: LiveEvent[]; position: string; gap: boolean };

function parsed(line: string): Told | null {
  try {
    return JSON.parse(line) as Told;
  } catch {
    return null;
  }
}
