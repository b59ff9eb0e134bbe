import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { MentionableMembers } from '#shared/posts/mentions.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

const namesFor = async (member: Member, path: string) => {
  const { items } = expectOk(await member.get<MentionableMembers>(path));
  return items.map(({ displayName }) => displayName);
};

test('lists members who wrote in the thread first, latest first, without the viewer', async () => {
  const [author, answerer, replier, reader] = [
    await server.register('Mara Asker'),
    await server.register('Moritz Answerer'),
    await server.register('Mia Replier'),
    await server.register('Max Reader'),
  ];
  const id = await author.ask();
  const answer = await answerer.answer(id);
  await replier.replyToAnswer(answer.id);
  const everybody = ['Mia Replier', 'Moritz Answerer', 'Mara Asker'];
  expect(await namesFor(reader, `/questions/${id}/members`)).toEqual(everybody);
  expect(await namesFor(author, `/questions/${id}/members`)).toEqual(everybody.slice(0, 2));
  await author.replyToAnswer(answer.id);
  expect(await namesFor(reader, `/questions/${id}/members`)).toEqual([
    'Mara Asker',
    'Mia Replier',
    'Moritz Answerer',
  ]);

  const { items } = expectOk(await author.get<MentionableMembers>(`/questions/${id}/members?q=m`));
  expect(items).toEqual([
    { id: replier.id, displayName: 'Mia Replier', inThread: true },
    { id: answerer.id, displayName: 'Moritz Answerer', inThread: true },
    { id: reader.id, displayName: 'Max Reader', inThread: false },
  ]);
  // For members of the thread, any word of the name may match.
  expect(await namesFor(reader, `/questions/${id}/members?q=ANSW`)).toEqual(['Moritz Answerer']);
});

test('finds other members by the beginning of the name, without case, sorted by name, up to eight', async () => {
  const viewer = await server.register('Zoe');
  for (const name of [
    'Özil Berg',
    'özge',
    'Zed',
    'zara %',
    ...Array.from({ length: 9 }, (_, n) => `Zz ${n}`),
  ])
    await server.register(name);
  expect(await namesFor(viewer, '/members?q=%C3%96Z')).toEqual(['özge', 'Özil Berg']);
  expect(await namesFor(viewer, '/members?q=zar')).toEqual(['zara %']);
  expect(await namesFor(viewer, '/members?q=zara%20%25')).toEqual(['zara %']);
  expect(await namesFor(viewer, '/members?q=%25')).toEqual([]);
  expect(await namesFor(viewer, '/members?q=berg')).toEqual([]);
  const many = await namesFor(viewer, '/members?q=z');
  expect(many).toHaveLength(8);
  expect(many).not.toContain('Zoe');
  expect(await namesFor(viewer, '/members')).toEqual([]);
});

test('reveals no email address, even of members without a name', async () => {
  const [viewer, nameless] = [await server.register('Quentin'), await server.register('Quirin')];
  const id = await nameless.ask();
  await sql`update member set display_name = null where id = ${nameless.id}`.execute(server.db);
  for (const path of [
    `/questions/${id}/members`,
    `/questions/${id}/members?q=${nameless.email}`,
    `/members?q=${nameless.email}`,
  ]) {
    expect({ path, names: await namesFor(viewer, path) }).toEqual({ path, names: [] });
    expect(JSON.stringify((await viewer.get(path)).body)).not.toContain('@');
  }
});

test('lists no members for a deleted question or a visitor', async () => {
  const ann = await server.register('Ann');
  const id = await ann.ask();
  await ann.remove('questions', id);
  expect(await ann.get(`/questions/${id}/members`)).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await server.visitor().get('/members?q=a')).toMatchObject({ status: 401 });
});

test('limits the requests of one member without affecting others', async () => {
  const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
  let answer = await ann.get('/members?q=b');
  for (let n = 0; n < 320 && answer.status === 200; n++) answer = await ann.get('/members?q=b');
  expect(answer).toMatchObject({ status: 429, kind: 'too-many' });
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await bob.get('/members?q=a')).status).toBe(200);
});
