import { expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { ApiClient, register } from '#tests/support/member.ts';
import { createTestCluster } from '#tests/support/cluster.ts';

const token = 'a-token-that-only-the-tests-know';

function read(address: string, authorization?: string) {
  return fetch(`${address}/metrics`, { headers: { ...(authorization && { authorization }) } });
}

test('serves no metrics without METRICS_TOKEN', async () => {
  const { start } = await createTestCluster();
  const address = await start().ready;
  expect((await read(address)).status).toBe(404);
  expect((await read(address, 'Bearer undefined')).status).toBe(404);
});

test('reports requests by route, live sockets, the event stream, connections, jobs and the response cache, with the token only', async () => {
  const { start } = await createTestCluster();
  const address = await start({ METRICS_TOKEN: token, NODE_NAME: 'first' }).ready;
  for (const wrong of [undefined, 'Bearer', `Bearer ${token}x`, `Basic ${token}`])
    expect((await read(address, wrong)).status).toBe(404);

  const ada = await register(address, 'Ada');
  const id = await ada.ask();
  await ada.read(id);
  await ada.read(id);
  await ada.get('/questions/999999');
  await new ApiClient(address).get('/feeds/recent');
  await LiveSocket.open(ada, 'feeds');

  const answer = await read(address, `Bearer ${token}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  const count = (labels: string) => `http_request_duration_seconds_count{${labels}} `;
  expect(text).toContain(`${count('method="POST",route="/api/questions",status="201"')}1\n`);
  expect(text).toContain(`${count('method="GET",route="/api/questions/:id",status="200"')}2\n`);
  expect(text).toContain(`${count('method="GET",route="/api/questions/:id",status="404"')}1\n`);
  expect(text).toMatch(/count\{method="GET",route="[^"]+",status="401"\} 1\n/);
  expect(text).toContain('parley_live_sockets 1\n');
  expect(text).toMatch(/^parley_stream_lag_seconds \d/m);
  expect(text).toContain('parley_node_info{node="first",version="');
  expect(text).toContain('parley_ready 1\n');
  expect(text).toMatch(/^parley_database_connections\{state="idle"\} \d/m);
  expect(text).toContain('parley_database_connections_waiting 0\n');
  expect(text).toMatch(/^parley_jobs\{kind="enqueue-due",state="waiting"\} \d/m);
  expect(text).toContain('parley_rejected_requests_total{kind="too-many"} 0\n');
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  expect(text).not.toContain(`/questions/${id}`);
  // A node that has not read all events yet answers without the cache.
  await eventually(async () => {
    await ada.read(id);
    const metrics = await (await read(address, `Bearer ${token}`)).text();
    return /^parley_response_cache_lookups_total\{result="miss"\} [1-9]/m.test(metrics);
  });
});
