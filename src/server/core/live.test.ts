import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  cookieHeader,
  LiveClient,
  openLiveClient,
  type LiveNode,
  startLiveNode,
} from '#tests/support/live-node.ts';
import { expectOk, type Member, password, register } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import type { EventBatch, LiveEvent, SubscribeResult } from '#shared/core/events.ts';

let database: TestDatabase;
let first: LiveNode;
let second: LiveNode;
let ann: Member;
let bob: Member;
beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startLiveNode(database), startLiveNode(database)]);
  ann = await register(first.address, 'Ann');
  bob = await register(first.address, 'Bob');
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
});

/** A socket without a client library, to send arbitrary messages. */
async function rawSocket(member: Member): Promise<{ socket: WebSocket; closed: Promise<unknown> }> {
  const url = `${first.address.replace('http', 'ws')}/api/live/?EIO=4&transport=websocket`;
  const socket = new WebSocket(url, { headers: { cookie: cookieHeader(member) } });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'message');
  socket.send('40');
  await once(socket, 'message');
  return { socket, closed };
}

async function query(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client(database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(text, values);
}

test('refuses a socket without a session', async () => {
  const stranger = await register(first.address, 'Stranger');
  stranger.cookies.clear();
  for (const cookies of [[], [['parley.session_token', 'made.up']]] as const) {
    for (const [name, value] of cookies) stranger.cookies.set(name, value);
    const listener = new LiveClient(first.address, stranger);
    expect(await listener.ended).toBe('signed-out');
    listener.close();
  }
});

test('delivers only events of topics that the member may receive', async () => {
  const listener = await openLiveClient(first.address, ann);
  const answers = async (topic: unknown): Promise<SubscribeResult> => listener.subscribe(topic);
  expect(await answers('question:1')).toMatchObject({ ok: true });
  expect(await answers('feeds')).toMatchObject({ ok: true });
  expect(await answers(`member:${ann.id}`)).toMatchObject({ ok: true });
  for (const topic of [`member:${bob.id}`, 'member:0', 'question:', 'question:01', 'question:1e3', '', '*'])
    expect({ topic, ...(await answers(topic)) }).toEqual({ topic, ok: false, reason: 'not-allowed' });
  for (const topic of [null, 7, {}, ['feeds'], 'feeds'.repeat(20)])
    expect({ topic, ...(await answers(topic)) }).toEqual({ topic, ok: false, reason: 'invalid' });
});

test("delivers a vote to each of the voter's sockets, and only its counts to other members", async () => {
  const questionId = await bob.ask();
  const open = (node: LiveNode, member: Member) =>
    openLiveClient(node.address, member, `question:${questionId}`, `member:${member.id}`);
  const clients = [await open(first, ann), await open(second, ann), await open(second, bob)];
  const received = clients.map(({ socket }) => {
    const events: LiveEvent[] = [];
    socket.on('events', (batch: EventBatch) => events.push(...batch.events));
    return events;
  });
  const [own, elsewhere, author] = received;
  await ann.vote('questions', questionId, 'up');
  await eventually(() => received.every((events) => events.length >= 2));
  const change = { kind: 'vote-changed', questionId, post: 'question', id: questionId, vote: 'up' };
  const counts = { kind: 'voted', post: 'question', id: questionId, upvotes: 1, downvotes: 0 };
  for (const events of [own, elsewhere]) {
    expect(events).toHaveLength(2);
    expect(events).toEqual(expect.arrayContaining([change, counts]));
  }
  expect(author).toHaveLength(2);
  expect(author).toEqual(expect.arrayContaining([{ kind: 'notified' }, counts]));
});

test("a socket receives the member's events once, also those between its connection and its subscription", async () => {
  const subscribed = await openLiveClient(first.address, ann);
  const topic = `member:${ann.id}` as const;
  const before = await subscribed.subscribe(topic);
  const late = await openLiveClient(first.address, ann);
  const received = new Map([subscribed, late].map((client) => [client, [] as LiveEvent[]]));
  for (const [client, events] of received)
    client.socket.on('events', (batch: EventBatch) => events.push(...batch.events));
  const id = await bob.ask();
  expectOk(await ann.put(`/questions/${id}/mute`, { muted: true }));
  const isMute = ({ kind }: LiveEvent) => kind === 'mutes-changed';
  await eventually(() => received.get(subscribed)?.some(isMute) === true);
  const answer = await late.subscribe(topic, before.ok ? before.position : '');
  const missed = answer.ok ? answer.events : [];
  expect([...(received.get(late) ?? []), ...missed].filter(isMute)).toHaveLength(1);
});

test('ignores invalid messages', async () => {
  const { socket } = await rawSocket(ann);
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(data.toString()));
  const senseless = [
    ['subscribe'],
    ['subscribe', { topic: 'feeds', since: '' }],
    ['subscribe', null, null],
    ['unsubscribe'],
    ['unsubscribe', { topic: 'feeds' }],
    ['unsubscribe', `member:${ann.id}`],
    ['typing'],
    ['typing', 'question:1', 'yes'],
    ['typing', ['question:1'], true],
    ['nonsense', { deep: [[[[1]]]] }],
    ['__proto__', 'x'],
  ];
  for (const message of senseless) socket.send(`42${JSON.stringify(message)}`);
  socket.send(`421${JSON.stringify(['subscribe', { topic: 'question:1', since: '' }])}`);
  await eventually(() => received.some((message) => message.startsWith('431[{"ok":true')));
  expect(received).toHaveLength(1);
  expectOk(await ann.delete('/sessions'));
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

test('closes a socket that sends more than a browser ever does', async () => {
  for (const message of ['42["unsubscribe","feeds"]', '42["nonsense"]', '3', '40/other,', '40'] as const) {
    const { socket, closed } = await rawSocket(ann);
    for (let count = 0; count < 1_000; count++) socket.send(message);
    await closed;
    expect({ message, open: socket.readyState === WebSocket.OPEN }).toEqual({ message, open: false });
  }
  const { socket, closed } = await rawSocket(ann);
  socket.send(`42["unsubscribe","${'x'.repeat(5_000)}"]`);
  await closed;
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});

test('limits a member to thirty sockets, without affecting other members', async () => {
  const carl = await register(first.address, 'Carl');
  const sockets = Array.from({ length: 40 }, () => new LiveClient(first.address, carl));
  onTestFinished(() => sockets.forEach((socket) => socket.close()));
  const outcomes = await Promise.all(
    sockets.map(({ connected }) =>
      connected.then(
        () => 'open',
        (error: Error) => error.message,
      ),
    ),
  );
  expect(outcomes.filter((each) => each === 'open')).toHaveLength(30);
  expect(outcomes.filter((each) => each === 'too-many')).toHaveLength(10);
  await openLiveClient(first.address, ann);
  // A closed socket makes room for another.
  sockets.find((socket) => socket.socket.connected)?.close();
  await eventually(() =>
    openLiveClient(first.address, carl).then(
      () => true,
      () => false,
    ),
  );
});

test('limits a socket to a hundred topics, also when it joins them all at the same time', async () => {
  const listener = await openLiveClient(first.address, bob);
  const asked = Array.from({ length: 150 }, (_, index) => listener.subscribe(`question:${index + 1}`));
  const answers = await Promise.all(asked);
  // The topics of its member and of its own id count too.
  expect(answers.filter((answer) => answer.ok)).toHaveLength(98);
  expect(answers.at(-1)).toEqual({ ok: false, reason: 'too-many' });
  listener.socket.emit('unsubscribe', 'question:1');
  expect(await listener.subscribe('question:150')).toMatchObject({ ok: true });
});

test('closes the sockets of ended sessions on the other node, and no others', async () => {
  const [here, phone, tablet] = [bob, await bob.signInElsewhere(), await bob.signInElsewhere()];
  const open = async (member: Member) => openLiveClient(second.address, member);
  const sockets = { here: await open(here), phone: await open(phone), ann: await open(ann) };

  expectOk(await phone.delete('/session'));
  expect(await sockets.phone.ended).toBe('io server disconnect');
  expect(await new LiveClient(second.address, phone).ended).toBe('signed-out');

  const [one, two] = [await open(tablet), await open(await bob.signInElsewhere())];
  expectOk(await here.delete('/sessions'));
  expect(await Promise.all([one.ended, two.ended])).toEqual(['io server disconnect', 'io server disconnect']);

  const other = await open(await bob.signInElsewhere());
  expectOk(
    await here.send('PUT', '/password', {
      body: { currentPassword: password, newPassword: 'another horse' },
    }),
  );
  expect(await other.ended).toBe('io server disconnect');
  expect([sockets.here.socket.connected, sockets.ann.socket.connected]).toEqual([true, true]);
});

test('closes the sockets of a session with a new token, and refuses copies of its old cookie', async () => {
  const dora = await register(first.address, 'Dora');
  const thief = dora.onServer(second.address);
  const copy = await openLiveClient(second.address, thief);
  expectOk(
    await dora.send('PUT', '/password', {
      body: { currentPassword: password, newPassword: 'another horse' },
    }),
  );
  expect(await copy.ended).toBe('io server disconnect');
  expect(await new LiveClient(second.address, thief).ended).toBe('signed-out');
  await openLiveClient(second.address, dora);
});

test('closes the sockets of a member whose role changes, but not for a message or a hidden post', async () => {
  const emil = await register(first.address, 'Emil');
  const topic = `member:${emil.id}` as const;
  const listener = await openLiveClient(second.address, emil, topic);
  const kinds: string[] = [];
  listener.socket.on('events', ({ events }: EventBatch) => kinds.push(...events.map(({ kind }) => kind)));
  const client = new pg.Client(database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  const publish = (kind: LiveEvent['kind']) =>
    client.query('insert into event (topic, event) values ($1, $2)', [topic, { kind }]);
  await publish('member-changed');
  await eventually(() => kinds.includes('member-changed'));
  // Delivered on a socket that was not closed before.
  await publish('bookmarks-changed');
  await eventually(() => kinds.includes('bookmarks-changed'));
  await publish('member-status-changed');
  expect(await listener.ended).toBe('io server disconnect');
});

test('refuses a socket whose session ends during the handshake', async () => {
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const slow = await startLiveNode(database, { beforeAdmit: () => meanwhile() });
  onTestFinished(() => slow.stop());
  const phone = await ann.signInElsewhere();
  const open = await openLiveClient(slow.address, phone);
  meanwhile = async () => {
    expectOk(await phone.onServer(first.address).delete('/session'));
    await open.ended;
  };
  const late = new LiveClient(slow.address, phone);
  expect(await late.ended).toBe('io server disconnect');
});

test('announces its position after all events up to it, also those of a busy topic', async () => {
  const node = await startLiveNode(database);
  onTestFinished(() => node.stop());
  const client = await openLiveClient(node.address, ann, 'feeds');
  const received: string[] = [];
  client.socket.onAny((name: string) => received.push(name));
  const event: LiveEvent = { kind: 'viewed', views: 1 };
  for (const position of ['1', '2']) node.live.deliver([{ topic: 'feeds', event }], position);
  node.live.announcePosition();
  await eventually(() => received.length === 3);
  expect(received).toEqual(['events', 'events', 'position']);
});

test('closes all sockets after lost events, so that those of ended sessions are refused', async () => {
  const node = await startLiveNode(database);
  onTestFinished(() => node.stop());
  const [phone, laptop] = [await ann.signInElsewhere(), await ann.signInElsewhere()];
  const sockets = await Promise.all([phone, laptop].map((each) => openLiveClient(node.address, each)));
  const { items } = expectOk(await phone.get<{ items: { id: number; current: boolean }[] }>('/sessions'));
  await query('delete from session where id = $1', [items.find(({ current }) => current)?.id]);
  node.live.announceGap('', 0);
  expect(await Promise.all(sockets.map(({ ended }) => ended))).toEqual([
    'io server disconnect',
    'io server disconnect',
  ]);
  expect(await new LiveClient(node.address, phone).ended).toBe('signed-out');
  await openLiveClient(node.address, laptop);
});

test('closes a socket if more events of its member were lost during the handshake than are replayed', async () => {
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const slow = await startLiveNode(database, { beforeAdmit: () => meanwhile() });
  onTestFinished(() => slow.stop());
  const topic = `member:${ann.id}` as const;
  const open = await openLiveClient(slow.address, ann, topic);
  meanwhile = async () => {
    const delivered = new Promise((resolve) => open.socket.once('events', resolve));
    await query(
      `insert into event (topic, event) select $1, '{"kind": "bookmarks-changed"}' from generate_series(1, 501)`,
      [topic],
    );
    await delivered;
  };
  expect(await new LiveClient(slow.address, ann).ended).toBe('io server disconnect');
  meanwhile = () => Promise.resolve();
  await openLiveClient(slow.address, ann);
});

test('closes a socket that does not read before its queue exceeds a megabyte', async () => {
  const topic = 'question:77';
  const { socket, closed } = await rawSocket(ann);
  socket.send(`421${JSON.stringify(['subscribe', { topic, since: '' }])}`);
  await once(socket, 'message');
  const reading = await openLiveClient(first.address, bob, topic);
  let over = false;
  void closed.then(() => (over = true));
  let received = 0;
  socket.on('message', (data: Buffer) => (received += data.length));

  const before = first.live.countSockets();
  socket.pause();
  const votes: LiveEvent[] = Array.from({ length: 250 }, (_, id) => {
    return { kind: 'voted', post: 'answer', id: id + 1, upvotes: 1_000_000, downvotes: 0 };
  });
  const sent = JSON.stringify({ topic, events: votes, position: '' }).length;
  let sentCount = 0;
  while (first.live.countSockets() === before) {
    const receivedEvents = new Promise((resolve) => reading.socket.once('events', resolve));
    first.live.deliver(
      votes.map((event) => ({ topic, event })),
      '',
    );
    sentCount += sent;
    await receivedEvents;
  }
  // Data in the operating system's buffers still arrives. The rest was queued in this process.
  socket.resume();
  await eventually(() => over);
  expect(sentCount - received).toBeGreaterThan(0);
  expect(sentCount - received).toBeLessThan(1_000_000);
  expect(reading.socket.connected).toBe(true);
});

test('a member who catches up on many topics leaves connections to the database to others', async () => {
  const listener = await openLiveClient(first.address, ann);
  const subscribed = await listener.subscribe('feeds');
  const current = subscribed.ok ? subscribed.position : '';
  const client = new pg.Client(database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  // Every read of events waits for this lock.
  await client.query('begin; lock table event in access exclusive mode');
  const position = current.replace(/\.\d+\.\d+\.[\d,]*$/u, '.1.0.');
  const topics = Array.from({ length: 20 }, (_, n) => `question:${n + 1_000}`);
  const answers = Promise.all(topics.map((topic) => listener.subscribe(topic, position)));
  const { status } = await bob.get('/session');
  await client.query('rollback');
  expect(status).toBe(200);
  expect((await answers).map(({ ok }) => ok)).toEqual(topics.map(() => true));
});
