import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { openLiveClient, type LiveNode, testSecret, startLiveNode } from '#tests/support/live-node.ts';
import { expectOk, type Member, register } from '#tests/support/member.ts';
import { actOnMember, actOnPost } from '#tests/support/moderation.ts';
import { eventually, startParley, createTemporaryDirectory } from '#tests/support/parley.ts';
import { openDatabase } from './database.ts';
import type { Topic } from '#shared/core/events.ts';

let database: TestDatabase;
let first: LiveNode;
let second: LiveNode;
let ann: Member;
let bob: Member;
let cleo: Member;
let olga: Member;
beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startLiveNode(database), startLiveNode(database)]);
  ann = await register(first.address, 'Ann');
  bob = await register(first.address, 'Bob');
  cleo = await register(first.address, 'Cleo');
  olga = await register(first.address, 'Olga');
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  await setRole(db, { email: olga.email, role: 'moderator' });
  await db.destroy();
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
});

/** The topic of a new question for each test. */
const aTopic = async (): Promise<Topic> => `question:${await ann.ask()}`;

test('counts typing members on every node, without the recipient', async () => {
  const topic = await aTopic();
  const reader = await openLiveClient(first.address, ann, topic);
  const here = await openLiveClient(first.address, bob, topic);
  const there = await openLiveClient(second.address, cleo, topic);
  here.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1 && there.typingCount(topic) === 1);
  there.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 2 && here.typingCount(topic) === 1);
  const later = await openLiveClient(second.address, ann, topic);
  expect(later.typingCount(topic)).toBe(2);
  const laterThere = await openLiveClient(first.address, cleo, topic);
  expect(laterThere.typingCount(topic)).toBe(1);

  here.sendTyping(topic, false);
  await eventually(
    () => reader.typingCount(topic) === 1 && there.typingCount(topic) === 0 && later.typingCount(topic) === 1,
  );
  there.sendTyping(topic, false);
  await eventually(() => reader.typingCount(topic) === 0 && later.typingCount(topic) === 0);
  expect(reader.typingCounts.get(topic)).toEqual([1, 2, 1, 0]);
  expect([...(here.typingCounts.get(topic) ?? []), ...(there.typingCounts.get(topic) ?? [])]).not.toContain(
    2,
  );
});

test('counts a member with tabs on two nodes once, until the last tab is closed', async () => {
  const topic = await aTopic();
  const reader = await openLiveClient(first.address, ann, topic);
  const tab = await openLiveClient(first.address, bob, topic);
  const otherTab = await openLiveClient(second.address, bob, topic);
  tab.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  otherTab.sendTyping(topic);
  // When this later member is visible, the earlier signal has been processed.
  const after = await openLiveClient(second.address, cleo, topic);
  after.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 2 && otherTab.typingCount(topic) === 1);

  otherTab.close();
  after.sendTyping(topic, false);
  await eventually(() => tab.typingCount(topic) === 0);
  expect(reader.typingCount(topic)).toBe(1);
  tab.close();
  await eventually(() => reader.typingCount(topic) === 0);
  expect(reader.typingCounts.get(topic)).toEqual([1, 2, 1, 0]);
  expect([...(tab.typingCounts.get(topic) ?? []), ...(otherTab.typingCounts.get(topic) ?? [])]).not.toContain(
    2,
  );
});

test('ends when the member leaves the question, types elsewhere or loses the connection', async () => {
  const [topic, other] = [await aTopic(), await aTopic()];
  const reader = await openLiveClient(second.address, ann, topic, other);
  const writer = await openLiveClient(first.address, bob, topic, other);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  writer.socket.emit('unsubscribe', topic);
  await eventually(() => reader.typingCount(topic) === 0);
  await writer.subscribe(topic);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  writer.sendTyping(other);
  await eventually(() => reader.typingCount(topic) === 0 && reader.typingCount(other) === 1);
  writer.socket.io.engine.close();
  await eventually(() => reader.typingCount(other) === 0);
  expect(reader.typingCounts.get(topic)).toEqual([1, 0, 1, 0]);
});

test('ignores typing on a topic the socket has not joined, and invalid messages', async () => {
  const [topic, foreign] = [await aTopic(), await aTopic()];
  const reader = await openLiveClient(second.address, ann, topic, foreign, 'feeds');
  const writer = await openLiveClient(first.address, bob, topic, 'feeds');
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
    writer.sendTyping(wrong);
  for (const going of [null, 1, 'true', {}, undefined]) writer.sendTyping(topic, going);
  writer.sendTyping(foreign, false);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  writer.sendTyping(topic, false);
  await eventually(() => reader.typingCount(topic) === 0);
  expect(Object.fromEntries(reader.typingCounts)).toEqual({ [topic]: [1, 0] });
});

