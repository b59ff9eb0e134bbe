import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  expectEachOnceInOrder,
  type FollowedDatabase,
  startFollowingNode,
  startTailingProcess,
  publishUncommitted,
  viewedEvent,
  listViews,
} from '#tests/support/late-commits.ts';
import { eventually } from '#tests/support/parley.ts';
import type { Topic } from '#shared/core/events.ts';
import { type Database, openDatabase, transaction } from './database.ts';
import { notIncludedIn, readEvents } from './event-reads.ts';
import { publish } from './events.ts';

let database: TestDatabase;
let db: Database;
let followed: FollowedDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ connection: database.connection, maxConnections: 12 });
  followed = { db, connection: database.connection };
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('delivers events of eight slow committers once and in order on every node, including a killed one', async () => {
  expect(await expectEachOnceInOrder(followed)).toEqual({ restarts: 3, gaps: 0 });
});

test('says that a node that is to be killed has ended by itself', async () => {
  const node = await startTailingProcess(followed, ['question:301']);
  node.end('SIGTERM');
  await node.ended;
  await expect(node.killAndRestart()).rejects.toThrow('the node has ended by itself (SIGTERM)');
});

test('replays late commits to a client that reconnected before them', async () => {
  const { stream } = await startFollowingNode(followed);
  const topic: Topic = 'question:201';
  const before = stream.position();
  const holding = Promise.withResolvers<void>();
  const published = Promise.withResolvers<void>();
  const late = transaction(db, async (tx) => {
    await publishUncommitted(tx, topic, viewedEvent(1));
    published.resolve();
    await holding.promise;
  });
  await published.promise;
  await transaction(db, (tx) => publish(tx, topic, viewedEvent(2)));

  const other = await startFollowingNode(followed);
  await eventually(() => other.stream.position() !== before);
  const first = other.stream.catchUp(topic, await other.stream.readSince(topic, before));
  expect(listViews(first.events)).toEqual([2]);
  holding.resolve();
  await late;
  await eventually(() => other.on(topic).length === 1);
  const second = other.stream.catchUp(topic, await other.stream.readSince(topic, first.position));
  expect(listViews(second.events)).toEqual([1]);
  const third = other.stream.catchUp(topic, await other.stream.readSince(topic, second.position));
  expect(third.events).toEqual([]);
});

test('delivers events while clients that catch up wait for texts', async () => {
  const topic: Topic = 'question:501';
  const released = Promise.withResolvers<void>();
  const { stream, on } = await startFollowingNode(followed, {
    live: async (events) => events,
    async missed(events) {
      await released.promise;
      return events;
    },
  });
  const before = stream.position();
  await transaction(db, (tx) => publish(tx, topic, viewedEvent(1)));
  await eventually(() => on(topic).length === 1);
  const reading = stream.readSince(topic, before);
  await transaction(db, (tx) => publish(tx, topic, viewedEvent(2)));
  await eventually(() => on(topic).length === 2);
  released.resolve();
  expect(listViews(stream.catchUp(topic, await reading).events)).toEqual([1, 2]);
});

test('catches up with a position from a node that is ahead before responding', async () => {
  const behind = await startFollowingNode(followed);
  const ahead = await startFollowingNode(followed);
  const topic: Topic = 'question:301';
  await transaction(db, (tx) => publish(tx, topic, viewedEvent(7)));
  await eventually(() => ahead.on(topic).length === 1);
  const position = ahead.stream.position();
  const caught = behind.stream.catchUp(topic, await behind.stream.readSince(topic, position));
  expect(caught).toMatchObject({ events: [], gap: false });
  expect(behind.on(topic)).toHaveLength(1);
});

