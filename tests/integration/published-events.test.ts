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

// What browsers are told of each write, and whom of what.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from event`.execute(server.db);
});

type Told = { topic: Topic; event: LiveEvent };

/** What was appended to the stream, in order. */
async function told(): Promise<Told[]> {
  const { rows } = await sql<Told>`select topic, event from event order by id`.execute(server.db);
  return rows;
}

/** The same as 'topic kind', and then forgotten. */
async function toldOf(work: () => Promise<unknown>): Promise<string[]> {
  await sql`delete from event`.execute(server.db);
  await work();
  return (await told()).map(({ topic, event }) => `${topic} ${event.kind}`);
}

test('each write tells all whose pages it changes, once', async () => {
  const id = await ann.ask({ tags: ['rye'] });
  expect(await toldOf(() => bob.vote('questions', id, 'up'))).toEqual([
    `member:${ann.id} notified`,
    `question:${id} voted`,
    'feeds question-counted',
    `profile:${ann.id} profile-changed`,
  ]);
  expect(await toldOf(() => bob.vote('questions', id, 'up'))).toEqual([]);
  expect(await toldOf(() => bob.put(`/questions/${id}/view`))).toEqual([
    `member:${bob.id} visited`,
    `question:${id} viewed`,
    'feeds question-counted',
    `profile:${ann.id} profile-changed`,
  ]);
  let answerId = 0;
  expect(await toldOf(async () => (answerId = (await bob.answer(id)).id))).toEqual([
    `member:${ann.id} notified`,
    `question:${id} answer-posted`,
    'answers answer-posted',
    'feeds question-counted',
    'activity question-active',
    `profile:${bob.id} profile-changed`,
  ]);
  expect(await toldOf(() => eve.vote('answers', answerId, 'down'))).toEqual([
    `question:${id} voted`,
    'answers answer-counted',
    `profile:${bob.id} profile-changed`,
  ]);
  const accept = () => ann.put(`/questions/${id}/accepted-answer`, { answerId });
  expect(await toldOf(accept)).toEqual([
    `question:${id} accepted`,
    'feeds question-solved',
    'answers answer-accepted',
    `member:${bob.id} notified`,
  ]);
  expect(await toldOf(accept)).toEqual([]);
  expect(await toldOf(() => bob.put(`/questions/${id}/view`))).toEqual([`member:${bob.id} visited`]);
  expect(await toldOf(() => eve.replyToAnswer(answerId))).toEqual([
    `member:${bob.id} notified`,
    `question:${id} reply-posted`,
    'activity question-active',
  ]);
  expect(await toldOf(() => ann.remove('questions', id))).toEqual([
    `question:${id} deleted`,
    'feeds question-deleted',
    'answers question-deleted',
    'topics topic-asked',
    ...[ann, bob, eve].map((author) => `profile:${author.id} profile-changed`),
    // Of Bob's answer, and of Eve's reply to it.
    ...[ann, bob].map((reader) => `member:${reader.id} notifications-changed`),
  ]);
});

test('who has read what told of an answer is not told when it goes', async () => {
  const id = await ann.ask();
  const read = (await bob.answer(id)).id;
  expectOk(await ann.put('/notifications/read', {}));
  const unread = (await bob.answer(id)).id;
  const bells = (events: string[]) => events.filter((event) => event.startsWith('member:'));
  expect(bells(await toldOf(() => bob.remove('answers', read)))).toEqual([]);
  expect(bells(await toldOf(() => bob.remove('answers', unread)))).toEqual([
    `member:${ann.id} notifications-changed`,
  ]);
});

test('a question that is asked or edited is told of with the tags as they are shown', async () => {
  await ann.ask({ tags: ['Spelt'] });
  const id = await ann.ask({ tags: ['spelt', 'Yeast'] });
  const [, posted] = (await told()).filter(({ topic }) => topic === 'feeds');
  expect(posted?.event).toEqual({
    kind: 'question-posted',
    questionId: id,
    authorId: ann.id,
    tags: ['Spelt', 'Yeast'],
  });
  await sql`delete from event`.execute(server.db);
  expectOk(await ann.put(`/questions/${id}`, { title: 'Why?', content: 'Because **so**.', tags: ['yeast'] }));
  const events = await told();
  expect(events).toContainEqual({
    topic: 'feeds',
    event: {
      kind: 'question-edited',
      questionId: id,
      title: 'Why?',
      excerpt: 'Because so.',
      excerptCut: false,
      tags: ['Yeast'],
      createdAt: (await ann.read(id)).question.createdAt,
    },
  });
  expect(events).toContainEqual({
    topic: 'topics',
    event: { kind: 'topic-asked', tag: 'Spelt', questionsCount: 1 },
  });
});

test('of many who follow a topic at once, the last told of counts them all', async () => {
  const members = await Promise.all(Array.from({ length: 8 }, (_, n) => server.register(`Follower ${n}`)));
  await Promise.all(members.map((member) => member.put('/topics/crumb/follow', { following: true })));
  const counts = (await told()).flatMap(({ event }) =>
    event.kind === 'topic-followed' ? [event.followersCount] : [],
  );
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await toldOf(async () => members[0]?.put('/topics/crumb/follow', { following: true }))).toEqual([]);
});

test('a member is told what they follow, and nobody else is', async () => {
  const id = await ann.ask();
  expectOk(await bob.put(`/questions/${id}/follow`, { following: true }));
  expectOk(await bob.put('/topics/Crust/follow', { following: true }));
  expect((await bob.get<Follows>('/following/marks')).body).toEqual({
    tags: ['Crust'],
    questions: [id],
    complete: true,
  });
  expect((await eve.get<Follows>('/following/marks')).body).toMatchObject({ tags: [], questions: [] });
  const followed = (await told()).filter(({ event }) => event.kind === 'follows-changed');
  expect(new Set(followed.map(({ topic }) => topic))).toEqual(new Set([`member:${bob.id}`]));
});

test('what everybody may hear holds nobody’s address, and what concerns one member only they may hear', async () => {
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
  if (quiet === undefined || curious === undefined) throw new Error('nobody is there');
  const { socket, heard } = listen(curious);
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
  const open = ['feeds', 'answers', 'activity', 'topics', `profile:${ann.id}`, `member:${eve.id}`];
  for (const topic of open) expect({ topic, ...(await subscribe(topic)) }).toMatchObject({ topic, ok: true });

  expectOk(await quiet.put('/settings', { displayName: 'Ann', bio: 'Bakes.', showEmail: false }));
  const id = await quiet.ask({ tags: ['oats'] });
  await bob.vote('questions', id, 'up');
  await bob.answer(id);
  expectOk(await quiet.put('/topics/oats/follow', { following: true }));
  await eventually(() => heard.some(({ event }) => event.kind === 'topic-followed'));
  expect(heard.filter(({ topic }) => topic.startsWith('member:'))).toEqual([]);
  expect(JSON.stringify(heard)).not.toContain('@');
  expect(new Set(heard.map(({ topic }) => topic))).toEqual(
    new Set(open.filter((topic) => topic !== `member:${eve.id}`)),
  );
});

/** A browser's live connection, and all it is told. */
function listen(member: Member): { socket: Socket; heard: Told[] } {
  const socket = io(member.address, {
    path: '/api/live',
    transports: ['websocket'],
    extraHeaders: { cookie: [...member.cookies].map((pair) => pair.join('=')).join('; ') },
  });
  const heard: Told[] = [];
  socket.on('events', ({ topic, events }: EventBatch) => {
    for (const event of events) heard.push({ topic, event });
  });
  onTestFinished(() => void socket.disconnect());
  return { socket, heard };
}
