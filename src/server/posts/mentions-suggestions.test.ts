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

test('who wrote at a question is listed first, the latest first, and never oneself', async () => {
  const [asker, answerer, replier, reader] = [
    await server.register('Mara Asker'),
    await server.register('Moritz Answerer'),
    await server.register('Mia Replier'),
    await server.register('Max Reader'),
  ];
  const id = await asker.ask();
  const answer = await answerer.answer(id);
  await replier.replyToAnswer(answer.id);
  const everybody = ['Mia Replier', 'Moritz Answerer', 'Mara Asker'];
  expect(await namesFor(reader, `/questions/${id}/members`)).toEqual(everybody);
  expect(await namesFor(asker, `/questions/${id}/members`)).toEqual(everybody.slice(0, 2));
  await asker.replyToAnswer(answer.id);
  expect(await namesFor(reader, `/questions/${id}/members`)).toEqual([
    'Mara Asker',
    'Mia Replier',
    'Moritz Answerer',
  ]);

  const { items } = expectOk(await asker.get<MentionableMembers>(`/questions/${id}/members?q=m`));
  expect(items).toEqual([
    { id: replier.id, displayName: 'Mia Replier', inThread: true },
    { id: answerer.id, displayName: 'Moritz Answerer', inThread: true },
    { id: reader.id, displayName: 'Max Reader', inThread: false },
  ]);
  // Of those who wrote there, any word of the name will do.
  expect(await namesFor(reader, `/questions/${id}/members?q=ANSW`)).toEqual(['Moritz Answerer']);
});

test('others are found by the beginning of the name, without case, in its order, at most eight', async () => {
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

test('no address is told, neither of who hides it nor of who has no name', async () => {
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

test('a question that is gone has no members to list, and visitors see none at all', async () => {
  const ann = await server.register('Ann');
  const id = await ann.ask();
  await ann.remove('questions', id);
  expect(await ann.get(`/questions/${id}/members`)).toMatchObject({ status: 404, code: 'not-found' });
  expect(await server.visitor().get('/members?q=a')).toMatchObject({ status: 401 });
});

test('whoever asks for names without end is told to wait, and others are not', async () => {
  const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
  let answer = await ann.get('/members?q=b');
  for (let n = 0; n < 320 && answer.status === 200; n++) answer = await ann.get('/members?q=b');
  expect(answer).toMatchObject({ status: 429, code: 'too-many' });
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await bob.get('/members?q=a')).status).toBe(200);
});