test('reports a gap instead of replaying more than 500 events, from memory and from the database', async () => {
  const node = await startFollowingNode(followed);
  const topic: Topic = 'question:302';
  const before = node.stream.position();
  await transaction(db, async (tx) => {
    for (let views = 1; views <= 501; views++) await publish(tx, topic, viewedEvent(views));
  });
  await eventually(() => node.on(topic).length === 501);
  const other = await startFollowingNode(followed);
  for (const { stream } of [node, other])
    expect(stream.catchUp(topic, await stream.readSince(topic, before))).toMatchObject({
      gap: true,
      events: [],
    });
});

test('reports a gap instead of delivering more events than it buffers', async () => {
  const { stream, gaps, received, on } = await startFollowingNode(followed);
  const before = stream.position();
  await sql`
    insert into event (topic, event)
    select 'feeds', ${JSON.stringify(viewedEvent(1))}::jsonb from generate_series(1, 20001)`.execute(db);
  await eventually(() => gaps.length === 1);
  expect(received).toHaveLength(0);
  expect(stream.catchUp('feeds', await stream.readSince('feeds', before))).toMatchObject({ gap: true });
  await transaction(db, (tx) => publish(tx, 'question:303', viewedEvent(2)));
  await eventually(() => on('question:303').length === 1);
  expect(gaps).toHaveLength(1);
});

test('reports a gap for a position older than the retention time or an invalid one', async () => {
  const { stream } = await startFollowingNode(followed);
  const [timeline, seconds, ...rest] = stream.position().split('.');
  const old = [timeline, Number(seconds) - 3_600, ...rest].join('.');
  const foreign = [Number(timeline) + 1, seconds, ...rest].join('.');
  const [, , wal, , ...after] = stream.position().split('.');
  const future = [timeline, seconds, wal, 999_999_999_999, ...after].join('.');
  const ofEarlierVersion = `${timeline}.${seconds}.${wal}.700:705:701,702`;
  for (const position of [
    old,
    foreign,
    future,
    ofEarlierVersion,
    '',
    '0',
    'a.b.c.d',
    `${stream.position()},'`,
  ]) {
    const caught = stream.catchUp('feeds', await stream.readSince('feeds', position));
    expect({ asked: position, ...caught }).toEqual({
      asked: position,
      events: [],
      gap: true,
      position: stream.position(),
    });
    // The events of the gap were lost after the client had caught up to its position.
    const caughtUp = { events: [], gap: false, position };
    expect(stream.catchUp('feeds', caughtUp)).toMatchObject({ gap: true });
  }
});

test('prunes events by the time they were written, not by their transaction', async () => {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_expr(adbin, adrelid) as definition from pg_attrdef
    join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'event'::regclass and attname = 'created_at'`.execute(db);
  expect(rows[0]?.definition).toBe('clock_timestamp()');
});

test('reads new events by an index, whatever the number of retained events', async () => {
  const reading = await createTestDatabase();
  const own = openDatabase({ connection: reading.connection, maxConnections: 1 });
  await sql`
    do $$ begin
      for n in 1..2000 loop
        insert into event (topic, event) select 'feeds', '{"kind": "imported"}' from generate_series(1, 20);
        commit;
      end loop;
    end $$`.execute(own);
  await sql`analyze event`.execute(own);
  // An open transaction of another test, in any database, makes the snapshot older.
  await eventually(async () => {
    const { rows: ages } = await sql<{ transactions: number }>`
      select pg_snapshot_xmax(now)::text::int - pg_snapshot_xmin(now)::text::int as transactions
      from pg_current_snapshot() now`.execute(own);
    return (ages[0]?.transactions ?? 0) < 20;
  });
  const { snapshot } = await readEvents(own, null);
  await transaction(own, (tx) => publish(tx, 'feeds', { kind: 'imported' }));
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
    explain (analyze, buffers, format json) select id from event where ${notIncludedIn(snapshot)}`.execute(
    own,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
  await own.destroy();
  await reading.drop();
  expect(plan['Actual Rows']).toBe(1);
  // The whole table and an index of it have some hundred blocks.
  expect((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)).toBeLessThan(30);
});
