import { randomBytes } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { EventBatch, LiveEvent, SubscribeResult, Topic } from '#shared/core/events.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { eventually, startParley, createTemporaryDataDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';

// The events of each write and their recipients.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from event`.execute(server.db);
});

type PublishedEvent = { topic: Topic; event: LiveEvent };

/** The published events, in order. */
async function publishedEvents(): Promise<PublishedEvent[]> {
  const { rows } = await sql<PublishedEvent>`select topic, event from event order by id`.execute(server.db);
  return rows;
}

/** The events of some work as 'topic kind'; they are removed from the stream. */
async function eventsOf(work: () => Promise<unknown>): Promise<string[]> {
  await sql`delete from event`.execute(server.db);
  await work();
  return (await publishedEvents()).map(({ topic, event }) => `${topic} ${event.kind}`);
}

test('each write publishes one event to every topic whose pages it changes', async () => {
  const id = await ann.ask({ tags: ['rye'] });
  expect(await eventsOf(() => bob.vote('questions', id, 'up'))).toEqual([
    `member:${ann.id} notified`,
    `question:${id} voted`,
    'feeds question-counted',
    `member:${bob.id} vote-changed`,
    `profile:${ann.id} profile-changed`,
  ]);
  expect(await eventsOf(() => bob.vote('questions', id, 'up'))).toEqual([]);
  expect(await eventsOf(() => bob.put(`/questions/${id}/view`))).toEqual([
    `member:${bob.id} visited`,
    `question:${id} viewed`,
    'feeds question-counted',
    `profile:${ann.id} profile-changed`,
  ]);
  let answerId = 0;
  expect(await eventsOf(async () => (answerId = (await bob.answer(id)).id))).toEqual([
    `member:${ann.id} notified`,
    `question:${id} answer-posted`,
    'answers answer-posted',
    'feeds question-counted',
    'activity question-active',
    `profile:${bob.id} profile-changed`,
  ]);
  expect(await eventsOf(() => eve.vote('answers', answerId, 'down'))).toEqual([
    `question:${id} voted`,
    'answers answer-counted',
    `member:${eve.id} vote-changed`,
    `profile:${bob.id} profile-changed`,
  ]);
  const accept = () => ann.put(`/questions/${id}/accepted-answer`, { answerId });
  expect(await eventsOf(accept)).toEqual([
    `question:${id} accepted`,
    'feeds question-solved',
    'answers answer-accepted',
    `member:${bob.id} notified`,
  ]);
  expect(await eventsOf(accept)).toEqual([]);
  expect(await eventsOf(() => bob.put(`/questions/${id}/view`))).toEqual([`member:${bob.id} visited`]);
  expect(await eventsOf(() => eve.replyToAnswer(answerId))).toEqual([
    `member:${bob.id} notified`,
    `question:${id} reply-posted`,
    'activity question-active',
  ]);
  expect(await eventsOf(() => ann.remove('questions', id))).toEqual([
    `question:${id} deleted`,
    'feeds question-deleted',
    'answers question-deleted',
    'tags tag-questions-changed',
    ...[ann, bob, eve].map((author) => `profile:${author.id} profile-changed`),
    // For Bob's answer, and for Eve's reply to it.
    ...[ann, bob].map((reader) => `member:${reader.id} notifications-changed`),
  ]);
});

test('deleting an answer publishes to its recipient only if its notification was unread', async () => {
  const id = await ann.ask();
  const read = (await bob.answer(id)).id;
  expectOk(await ann.put('/notifications/read', {}));
  const unread = (await bob.answer(id)).id;
  const memberEvents = (events: string[]) => events.filter((event) => event.startsWith('member:'));
  expect(memberEvents(await eventsOf(() => bob.remove('answers', read)))).toEqual([]);
  expect(memberEvents(await eventsOf(() => bob.remove('answers', unread)))).toEqual([
    `member:${ann.id} notifications-changed`,
  ]);
});

