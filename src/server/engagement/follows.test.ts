import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { expectOk } from '#tests/support/member.ts';
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

test('refuses to follow more than a thousand tags', async () => {
  const cleo = await server.register('Cleo');
  const follow = (tag: string) => cleo.put(`/tags/${tag}/follow`, { following: true });
  await sql`
    with named as (
      insert into tag (name, key, followers_count) select 'many' || n, 'many' || n, 1 from generate_series(1, 999) n returning id
    )
    insert into tag_follow (tag_id, member_id) select id, ${cleo.id} from named`.execute(server.db);
  const results = await Promise.all(['first', 'second', 'third'].map(follow));
  expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(results.filter(({ status }) => status === 403)).toHaveLength(2);
  const refused = await follow('another');
  expect(refused).toMatchObject({ status: 403, code: 'too-many-followed-tags' });
  expect((await cleo.get('/tags/another')).status).toBe(404);
  // What is followed already can be followed again, and others once there is room.
  expect((await follow('many1')).status).toBe(200);
  expectOk(await cleo.put('/tags/many1/follow', { following: false }));
  expect((await follow('another')).status).toBe(200);
});
