import { projectRoot } from '#server/core/paths.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import { eventually } from './eventually.ts';

/** A database that nodes follow. */
export type FollowedDatabase = { db: Database; connection: pg.ClientConfig };

/** Publishes, and does not wait for the commit with it: what is published stays uncommitted for as long as the transaction. */
export async function publishUncommitted(tx: Tx, topic: Topic, ...events: LiveEvent[]): Promise<void> {
  await publish(tx, topic, ...events);
  await sql`select 1`.execute(tx);
}

/** A node in this process, stopped with the test; what it hands out on a topic comes in order. */
export async function startFollowingNode({ db, connection }: FollowedDatabase) {
  const heard: { topic: Topic; event: LiveEvent }[] = [];
  const gaps: string[] = [];
  const stream = await followEventStream({
    db,
    connection,
    log: pino({ level: 'silent' }),
    onEvents: (events) => heard.push(...events),
    onGap: (position) => gaps.push(position),
  });
  onTestFinished(() => stream.stop());
  const on = (topic: Topic) => heard.filter((each) => each.topic === topic).map((each) => each.event);
  return { stream, heard, gaps, on };
}

export const viewedEvent = (views: number): LiveEvent => ({ kind: 'viewed', views });
export const listViews = (events: readonly LiveEvent[]) =>
  events.map((event) => (event.kind === 'viewed' ? event.views : Number.NaN));

/**
 * Eight writers, some of whom commit late, some never, beside a transaction that lasts the whole time; and two nodes, of
 * which one is killed three times. Expects that each hands out every event once and in the order of the commits; returns how
 * often the one was started again, and how often it had to say that some are lost.
 */
export async function expectEachOnceInOrder(
  followed: FollowedDatabase,
): Promise<{ restarts: number; gaps: number }> {
  const { db } = followed;
  const locked: Topic[] = ['question:101', 'question:102', 'question:103'];
  const free: Topic = 'question:104';
  await sql`create table place (question_id bigint primary key, written bigint not null)`.execute(db);
  await sql`insert into place values (101, 0), (102, 0), (103, 0)`.execute(db);
  const living = await startFollowingNode(followed);
  const mortal = new TailingProcess(followed.connection, [...locked, free]);
  onTestFinished(() => mortal.end());
  await mortal.start();

  const written = new Map<Topic, number[]>(locked.map((topic) => [topic, []]));
  const freely: { number: number; began: number; committed: number }[] = [];
  let next = 0;
  // The whole time, one transaction has not ended; nobody else's news may wait for it, and its own must not be lost.
  const over = Promise.withResolvers<void>();
  let abandoned = 0;
  const long = transaction(db, async (tx) => {
    await publishUncommitted(tx, free, viewedEvent(0));
    await over.promise;
  });
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 60; round++) {
      if (writer === 0 && round % 20 === 10) await mortal.killAndRestart();
      if (round % 3 === 0) {
        const number = ++next;
        const began = performance.now();
        await transaction(db, async (tx) => {
          await publishUncommitted(tx, free, viewedEvent(number));
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
    for (const topic of locked) expect(listViews(told(topic))).toEqual(written.get(topic));
    const order = listViews(told(free));
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
  const { restarts, gaps } = mortal;
  return { restarts, gaps };

  /** As votes on one question do: one after the other, in the order of their commits; some are rolled back. */
  async function writeLocked(topic: Topic): Promise<void> {
    const id = Number(topic.split(':')[1]);
    const gone = new Error('changed my mind');
    try {
      await transaction(db, async (tx) => {
        const { rows } = await sql<{ written: number }>`
          update place set written = written + 1 where question_id = ${id} returning written`.execute(tx);
        const number = rows[0]?.written ?? 0;
        await publishUncommitted(tx, topic, viewedEvent(number));
        await delay(Math.random() * 15);
        if (Math.random() < 0.1) throw gone;
        written.get(topic)?.push(number);
      });
    } catch (error) {
      if (error !== gone) throw error;
      abandoned++;
    }
  }
}

/** A node in a process of its own, and somebody who listens to it and comes back after it was killed. */
class TailingProcess {
  restarts = 0;
  gaps = 0;
  readonly #heard = new Map<Topic, LiveEvent[]>();
  readonly #positions = new Map<Topic, string | null>();
  readonly #connection: pg.ClientConfig;
  #child: ChildProcess | undefined;

  constructor(connection: pg.ClientConfig, topics: readonly Topic[]) {
    this.#connection = connection;
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
    const parameters = JSON.stringify({ connection: this.#connection, topics });
    const script = path.join(projectRoot, 'tests/support/event-stream-process.ts');
    const child = spawn(process.execPath, [script, parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    const missing = new Set(this.#positions.keys());
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the node ended')));
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        // The last line of a killed process may be cut off: its reader did not get it either.
        const told = parseLine(line);
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

type StreamOutput = { topic: Topic; events: LiveEvent[]; position: string; gap: boolean };

function parseLine(line: string): StreamOutput | null {
  try {
    return JSON.parse(line) as StreamOutput;
  } catch {
    return null;
  }
}
