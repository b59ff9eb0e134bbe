import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { ApiClient, expectOk, password, register } from '#tests/support/member.ts';
import { createTestCluster } from '#tests/support/cluster.ts';
import { eventually } from '#tests/support/parley.ts';
import { type ParleyProcess, spawnParley } from '#tests/support/parley-process.ts';

test('three nodes that start at the same time on an empty database migrate it once and serve one community', async () => {
  const { start } = await createTestCluster({ bare: true });
  const nodes = [start(), start(), start()];
  const addresses = await Promise.all(nodes.map((node) => node.ready));
  const applied = nodes.flatMap((node) => [...node.output().matchAll(/Applied the migration (\w+)\.sql/g)]);
  const names = applied.map(([, name]) => name);
  expect(names).toContain('0001_schema');
  expect(new Set(names).size).toBe(names.length);

  // SECRET is not set: a session of one node is valid on all.
  const ada = await register(addresses[0] ?? '', 'Ada');
  for (const address of addresses) expect((await ada.onServer(address).me()).id).toBe(ada.id);
  expect(nodes.map((node) => node.output()).join('')).not.toContain('The secret differs');
});

describe('on two nodes', () => {
  let database: TestDatabase;
  let nodes: ParleyProcess[];
  let first: string;
  let second: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const env = { DATABASE_URL: toDatabaseUrl(database.connection), LOG_LEVEL: 'info' };
    const pair = [spawnParley({ env }), spawnParley({ env })] as const;
    nodes = [...pair];
    [first, second] = await Promise.all([pair[0].ready, pair[1].ready]);
  });
  afterAll(async () => {
    for (const node of nodes) node.signal('SIGTERM');
    await Promise.all(nodes.map((node) => node.ended));
    await database.drop();
  });

  test('a session that ends on one node is rejected on the other, and its sockets there are closed', async () => {
    const here = await register(first, 'Ada');
    const elsewhere = (await here.signInElsewhere()).onServer(second);
    const socket = await LiveSocket.open(elsewhere, 'feeds');
    const mine = await LiveSocket.open(here.onServer(second), 'feeds');
    const closed = socket.closed();

    expectOk(await here.delete('/sessions'));
    await closed;
    expect(await elsewhere.get('/feeds/recent')).toMatchObject({ status: 401 });
    await elsewhere.onServer(first).get('/feeds/recent');
    expect((await here.onServer(second).me()).id).toBe(here.id);
    expect(mine.isConnected).toBe(true);

    const leaving = mine.closed();
    expectOk(await here.delete('/session'));
    await leaving;
    expect((await here.onServer(second).get('/session')).body).toMatchObject({ member: null });
  });

  test('failed sign-ins are counted across nodes', async () => {
    const { email } = await register(first, 'Ada');
    const tries = [first, second, first, second, first];
    for (const address of tries)
      expect(await new ApiClient(address).signIn(email, 'guess')).toMatchObject({ kind: 'wrong-password' });
    for (const address of [first, second])
      expect(await new ApiClient(address).signIn(email, password)).toMatchObject({ status: 429 });
  });

  test('an action on one node is published to sockets of the other', async () => {
    const ada = await register(first, 'Ada');
    const socket = await LiveSocket.open(ada.onServer(second), 'feeds');
    const questionId = await ada.ask();
    await eventually(() => socket.events.length > 0);
    expect(socket.events).toEqual([{ kind: 'question-posted', questionId, tags: [], authorId: ada.id }]);
  });
});
