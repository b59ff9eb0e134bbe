import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { memberRateLimitKey } from './rate-limits.ts';
import { createRequestLimits } from './request-limits.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import type { Member } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const [ann, bob] = await server.registerAll('Ann', 'Bob');

/** Blocks all changes of a question until the returned function is called. */
async function holdQuestion(id: number): Promise<() => Promise<void>> {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = server.db.transaction().execute(async (tx) => {
    await sql`select from question where id = ${id} for update`.execute(tx);
    started.resolve();
    await release.promise;
  });
  await started.promise;
  return () => {
    release.resolve();
    return holding;
  };
}

test('runs one write of a member at a time, without delaying other members', async () => {
  const id = await bob.ask();
  const answers = [];
  for (let n = 0; n < 10; n++) answers.push(await ann.answer(id));
  const release = await holdQuestion(id);
  const edits = answers.map(({ id: answerId }, n) =>
    ann.put(`/answers/${answerId}`, { content: `Edit ${n}` }),
  );
  await eventually(async () => (await waitingForLocks()) === 1);

  const settings = { displayName: 'Bob', bio: 'Here.', showEmail: true };
  expect(await bob.put('/settings', settings)).toMatchObject({ status: 200 });
  expect((await bob.ask()) > id).toBe(true);
  expect((await ann.get(`/questions/${id}`)).status).toBe(200);
  expect(await waitingForLocks()).toBe(1);

  await release();
  for (const edit of await Promise.all(edits)) expect(edit.status).toBe(200);
});

test('refuses a write while a hundred writes of the member wait, and says when to retry', async () => {
  const id = await bob.ask();
  const release = await holdQuestion(id);
  const refused: unknown[] = [];
  const sent = Array.from({ length: 110 }, async () => {
    const answer = await bob.put(`/questions/${id}/accepted-answer`, { answerId: null });
    if (answer.status !== 200) refused.push([answer.status, answer.kind, answer.headers.get('retry-after')]);
    return answer.status;
  });
  await eventually(async () => refused.length === 9);
  await release();
  expect((await Promise.all(sent)).filter((status) => status === 200)).toHaveLength(101);
  expect(refused).toEqual(Array.from({ length: 9 }, () => [429, 'too-many', '1']));
});

test("limits a member's requests for files, which no limit of the API counts, and those of another member on their own", async () => {
  const node = await startCachingNode(
    server.database,
    undefined,
    createRequestLimits(() => 0),
  );
  onTestFinished(node.stop);
  const open = async (member: Member) => {
    const headers = { cookie: cookiesOf(member) };
    return (await fetch(`${node.address}/uploads/none`, { headers })).status;
  };
  for (const member of [ann, bob]) await node.browserOf(member).get('/notifications');
  const statuses: number[] = [];
  while (statuses.length < 3_100)
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, () => open(ann)))));
  expect(statuses.filter((status) => status === 404)).toHaveLength(3_000);
  expect(statuses.filter((status) => status === 429)).toHaveLength(100);
  expect(await open(bob)).toBe(404);
});

test('counts requests with any cookie by network where no session is kept in memory', async () => {
  const requestLimits = createRequestLimits(() => 0);
  const node = await server.startSecondNode({ requestLimits });
  onTestFinished(() => node.stop());
  for (let n = 0; n < 3_000; n++) requestLimits.consumeForNetwork('127.0.0.1');
  for (const path of ['/api/feeds/recent', '/uploads/none'])
    expect((await fetch(node.address + path, { headers: { cookie: 'x=1' } })).status).toBe(429);
});

test('handles four uploads of a network at a time, without delaying uploads from other networks', async () => {
  const node = await server.startSecondNode({ trustedProxies: 1 });
  onTestFinished(() => node.stop());
  const slow = await server.registerAll('Slow 1', 'Slow 2', 'Slow 3', 'Slow 4');
  const picture = createPngPicture();
  const headers = (network: string) => ({ 'x-forwarded-for': network });
  const upload = (member: Member, network: string) =>
    member.onServer(node.address).send('POST', '/uploads', { file: picture, headers: headers(network) });

  const unfinished = slow.map((member) => {
    const sent = request(`${node.address}/api/uploads`, {
      method: 'POST',
      headers: { ...headers('203.0.113.1'), cookie: cookiesOf(member), 'content-length': picture.length },
    });
    sent.write(picture.subarray(0, 10));
    return sent;
  });
  await eventually(async () => (await startedUploads(...slow)) === 4);
  const waiting = upload(ann, '203.0.113.1');
  for (let n = 0; n < 3; n++) expect((await upload(bob, '203.0.113.2')).status).toBe(201);
  expect(await startedUploads(ann)).toBe(0);

  const [first, ...others] = unfinished;
  first?.end(picture.subarray(10));
  expect((await waiting).status).toBe(201);
  for (const sent of others) {
    sent.end(picture.subarray(10));
    const [response]: IncomingMessage[] = await once(sent, 'response');
    expect(response?.statusCode).toBe(201);
  }
});

/** How many uploads of these members were counted by the limit per hour, which comes before the body is read. */
async function startedUploads(...members: Member[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(points), 0)::int as count from rate_limit
    where key = any(${members.map(({ id }) => memberRateLimitKey('upload', id))}::text[])`.execute(server.db);
  return rows[0]?.count ?? 0;
}

const cookiesOf = ({ cookies }: Member) => [...cookies].map((pair) => pair.join('=')).join('; ');

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
  return rows[0]?.count ?? 0;
}