test('ends when the question is hidden, and cannot start until it is restored', async () => {
  const topic = await aTopic();
  const [, id] = topic.split(':').map(Number);
  const reader = await openLiveClient(second.address, cleo, topic);
  const author = await openLiveClient(first.address, ann, topic);
  author.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  expectOk(await actOnPost(olga, 'hide', 'question', Number(id)));
  await eventually(() => reader.typingCount(topic) === 0);
  const writer = await openLiveClient(first.address, bob, topic);
  for (const client of [author, writer]) {
    client.sendTyping(topic);
    // Answered after the signal was handled.
    await client.subscribe(topic);
  }
  expectOk(await actOnPost(olga, 'restore', 'question', Number(id)));
  author.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  expect(reader.typingCounts.get(topic)).toEqual([1, 0, 1]);
});

test('ends after lost events if the question was hidden meanwhile, and goes on otherwise', async () => {
  const [hidden, shown] = [await aTopic(), await aTopic()];
  const reader = await openLiveClient(second.address, cleo, hidden, shown);
  const writer = await openLiveClient(first.address, bob, hidden);
  const other = await openLiveClient(first.address, ann, shown);
  writer.sendTyping(hidden);
  other.sendTyping(shown);
  await eventually(() => reader.typingCount(hidden) === 1 && reader.typingCount(shown) === 1);
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  // Without an event, as if it were lost.
  await sql`
    with hidden as (
      insert into hidden_post (post_kind, post_id, question_id, status, reason)
      select 'question', id, id, 'hidden', 'Spam.' from question where id = ${hidden.split(':')[1]} returning id, post_id
    )
    update base_question set hidden_by = hidden.id from hidden where base_question.id = post_id`.execute(db);
  await db.destroy();
  // The sockets stay open during the test.
  first.live.announceGap('', 600_000);
  await eventually(() => reader.typingCount(hidden) === 0);
  const later = await openLiveClient(second.address, olga, hidden, shown);
  await eventually(() => later.typingCount(shown) === 1);
  expect(later.typingCount(hidden)).toBe(0);
});

test('checks once more, however often a member starts and stops typing during a check', async () => {
  const [topic, other] = [await aTopic(), await aTopic()];
  const [checking, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let checks = 0;
  const node = await startLiveNode(database, {
    beforeTypingCheck() {
      checks++;
      checking.resolve();
      return released.promise;
    },
  });
  onTestFinished(node.stop);
  const reader = await openLiveClient(second.address, cleo, topic);
  const writer = await openLiveClient(node.address, bob, topic);
  writer.sendTyping(topic);
  await checking.promise;
  for (let round = 0; round < 50; round++)
    for (const isTyping of [false, true]) writer.sendTyping(topic, isTyping);
  // Answered after all signals before it.
  expect(await writer.subscribe('invalid')).toMatchObject({ ok: false });
  released.resolve();
  await eventually(() => reader.typingCount(topic) === 1);
  // Waits for all checks before it.
  await writer.subscribe(other);
  expect(checks).toBe(2);
});

test('does not show suspended members', async () => {
  const topic = await aTopic();
  const dan = await register(first.address, 'Dan');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const before = await openLiveClient(first.address, dan, topic);
  expectOk(await actOnMember(olga, 'suspend', dan.id, { until }));
  await before.ended;
  const reader = await openLiveClient(second.address, cleo, topic);
  const suspended = await openLiveClient(first.address, dan, topic);
  suspended.sendTyping(topic);
  await suspended.subscribe(topic);
  const writer = await openLiveClient(first.address, bob, topic);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  expect(reader.typingCounts.get(topic)).toEqual([1]);
});

test('forgets members who typed on a killed node, but not those on other nodes', async () => {
  const topic = await aTopic();
  const data = await createTemporaryDirectory();
  const mortal = startParley({
    env: {
      DATABASE_URL: toDatabaseUrl(database.connection),
      SECRET: testSecret,
      PARLEY_DATA: data,
      LOG_LEVEL: 'info',
    },
  });
  const address = await mortal.ready;
  const reader = await openLiveClient(first.address, ann, topic);
  const survivor = await openLiveClient(second.address, cleo, topic);
  const writer = await openLiveClient(address, bob, topic);
  survivor.sendTyping(topic);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 2 && writer.typingCount(topic) === 1);
  mortal.signal('SIGKILL');
  await writer.ended;
  const repeating = setInterval(() => survivor.sendTyping(topic), 5_000);
  const isForgotten = () => reader.typingCount(topic) === 1 && survivor.typingCount(topic) === 0;
  await eventually(isForgotten).finally(() => clearInterval(repeating));
  expect(reader.typingCounts.get(topic)?.slice(-2)).toEqual([2, 1]);
});

test('announces the end of typing when a node stops', async () => {
  const topic = await aTopic();
  const leaving = await startLiveNode(database);
  const reader = await openLiveClient(first.address, ann, topic);
  const earlier = await openLiveClient(second.address, cleo, topic);
  const writer = await openLiveClient(leaving.address, bob, topic);
  earlier.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 1);
  writer.sendTyping(topic);
  await eventually(() => reader.typingCount(topic) === 2 && earlier.typingCount(topic) === 1);
  await leaving.stop();
  // Without the announcement, the member who typed earlier would be forgotten first.
  await eventually(() => reader.typingCount(topic) === 1 && earlier.typingCount(topic) === 0);
  expect(reader.typingCounts.get(topic)).toEqual([1, 2, 1]);
});
