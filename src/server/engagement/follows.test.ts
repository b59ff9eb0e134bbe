import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');

const set = (id: number, following: boolean) => bob.put(`/questions/${id}/follow`, { following });
const isFollowing = async (id: number) => (await bob.read(id)).question.following;

test.each<[string, boolean[], boolean]>([
  ['not following to following', [true], true],
  ['following to not following', [true, false], false],
  ['following to following: repeating changes nothing', [true, true], true],
  ['not following to not following: there is nothing to end', [false], false],
])('changes the state of a question from %s', async (_, states, expected) => {
  const id = await ann.ask();
  for (const state of states)
    expect(await set(id, state)).toMatchObject({ status: 200, body: { following: state } });
  expect(await isFollowing(id)).toBe(expected);
});

test('affects only one member and one question', async () => {
  const [id, beside] = [await ann.ask(), await ann.ask()];
  await set(id, true);
  expect(await isFollowing(beside)).toBe(false);
  expect((await ann.read(id)).question.following).toBe(false);
});

test('follows a question once when requests run at the same time', async () => {
  const id = await ann.ask();
  const answers = await Promise.all(Array.from({ length: 10 }, () => set(id, true)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  await set(id, false);
  expect(await isFollowing(id)).toBe(false);
});

test('refuses to follow a question that does not exist', async () => {
  expect(await set(999_999_999, true)).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await set(999_999_999, false)).toMatchObject({ status: 404, kind: 'not-found' });
});
