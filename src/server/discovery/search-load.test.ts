import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const [ann, bob, cid, dee, eve, fay] = await server.registerAll('Ann', 'Bob', 'Cid', 'Dee', 'Eve', 'Fay');
const questionId = await ann.ask({ title: 'How is bread baked?', content: 'With care.', tags: [] });
// The first search reads the vocabulary and the popularity levels, which are then cached.
await bob.get('/search?q=warm');

/** Locks the vocabulary table, so that every search waits in the database until it is unlocked. */
let holder: pg.Client;
beforeEach(async () => {
  holder = new pg.Client(server.database.connection);
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table search_word in access exclusive mode');
});
afterEach(() => holder.end());

/** Counts the statements that wait for the lock. */
async function blocked(): Promise<number> {
  const { rows } = await holder.query<{ count: number }>(
    `select count(*)::int as count from pg_locks where not granted and relation = 'search_word'::regclass`,
  );
  return rows[0]?.count ?? 0;
}

let words = 0;
/** Each search has a different word, because results are cached. */
const searchAll = (member: Member, count: number) =>
  Array.from({ length: count }, () => member.get(`/search?q=bread${++words}`));

test('limits blocked searches to five connections, and still accepts votes', async () => {
  const running = [ann, bob, cid, dee, eve, fay].flatMap((member) => searchAll(member, 10));
  await eventually(async () => (await blocked()) === 5);
  expect((await bob.put(`/questions/${questionId}/vote`, { vote: 'up' })).status).toBe(200);
  expect(await blocked()).toBeLessThanOrEqual(5);
  const refused = await Promise.race(running);
  expect(refused).toMatchObject({ status: 503, kind: 'busy' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await holder.query('rollback');
  await Promise.all(running);
  expect((await bob.get('/search?q=bread')).status).toBe(200);
});

test('runs one search per member at a time, and responds 429 when more than twenty wait', async () => {
  const running = searchAll(eve, 25);
  const refused = await Promise.race(running);
  expect(refused).toMatchObject({ status: 429, kind: 'too-many' });
  await eventually(async () => (await blocked()) === 1);
  const others = searchAll(fay, 1);
  await eventually(async () => (await blocked()) === 2);
  await holder.query('rollback');
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200]);
  const statuses = (await Promise.all(running)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
});
