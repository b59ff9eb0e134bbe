import { expect, test } from 'vitest';
import { createApiClient } from './api-client.ts';

/** A client whose requests are listed instead of sent. */
function createRecordingClient() {
  const requests: { path: string; init: RequestInit }[] = [];
  const client = createApiClient((path, init) => {
    requests.push({ path, init });
    return Promise.resolve(Response.json({}));
  });
  return { client, requests };
}

test('replaces the parameters of a path and adds the query', async () => {
  const { client, requests } = createRecordingClient();
  await client.questions[':id'].answers.$get({
    param: { id: '7' },
    query: { sort: 'newest', cursor: 'a b' },
  });
  await client.tags[':tag'].$get({ param: { tag: encodeURIComponent('c#/net') } });
  await client.feeds[':feed'].$get({ param: { feed: 'recent' }, query: { cursor: undefined } });
  await client.session.$get();
  expect(requests.map(({ path }) => path)).toEqual([
    '/api/questions/7/answers?sort=newest&cursor=a+b',
    '/api/tags/c%23%2Fnet',
    '/api/feeds/recent',
    '/api/session',
  ]);
  expect(requests[0]?.init).toEqual({ method: 'GET', headers: {} });
});

test('sends a body as JSON, with the headers of the request and the given options', async () => {
  const { client, requests } = createRecordingClient();
  const signal = AbortSignal.timeout(1000);
  await client.questions[':id'].answers.$post(
    { param: { id: '7' }, header: { 'idempotency-key': 'key' }, json: { content: 'text' } },
    { headers: { 'acting-member': '3' }, init: { signal, keepalive: true } },
  );
  await client.session.$delete();
  expect(requests[0]).toEqual({
    path: '/api/questions/7/answers',
    init: {
      method: 'POST',
      headers: { 'idempotency-key': 'key', 'acting-member': '3', 'Content-Type': 'application/json' },
      body: '{"content":"text"}',
      signal,
      keepalive: true,
    },
  });
  expect(requests[1]?.init).toEqual({ method: 'DELETE', headers: {} });
});

test('is not a promise, so that async functions can return a part of it', () => {
  const { client } = createRecordingClient();
  expect(Reflect.get(client.questions, 'then')).toBeUndefined();
});
