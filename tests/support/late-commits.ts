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
import { type AddTexts, publish } from '#server/core/events.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import { eventually } from './eventually.ts';

/** A database that nodes follow. */
export type FollowedDatabase = { db: Database; connection: pg.ClientConfig };

/** Publishes events in a transaction that stays open: they stay uncommitted until it ends. */
export async function publishUncommitted(tx: Tx, topic: Topic, ...events: LiveEvent[]): Promise<void> {
  await publish(tx, topic, ...events);
  await sql`select 1`.execute(tx);
}

/** Starts a following node in this process, stopped after the test. Its events of a topic arrive in order. */
export async function startFollowingNode(
  { db, connection }: FollowedDatabase,
  addTexts?: { live: AddTexts; missed: AddTexts },
) {
  const received: { topic: Topic; event: LiveEvent }[] = [];
  const gaps: string[] = [];
  const stream = await followEventStream({
    db,
    connection,
    log: pino({ level: 'silent' }),
    ...(addTexts !== undefined && { addTexts }),
    onEvents: (events) => received.push(...events),
    onGap: (position) => gaps.push(position),
  });
  onTestFinished(() => stream.stop());
  const on = (topic: Topic) => received.filter((each) => each.topic === topic).map((each) => each.event);
  return { stream, received, gaps, on };
}

export const viewedEvent = (views: number): LiveEvent => ({ kind: 'viewed', views });
export const listViews = (events: readonly LiveEvent[]) =>
  events.map((event) => (event.kind === 'viewed' ? event.views : Number.NaN));

/**
 * Runs eight writers, some of whom commit late and some never, next to a transaction that is open the whole time, and
 * two nodes, one of which is killed three times. Expects each node to deliver every event once and in commit order.
 * Returns the restarts of that node and the gaps it reported.
 */
export async function expectEachOnceInOrder(
  followed: FollowedDatabase,
): Promise<{ restarts: number; gaps: number }> {
  const { db } = followed;
  const locked: Topic[] = ['question:101', 'question:102', 'question:103'];
  const free: Topic = 'question:104';
  await sql`create table counter (question_id bigint primary key, written bigint not null)`.execute(db);
  await sql`insert into counter values (101, 0), (102, 0), (103, 0)`.execute(db);
  const survivor = await startFollowingNode(followed);
  const killed = await startTailingProcess(followed, [...locked, free]);

  const written = new Map<Topic, number[]>(locked.map((topic) => [topic, []]));
  const freeWrites: { number: number; began: number; committed: number }[] = [];
  let next = 0;
  // A transaction stays open the whole time. It must not delay events of others, and its own event must not be lost.
  const end = Promise.withResolvers<void>();
  let abandoned = 0;
  const long = transaction(db, async (tx) => {
    await publishUncommitted(tx, free, viewedEvent(0));
    await end.promise;
  });
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; round < 60; round++) {
      if (writer === 0 && round % 20 === 10) await killed.killAndRestart();
      if (round % 3 === 0) {
        const number = ++next;
        const began = performance.now();
        await transaction(db, async (tx) => {
          await publishUncommitted(tx, free, viewedEvent(number));
          await delay(Math.random() * 60);
        });
        freeWrites.push({ number, began, committed: performance.now() });
      } else await writeLocked(locked[(writer + round) % locked.length] ?? free);
    }
  });
  const received = (count: number) =>
    eventually(() => survivor.received.length >= count && killed.count() >= count);
  try {
    await Promise.all(writers);
    await received(8 * 60 - abandoned);
  } finally {
    end.resolve();
  }
  await long;

  const total = 8 * 60 + 1 - abandoned;
  await received(total);
  for (const eventsOf of [(topic: Topic) => survivor.on(topic), (topic: Topic) => killed.on(topic)]) {
    for (const topic of locked) expect(listViews(eventsOf(topic))).toEqual(written.get(topic));
    const order = listViews(eventsOf(free));
    expect(order.toSorted((a, b) => a - b)).toEqual([
      0,
      ...Array.from({ length: next }, (_, each) => each + 1),
    ]);
    const indexes = new Map(order.map((number, index) => [number, index]));
    const early = freeWrites.flatMap((first) =>
      freeWrites
        .filter((second) => first.committed < second.began)
        .filter((second) => (indexes.get(first.number) ?? 0) > (indexes.get(second.number) ?? 0)),
    );
    expect(early).toEqual([]);
    expect(order.at(-1), 'the long transaction delayed the others').toBe(0);
  }
  const { restarts, gaps } = killed;
  return { restarts, gaps };

  /** Writes as votes on one question do: one after the other, in commit order; some are rolled back. */
  async function writeLocked(topic: Topic): Promise<void> {
    const id = Number(topic.split(':')[1]);
    const rollback = new Error('changed my mind');
    try {
      await transaction(db, async (tx) => {
        const { rows } = await sql<{ written: number }>`
          update counter set written = written + 1 where question_id = ${id} returning written`.execute(tx);
        const number = rows[0]?.written ?? 0;
        await publishUncommitted(tx, topic, viewedEvent(number));
        await delay(Math.random() * 15);
        if (Math.random() < 0.1) throw rollback;
        written.get(topic)?.push(number);
      });
    } catch (error) {
      if (error !== rollback) throw error;
      abandoned++;
    }
  }
}