test('the event of a new or edited question has its tags as they are shown, and no texts', async () => {
  await ann.ask({ tags: ['Spelt'] });
  const id = await ann.ask({ tags: ['spelt', 'Yeast'] });
  const [, posted] = (await publishedEvents()).filter(({ topic }) => topic === 'feeds');
  expect(posted?.event).toEqual({
    kind: 'question-posted',
    questionId: id,
    authorId: ann.id,
    tags: ['Spelt', 'Yeast'],
  });
  await sql`delete from event`.execute(server.db);
  expectOk(await ann.put(`/questions/${id}`, { title: 'Why?', content: 'Because **so**.', tags: ['yeast'] }));
  const events = await publishedEvents();
  expect(events).toContainEqual({
    topic: 'feeds',
    event: {
      kind: 'question-edited',
      questionId: id,
      tags: ['Yeast'],
      createdAt: (await ann.read(id)).question.createdAt,
    },
  });
  expect(events).toContainEqual({
    topic: 'tags',
    event: { kind: 'tag-questions-changed', tag: 'Spelt', questionsCount: 1 },
  });
});

test('the last event of concurrent followers of a topic has the count of all', async () => {
  const members = await Promise.all(Array.from({ length: 8 }, (_, n) => server.register(`Follower ${n}`)));
  await Promise.all(members.map((member) => member.put('/tags/crumb/follow', { following: true })));
  const counts = (await publishedEvents()).flatMap(({ event }) =>
    event.kind === 'tag-followers-changed' ? [event.followersCount] : [],
  );
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await eventsOf(async () => members[0]?.put('/tags/crumb/follow', { following: true }))).toEqual([]);
});

test('a follow is published only to the member who follows', async () => {
  const id = await ann.ask();
  expectOk(await bob.put(`/questions/${id}/follow`, { following: true }));
  expectOk(await bob.put('/tags/Crust/follow', { following: true }));
  expect((await bob.get<Follows>('/follows')).body).toEqual({
    tags: ['Crust'],
    questions: [id],
    complete: true,
  });
  expect((await eve.get<Follows>('/follows')).body).toMatchObject({ tags: [], questions: [] });
  const followed = (await publishedEvents()).filter(({ event }) => event.kind === 'follows-changed');
  expect(new Set(followed.map(({ topic }) => topic))).toEqual(new Set([`member:${bob.id}`]));
});

test('public events contain no email address, and private ones reach only their member', async () => {
  const parley = startParley({
    env: {
      DATABASE_URL: toDatabaseUrl(server.database.connection),
      PARLEY_DATA: await createTemporaryDataDirectory(),
      SECRET: randomBytes(32).toString('hex'),
    },
  });
  const address = await parley.ready;
  const [quiet, curious] = await Promise.all(
    [ann, eve].map(async (member) => {
      const there = member.onServer(address);
      expectOk(await there.signIn(member.email, password));
      return there;
    }),
  );
  if (quiet === undefined || curious === undefined) throw new Error('a member was not created');
  const { socket, received } = listen(curious);
  const subscribe = async (topic: string): Promise<SubscribeResult> =>
    socket.emitWithAck('subscribe', { topic, since: '' });

  for (const topic of [
    `member:${ann.id}`,
    'member:0',
    'members',
    'question:',
    'question:1x',
    'profile:-1',
    '',
  ])
    expect({ topic, ...(await subscribe(topic)) }).toMatchObject({ topic, ok: false });
  const open = ['feeds', 'answers', 'activity', 'tags', `profile:${ann.id}`, `member:${eve.id}`];
  for (const topic of open) expect({ topic, ...(await subscribe(topic)) }).toMatchObject({ topic, ok: true });

  expectOk(await quiet.put('/settings', { displayName: 'Ann', bio: 'Bakes.', showEmail: false }));
  const id = await quiet.ask({ tags: ['oats'] });
  await bob.vote('questions', id, 'up');
  await bob.answer(id);
  expectOk(await quiet.put('/tags/oats/follow', { following: true }));
  await eventually(() => received.some(({ event }) => event.kind === 'tag-followers-changed'));
  expect(received.filter(({ topic }) => topic.startsWith('member:'))).toEqual([]);
  expect(JSON.stringify(received)).not.toContain('@');
  expect(new Set(received.map(({ topic }) => topic))).toEqual(
    new Set(open.filter((topic) => topic !== `member:${eve.id}`)),
  );
});

/** A browser's live connection and the events it received. */
function listen(member: Member): { socket: Socket; received: PublishedEvent[] } {
  const socket = io(member.address, {
    path: '/api/live',
    transports: ['websocket'],
    extraHeaders: { cookie: [...member.cookies].map((pair) => pair.join('=')).join('; ') },
  });
  const received: PublishedEvent[] = [];
  socket.on('events', ({ topic, events }: EventBatch) => {
    for (const event of events) received.push({ topic, event });
  });
  onTestFinished(() => void socket.disconnect());
  return { socket, received };
}
