import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { openDatabase } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { EventBatch, LiveEvent, Position, Topic } from '#shared/core/events.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type LiveNode, openLiveClient, startLiveNode } from '#tests/support/live-node.ts';
import { expectOk, type Member, register } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { createEventTexts } from './event-texts.ts';

// docs/product.md 14.3: events have no text of a hidden post, also for browsers that catch up.
let database: TestDatabase;
let first: LiveNode;
let second: LiveNode;
let ann: Member;
let bob: Member;
let olga: Member;
beforeAll(async () => {
  database = await createTestDatabase();
  [first, second] = await Promise.all([startLiveNode(database), startLiveNode(database)]);
  ann = await register(first.address, 'Ann');
  bob = await register(first.address, 'Bob');
  olga = await register(first.address, 'Olga');
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  await setRole(db, { email: olga.email, role: 'moderator' });
  await db.destroy();
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
});

const topics = ['feeds', 'answers'] as const;

/** What a member receives who subscribes to lists with an older position. */
async function catchUp(node: LiveNode, since: Position): Promise<LiveEvent[]> {
  const client = await openLiveClient(node.address, bob);
  const answers = await Promise.all(topics.map((topic) => client.subscribe(topic, since)));
  return answers.flatMap((answer) => {
    expect(answer).toMatchObject({ ok: true, gap: false });
    return answer.ok ? answer.events : [];
  });
}

async function getPosition(topic: Topic): Promise<Position> {
  const client = await openLiveClient(first.address, bob);
  const answer = await client.subscribe(topic);
  return answer.ok ? answer.position : '';
}

/** Posts a question with an answer and edits both. Returns a position from before the edits. */
async function postAndEdit(word: string) {
  const id = await ann.ask();
  const answer = await ann.answer(id);
  await eventually(async () => (await catchUp(second, await getPosition('feeds'))).length === 0);
  const since = await getPosition('feeds');
  expectOk(
    await ann.put(`/questions/${id}`, { title: `${word} title`, content: `${word} text`, tags: ['x'] }),
  );
  expectOk(await ann.put(`/answers/${answer.id}`, { content: `${word} answer` }));
  return { id, answerId: answer.id, since };
}

const listKinds = (events: readonly LiveEvent[]) => new Set(events.map(({ kind }) => kind));

test('an edit reaches open lists with the texts where older pages read them, also on another node', async () => {
  const client = await openLiveClient(second.address, bob, ...topics);
  const received: LiveEvent[] = [];
  client.socket.on('events', (batch: EventBatch) => received.push(...batch.events));
  const { id, answerId } = await postAndEdit('Shown');
  const isEdit = ({ kind }: LiveEvent) => kind.endsWith('-edited');
  await eventually(() => received.filter(isEdit).length === 3);
  const question = {
    kind: 'question-edited',
    questionId: id,
    title: 'Shown title',
    excerpt: 'Shown text',
    excerptCut: false,
    tags: ['x'],
    createdAt: expect.any(String) as string,
  };
  const answer = {
    kind: 'answer-edited',
    answerId,
    excerpt: 'Shown answer',
    excerptCut: false,
  };
  expect(received.filter(isEdit)).toEqual(expect.arrayContaining([question, question, answer]));
});

test.each(['hidden', 'deleted'])(
  'a member who catches up receives no texts of a %s question',
  async (state) => {
    const { id, since } = await postAndEdit('Secret');
    expectOk(
      await (state === 'hidden' ? actOnPost(olga, 'hide', 'question', id) : ann.delete(`/questions/${id}`)),
    );
    // This node has no event in memory and reads the table.
    const late = await startLiveNode(database);
    onTestFinished(late.stop);
    for (const node of [first, second, late])
      await eventually(async () => {
        const events = await catchUp(node, since);
        expect(JSON.stringify(events)).not.toContain('Secret');
        return listKinds(events).has('question-deleted');
      });
    if (state === 'deleted') return;
    expectOk(await actOnPost(olga, 'restore', 'question', id));
    for (const node of [first, second, late]) {
      const texts = JSON.stringify(await catchUp(node, since));
      expect(texts).toContain('Secret title');
      expect(texts).toContain('Secret answer');
    }
  },
);