/** Starts a following node in its own process, killed after the test. */
export async function startTailingProcess({ connection }: FollowedDatabase, topics: readonly Topic[]) {
  const node = new TailingProcess(connection, topics);
  onTestFinished(() => node.end());
  await node.start();
  return node;
}

/** A node in its own process, and a client that reads its output and reconnects after a kill. */
class TailingProcess {
  restarts = 0;
  gaps = 0;
  readonly #received = new Map<Topic, LiveEvent[]>();
  readonly #positions = new Map<Topic, string | null>();
  readonly #connection: pg.ClientConfig;
  #child: ChildProcess | undefined;
  /** Resolves with exit code and signal. */
  ended: Promise<unknown[]> | undefined;

  constructor(connection: pg.ClientConfig, topics: readonly Topic[]) {
    this.#connection = connection;
    for (const topic of topics) {
      this.#received.set(topic, []);
      this.#positions.set(topic, null);
    }
  }

  on(topic: Topic): LiveEvent[] {
    return this.#received.get(topic) ?? [];
  }

  count(): number {
    return [...this.#received.values()].reduce((sum, events) => sum + events.length, 0);
  }

  /** Resolves when every topic is caught up. */
  async start(): Promise<void> {
    const topics = [...this.#positions].map(([topic, since]) => ({ topic, since }));
    const parameters = JSON.stringify({ connection: this.#connection, topics });
    const script = path.join(projectRoot, 'tests/support/event-stream-process.ts');
    const child = spawn(process.execPath, [script, parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    this.ended = once(child, 'close');
    const missing = new Set(this.#positions.keys());
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the node has ended')));
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        // The last line of a killed process may be incomplete: the client did not get it either.
        const batch = parseLine(line);
        if (batch === null) return;
        if (batch.gap) this.gaps++;
        this.#received.get(batch.topic)?.push(...batch.events);
        this.#positions.set(batch.topic, batch.position);
        missing.delete(batch.topic);
        if (missing.size === 0) resolve();
      });
    });
    child.removeAllListeners('exit');
  }

  /** Rejects if it has ended before. */
  async killAndRestart(): Promise<void> {
    this.#child?.kill('SIGKILL');
    const [code, signal] = (await this.ended) ?? [];
    if (signal !== 'SIGKILL') throw new Error(`the node has ended by itself (${String(code ?? signal)})`);
    this.restarts++;
    await this.start();
  }

  end(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#child?.kill(signal);
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
