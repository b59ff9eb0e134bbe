import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { longEditFrom, manyLinksFrom } from './write-limits.ts';

const server = await startTestServer();
afterAll(() => server.stop());

test('accepts 30 questions, 60 answers or replies and 300 votes of one member in ten minutes', async () => {
  const ann = await server.register('Ann');
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) ids.push(await ann.ask());
  const [id = 0] = ids;
  const answer = await ann.answer(id);
  for (let n = 1; n < 60; n++) await (n % 2 === 0 ? ann.answer(id) : ann.replyToAnswer(answer.id));
  // As if the member had made most of them.
  await sql`insert into rate_limit (key, points, expire)
    select ${memberRateLimitKey('vote', ann.id)}, 290, ${Date.now() + 60_000}::bigint`.execute(server.db);
  for (let n = 0; n < 10; n++) await ann.vote('questions', id, n % 2 === 0 ? 'up' : null);
  expect(await ann.put(`/questions/${id}/vote`, { vote: 'up' })).toMatchObject({ status: 429 });
  expect((await ann.me()).questionsCount).toBe(30);
});

test('refuses a member above the limit, says when to retry, and does not affect others', async () => {
  const [bob, eve] = [await server.register('Bob'), await server.register('Eve')];
  let refused = await bob.post('/questions', { title: 'Flood', content: 'Water' });
  for (let n = 0; n < 100 && refused.status === 201; n++)
    refused = await bob.post('/questions', { title: 'Flood', content: 'Water' });
  expect(refused).toMatchObject({ status: 429, kind: 'too-many' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await eve.ask()).toBeGreaterThan(0);
});

test('stops a new member at half of the limit, and says for how long', async () => {
  const [ann, old] = [await server.register('Ann'), await server.register('Old')];
  await sql`update member set created_at = now() - interval '4 days' where id = ${old.id}`.execute(server.db);
  const id = await ann.ask();
  await eventuallyRefused(ann, id, 300);
  await eventuallyRefused(old, id, 600);

  async function eventuallyRefused(member: Member, questionId: number, most: number) {
    // As if the member had made most of them.
    await sql`insert into rate_limit (key, points, expire)
      select ${memberRateLimitKey('vote', member.id)}, ${most - 1}, ${Date.now() + 60_000}::bigint`.execute(
      server.db,
    );
    expect((await member.put(`/questions/${questionId}/vote`, { vote: 'up' })).status).toBe(200);
    const refused = await member.put(`/questions/${questionId}/vote`, { vote: null });
    expect(refused).toMatchObject({ status: 429, detail: expect.stringContaining('voting too much') });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
});

test('accepts 60 edits of one member in ten minutes, and refuses a member above the limit', async () => {
  const [bob, eve] = [await server.register('Bob'), await server.register('Eve')];
  const questionId = await bob.ask();
  const answer = await bob.answer(questionId);
  const reply = await bob.replyToAnswer(answer.id);
  const edits = [
    (n: number) => bob.put(`/questions/${questionId}`, { title: `Title ${n}`, content: 'So.', tags: [] }),
    (n: number) => bob.put(`/answers/${answer.id}`, { content: `Answer ${n}` }),
    (n: number) => bob.put(`/replies/${reply.id}`, { content: `Reply ${n}` }),
  ];
  for (let n = 0; n < 60; n++) expect((await edits[n % 3]?.(n))?.status).toBe(200);
  for (const [index, edit] of edits.entries()) {
    let refused = await edit(100);
    for (let n = 101; n < 150 && refused.status === 200; n++) refused = await edit(n);
    expect([index, refused.status, refused.kind]).toEqual([index, 429, 'too-many']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const other = await eve.answer(questionId);
  expect((await eve.put(`/answers/${other.id}`, { content: 'Another.' })).status).toBe(200);
});

test("refuses a new member's eleventh edit of a long text in ten minutes, but not edits of short texts", async () => {
  const [ann, old] = [await server.register('Ann'), await server.register('Old')];
  await sql`update member set reputation = 20 where id = ${old.id}`.execute(server.db);
  const id = await old.ask();
  const [own, other] = [await ann.answer(id), await old.answer(id)];
  const long = (n: number) => ({ content: `${n} `.padEnd(longEditFrom, 'x') });
  for (let n = 0; n < 10; n++) expect((await ann.put(`/answers/${own.id}`, long(n))).status).toBe(200);
  for (let n = 10; n < 13; n++)
    expect(await ann.put(`/answers/${own.id}`, long(n))).toMatchObject({ status: 429, kind: 'too-many' });
  expect((await ann.put(`/answers/${own.id}`, { content: 'Short.' })).status).toBe(200);
  for (let n = 0; n < 11; n++) expect((await old.put(`/answers/${other.id}`, long(n))).status).toBe(200);
});

test("limits a new member's texts with many links, but not other texts", async () => {
  const [ann, old] = [await server.register('Ann'), await server.register('Old')];
  await sql`update member set reputation = 20 where id = ${old.id}`.execute(server.db);
  const id = await old.ask();
  const content = 'https://example.org/ '.repeat(manyLinksFrom);
  const post = (member: Member) => member.post(`/questions/${id}/answers`, { content });
  for (let n = 0; n < 20; n++) expect((await post(ann)).status).toBe(201);
  expect(await post(ann)).toMatchObject({ status: 429, detail: expect.stringContaining('too many links') });
  const answer = await ann.answer(id, 'See https://example.org/ and https://example.net/.');
  expect(await ann.put(`/answers/${answer.id}`, { content })).toMatchObject({ status: 429 });
  for (let n = 0; n < 21; n++) expect((await post(old)).status).toBe(201);
});

test.each([
  ['question', '/questions'],
  ['answer', '/questions/{id}/answers'],
  ['comment', '/questions/{id}/replies'],
] as const)('does not count or refuse a %s that repeats an earlier request', async (kind, place) => {
  const [ann, old] = [await server.register('Ann'), await server.register('Old')];
  const path = place.replace('{id}', String(await old.ask()));
  const draft = kind === 'question' ? { title: 'Once?', content: 'Once.' } : { content: 'Once.' };
  const post = (key?: string) => ann.post<{ id: number }>(path, draft, key);
  const key = `${kind}-repeated-often`;
  const first = expectOk(await post(key));
  const again = async () => expect(await post(key)).toMatchObject({ status: 201, body: { id: first.id } });
  // More often than a new member may post.
  for (let n = 0; n < (kind === 'question' ? 35 : 70); n++) await again();
  let fresh = await post();
  expect(fresh.status).toBe(201);
  for (let n = 0; n < 70 && fresh.status === 201; n++) fresh = await post();
  expect(fresh.status).toBe(429);
  await again();
});