test('a member who catches up receives no text of a hidden answer, and that of its question', async () => {
  const { answerId, since } = await postAndEdit('Half');
  expectOk(await actOnPost(olga, 'hide', 'answer', answerId));
  for (const node of [first, second])
    await eventually(async () => {
      const events = await catchUp(node, since);
      expect(JSON.stringify(events)).toContain('Half title');
      expect(JSON.stringify(events)).not.toContain('Half answer');
      return listKinds(events).has('answer-deleted');
    });
});

/** The events of an older version, which stored the texts. */
const storedByOlderVersion = (questionId: number) => [
  {
    topic: 'feeds',
    event: {
      kind: 'question-edited',
      questionId,
      title: 'Old',
      excerpt: 'Old',
      excerptCut: false,
      tags: ['x'],
    },
  },
  {
    topic: 'feeds',
    event: { kind: 'question-edited', questionId: 2_000_000, title: 'Old', tags: ['x'], retagged: true },
  },
  {
    topic: 'answers',
    event: { kind: 'answer-edited', answerId: 2_000_000, excerpt: 'Old', excerptCut: false },
  },
];

test('a member receives no texts that a node of an older version stored', async () => {
  const since = await getPosition('feeds');
  const client = await openLiveClient(second.address, bob, ...topics);
  const received: LiveEvent[] = [];
  client.socket.on('events', (batch: EventBatch) => received.push(...batch.events));
  const questionId = await ann.ask();
  const events = JSON.stringify(storedByOlderVersion(questionId));
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  onTestFinished(() => db.destroy());
  await sql`insert into event (topic, event)
    select each ->> 'topic', each -> 'event' from jsonb_array_elements(${events}::jsonb) as list (each)`.execute(
    db,
  );
  const isEdit = (event: LiveEvent) =>
    (event.kind === 'question-edited' && [questionId, 2_000_000].includes(event.questionId)) ||
    (event.kind === 'answer-edited' && event.answerId === 2_000_000);
  await eventually(() => received.filter(isEdit).length === 3);
  const late = await startLiveNode(database);
  onTestFinished(late.stop);
  for (const missed of [received, await catchUp(second, since), await catchUp(late, since)]) {
    expect(missed.filter(isEdit)).toHaveLength(3);
    expect(JSON.stringify(missed)).not.toContain('Old');
  }
});

test('a thousand clients that catch up together read the same edits in few statements', async () => {
  const { id, answerId } = await postAndEdit('Shared');
  let statements = 0;
  const db = openDatabase({ connection: database.connection, maxConnections: 4 });
  onTestFinished(() => db.destroy());
  const addTexts = createEventTexts(
    db.withPlugin({
      transformQuery({ node }) {
        statements++;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  const ids = Array.from({ length: 99 }, (_, offset) => 1_000_000 + offset);
  const missed: TopicEvent[] = [
    ...[id, ...ids].map((questionId) => ({
      topic: 'feeds' as const,
      event: { kind: 'question-edited' as const, questionId, tags: ['x'], createdAt: '' },
    })),
    ...[answerId, ...ids].map((each) => ({
      topic: 'answers' as const,
      event: { kind: 'answer-edited' as const, answerId: each },
    })),
  ];
  const caughtUp = await Promise.all(Array.from({ length: 1_000 }, () => addTexts(missed)));
  expect(statements).toBeLessThanOrEqual(10);
  for (const events of [caughtUp[0], caughtUp[999]]) {
    expect(events?.[0]?.event).toMatchObject({ title: 'Shared title' });
    expect(events?.[100]?.event).toMatchObject({ excerpt: 'Shared answer' });
  }
});

test('a member who catches up after a second edit receives its texts only', async () => {
  const { id, since } = await postAndEdit('Former');
  expectOk(await ann.put(`/questions/${id}`, { title: 'Present title', content: 'Text', tags: ['x'] }));
  const texts = JSON.stringify(await catchUp(second, since));
  expect(texts).toContain('Present title');
  expect(texts).not.toContain('Former title');
});
