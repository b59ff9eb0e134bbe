import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts';
import { urlOf } from '#server/testing/database-url.ts';
import { listening, type LiveNode, secret, startLiveNode } from '#server/testing/live.ts';
import { type Member, register } from '#server/testing/member.ts';
import { eventually, startParley, temporaryFolder } from '#server/testing/parley.ts';
import type { Topic } from '#shared/events.ts';

let database: TestDatabase;
let first: LiveNode;
let second: LiveNode;
let ann: Member;
let bob: Member;
let cleo: Member;
let topics = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startLiveNode(database), startLiveNode(database)]);
  ann = await register(first.address, 'Ann');
  bob = await register(first.address, 'Bob');
  cleo = await register(first.address, 'Cleo');
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
});

/** Nobody else's. */
const aTopic = (): Topic => `question:${++topics}`;

test('those who write are counted on every node, for everybody but themselves', async () => {
  const topic = aTopic();
  const reader = await listening(first.address, ann, topic);
  const here = await listening(first.address, bob, topic);
  const there = await listening(second.address, cleo, topic);
  here.writes(topic);
  await eventually(() => reader.count(topic) === 1 && there.count(topic) === 1);
  there.writes(topic);
  await eventually(() => reader.count(topic) === 2 && here.count(topic) === 1);
  const later = await listening(second.address, ann, topic);
  expect(later.count(topic)).toBe(2);
  const laterThere = await listening(first.address, cleo, topic);
  expect(laterThere.count(topic)).toBe(1);

  here.writes(topic, false);
  await eventually(() => reader.count(topic) === 1 && there.count(topic) === 0 && later.count(topic) === 1);
  there.writes(topic, false);
  await eventually(() => reader.count(topic) === 0 && later.count(topic) === 0);
  expect(reader.told.get(topic)).toEqual([1, 2, 1, 0]);
  expect([...(here.told.get(topic) ?? []), ...(there.told.get(topic) ?? [])]).not.toContain(2);
});

test('a member with tabs on two nodes is one, until the last tab is closed', async () => {
  const topic = aTopic();
  const reader = await listening(first.address, ann, topic);
  const tab = await listening(first.address, bob, topic);
  const otherTab = await listening(second.address, bob, topic);
  tab.writes(topic);
  await eventually(() => reader.count(topic) === 1);
  otherTab.writes(topic);
  // Whoever begins after it shows that it has been heard.
  const after = await listening(second.address, cleo, topic);
  after.writes(topic);
  await eventually(() => reader.count(topic) === 2 && otherTab.count(topic) === 1);

  otherTab.close();
  after.writes(topic, false);
  await eventually(() => tab.count(topic) === 0);
  expect(reader.count(topic)).toBe(1);
  tab.close();
  await eventually(() => reader.count(topic) === 0);
  expect(reader.told.get(topic)).toEqual([1, 2, 1, 0]);
  expect([...(tab.told.get(topic) ?? []), ...(otherTab.told.get(topic) ?? [])]).not.toContain(2);
});

test('leaving the question, writing elsewhere and losing the connection end it', async () => {
  const [topic, other] = [aTopic(), aTopic()];
  const reader = await listening(second.address, ann, topic, other);
  const writer = await listening(first.address, bob, topic, other);
  writer.writes(topic);
  await eventually(() => reader.count(topic) === 1);
  writer.socket.emit('unsubscribe', topic);
  await eventually(() => reader.count(topic) === 0);
  await writer.subscribe(topic);
  writer.writes(topic);
  await eventually(() => reader.count(topic) === 1);
  writer.writes(other);
  await eventually(() => reader.count(topic) === 0 && reader.count(other) === 1);
  writer.socket.io.engine.close();
  await eventually(() => reader.count(other) === 0);
  expect(reader.told.get(topic)).toEqual([1, 0, 1, 0]);
});

test('nobody writes on what they do not look at, or by a message that makes no sense', async () => {
  const [topic, foreign] = [aTopic(), aTopic()];
  const reader = await listening(second.address, ann, topic, foreign, 'feeds');
  const writer = await listening(first.address, bob, topic, 'feeds');
  for (const wrong of [
    foreign,
    'feeds',
    `member:${bob.id}`,
    `member:${ann.id}`,
    '',
    '__proto__',
    null,
    7,
    {},
    [topic],
  ])
    writer.writes(wrong);
  for (const going of [null, 1, 'true', {}, undefined]) writer.writes(topic, going);
  writer.writes(foreign, false);
  writer.writes(topic);
  await eventually(() => reader.count(topic) === 1);
  writer.writes(topic, false);
  await eventually(() => reader.count(topic) === 0);
  expect(Object.fromEntries(reader.told)).toEqual({ [topic]: [1, 0] });
});

test('who wrote on a node that was killed is forgotten, and those elsewhere are not', async () => {
  const topic = aTopic();
  const data = await temporaryFolder();
  const mortal = startParley({
    env: { DATABASE_URL: urlOf(database.connection), SECRET: secret, PARLEY_DATA: data, LOG_LEVEL: 'info' },
  });
  const address = await mortal.ready;
  const reader = await listening(first.address, ann, topic);
  const survivor = await listening(second.address, cleo, topic);
  const writer = await listening(address, bob, topic);
  survivor.writes(topic);
  writer.writes(topic);
  await eventually(() => reader.count(topic) === 2 && writer.count(topic) === 1);
  mortal.signal('SIGKILL');
  await writer.ended;
  const repeating = setInterval(() => survivor.writes(topic), 5_000);
  const isForgotten = () => reader.count(topic) === 1 && survivor.count(topic) === 0;
  await eventually(isForgotten).finally(() => clearInterval(repeating));
  expect(reader.told.get(topic)?.slice(-2)).toEqual([2, 1]);
});

test('a node that stops says who no longer writes', async () => {
  const topic = aTopic();
  const leaving = await startLiveNode(database);
  const reader = await listening(first.address, ann, topic);
  const writer = await listening(leaving.address, bob, topic);
  writer.writes(topic);
  await eventually(() => reader.count(topic) === 1);
  const began = performance.now();
  await leaving.stop();
  await eventually(() => reader.count(topic) === 0);
  expect(performance.now() - began, 'forgotten, not told').toBeLessThan(20_000);
});
