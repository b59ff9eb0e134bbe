import { once } from 'node:events';
import http from 'node:http';
import { expect, inject, test } from 'vitest';
import { withClient } from '#tests/support/database-client.ts';
import { runAsAdmin } from '#tests/support/database.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { ApiClient, register } from '#tests/support/member.ts';
import { createTestCluster } from '#tests/support/cluster.ts';
import { eventually } from '#tests/support/parley.ts';

const statusOf = async (url: string) => (await fetch(url)).status;

test("/healthz and /readyz respond without a session and are not cached, and idle connections outlive a load balancer's", async () => {
  const { start } = await createTestCluster();
  const address = await start().ready;
  await eventually(async () => (await statusOf(`${address}/readyz`)) === 200);
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(address + path, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  const { headers } = await new ApiClient(address).get('/session');
  expect(headers.get('keep-alive')).toBe('timeout=620');
});

test('a node without its database is alive but not ready, until the database is back', async () => {
  const { database, start } = await createTestCluster();
  const address = await start().ready;
  await eventually(async () => (await statusOf(`${address}/readyz`)) === 200);
  const { admin } = inject('testServer');
  const name = await nameOf(database.connection);
  await runAsAdmin(admin, `alter database ${name} with allow_connections false`);
  await runAsAdmin(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await eventually(async () => (await statusOf(`${address}/readyz`)) === 503);
  expect(await statusOf(`${address}/healthz`)).toBe(200);
  await runAsAdmin(admin, `alter database ${name} with allow_connections true`);
  await eventually(async () => (await statusOf(`${address}/readyz`)) === 200);
});

test('after a first signal, a node behind a load balancer is not ready but keeps serving; after a second, it stops', async () => {
  const { start } = await createTestCluster();
  const parley = start({ DRAIN_SECONDS: '600' });
  const address = await parley.ready;
  const ada = await register(address, 'Ada');
  const socket = await LiveSocket.open(ada, 'feeds');
  const agent = new http.Agent({ keepAlive: true });
  expect(await answerOf(agent, `${address}/healthz`)).toMatchObject({ connection: 'keep-alive' });

  parley.signal('SIGTERM');
  await eventually(async () => (await statusOf(`${address}/readyz`)) === 503);
  expect(await statusOf(`${address}/healthz`)).toBe(200);
  // On the connection that is open, and on a new one.
  for (let count = 0; count < 2; count++)
    expect(await answerOf(agent, `${address}/api/session`)).toMatchObject({
      status: 200,
      connection: 'close',
    });
  await ada.ask();
  await eventually(() => socket.events.some(({ kind }) => kind === 'question-posted'));
  expect(socket.moves).toBeGreaterThan(0);

  const repeatedSignals = setInterval(() => parley.signal('SIGTERM'), 100);
  await parley.waitForOutput(/Shutting down after the running requests/);
  clearInterval(repeatedSignals);
  expect(await parley.ended).toBe(0);
});

test('a node stops on its own after draining, and closes remaining sockets', async () => {
  const { start } = await createTestCluster();
  const parley = start({ DRAIN_SECONDS: '1' });
  const address = await parley.ready;
  const socket = await LiveSocket.open(await register(address, 'Ada'), 'feeds');
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  await eventually(() => !socket.isConnected);
  expect(socket.moves).toBe(1);
});

test('a response in progress when the node is stopped announces that its connection closes', async () => {
  const { start } = await createTestCluster();
  const parley = start();
  const address = await parley.ready;
  const body = JSON.stringify({ displayName: 'Bob', email: 'bob@example.org', password: 'correct horse' });
  const request = http.request(`${address}/api/members`, {
    agent: new http.Agent({ keepAlive: true }),
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  });
  request.flushHeaders();
  await once(request, 'continue');
  parley.signal('SIGTERM');
  await parley.waitForOutput(/Shutting down/);
  const answered = once(request, 'response');
  request.end(body);
  const [response] = (await answered) as [http.IncomingMessage];
  response.resume();
  expect(response).toMatchObject({ statusCode: 201, headers: { connection: 'close' } });
  expect(await parley.ended).toBe(0);
});

async function answerOf(agent: http.Agent, url: string) {
  const [response] = (await once(http.get(url, { agent }), 'response')) as [http.IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, connection: response.headers.connection };
}

async function nameOf(connection: object): Promise<string> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ name: string }>('select current_database() as name'),
  );
  return rows[0]?.name ?? '';
}
