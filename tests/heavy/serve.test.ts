import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from 'vitest';
import { isProcessAlive } from '#server/postgres/embedded-orphan-cleanup.ts';
import {
  eventually,
  readPostmasterPid,
  register,
  createPreparedDataDirectory,
  signIn,
  startParley,
  createTemporaryDataDirectory,
} from '#tests/support/parley.ts';

test('Parley prints its address, and when it stops, it completes a running request, accepts no other and stops its PostgreSQL', async () => {
  const data = await createPreparedDataDirectory();
  const parley = startParley({ env: { PARLEY_DATA: data } });
  const address = await parley.ready;
  expect(parley.output()).toMatch(/started in \d+\.\d s/);
  expect((await fetch(`${address}/api/session`)).status).toBe(200);
  const postgres = await readPostmasterPid(data);
  const request = await beginRegistration(address);
  // Ctrl-C in a terminal, which npm sends a second time.
  parley.signal('SIGINT');
  await parley.waitForOutput(/Shutting down/);
  parley.signal('SIGINT');
  await eventually(() => refuses(address));
  expect(await finish(request)).toBe(201);
  expect(await parley.ended).toBe(0);
  expect(isProcessAlive(postgres)).toBe(false);
});

test('a second signal cuts off a request that does not end', async () => {
  const data = await createPreparedDataDirectory();
  const parley = startParley({ env: { PARLEY_DATA: data } });
  const request = await beginRegistration(await parley.ready);
  const cutOff = once(request, 'error');
  const postgres = await readPostmasterPid(data);
  const repeatedSignals = setInterval(() => parley.signal('SIGTERM'), 100);
  await cutOff;
  // A signal during the exit of Node would end the process by that signal.
  clearInterval(repeatedSignals);
  expect(await parley.ended).toBe(0);
  expect(isProcessAlive(postgres)).toBe(false);
});

test('a signal during the start stops it', async () => {
  const data = await createTemporaryDataDirectory();
  const parley = startParley({ env: { PARLEY_DATA: data } });
  await eventually(() => readPostmasterPid(data).then(Boolean, () => false));
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  await eventually(() =>
    readPostmasterPid(data).then(
      () => false,
      () => true,
    ),
  );
});

test('a second Parley on the same data directory is rejected and names the process that uses it, or waits while that stops', async () => {
  const data = await createPreparedDataDirectory();
  // Stopping takes as long as the next start, which on a busy machine may exceed the time limit of requests.
  const first = startParley({ env: { PARLEY_DATA: data, DRAIN_SECONDS: '3600' } });
  const address = await first.ready;
  const second = startParley({ env: { PARLEY_DATA: data } });
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(
    /^Parley already runs on the data directory .*data \(process \d+, since \d{4}-\S+Z, at http:\S+\)\. Stop it first, or choose another directory with PARLEY_DATA\.\n$/,
  );
  expect(second.output()).toContain(`process ${first.pid}, `);
  expect(second.output()).toContain(`at ${address})`);
  expect((await fetch(`${address}/api/session`)).status).toBe(200);

  const request = await beginRegistration(address);
  first.signal('SIGTERM');
  await first.waitForOutput(/Parley stops in 3600 s/);
  const next = startParley({ env: { PARLEY_DATA: data } });
  await next.waitForOutput(/Waiting for the previous Parley on this data directory to stop/);
  expect(await finish(request)).toBe(201);
  first.signal('SIGTERM');
  expect((await fetch(`${await next.ready}/api/session`)).status).toBe(200);
});

test('one of many concurrent starts on a new data directory serves, and the others are rejected', async () => {
  const data = await createTemporaryDataDirectory();
  const all = Array.from({ length: 4 }, () => startParley({ env: { PARLEY_DATA: data } }));
  const outcomes = await Promise.all(
    all.map((parley) => Promise.race([parley.ended, parley.ready.then(() => 'serves')])),
  );
  expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(3);
  expect(outcomes).toContain('serves');
});

test('after kill -9 of Parley, the next start stops the orphaned PostgreSQL and has every member', async () => {
  const data = await createPreparedDataDirectory();
  const first = startParley({ env: { PARLEY_DATA: data } });
  expect(await register(await first.ready, 'Ada')).toBe(201);
  const orphan = await readPostmasterPid(data);
  first.signal('SIGKILL');
  await first.ended;
  expect(isProcessAlive(orphan)).toBe(true);
  const second = startParley({ env: { PARLEY_DATA: data } });
  expect((await signIn(await second.ready, 'Ada')).status).toBe(200);
  expect(second.output()).toContain('its PostgreSQL kept running. It has been stopped');
  expect(isProcessAlive(orphan)).toBe(false);
});

test('after kill -9 of PostgreSQL, requests get a 503 with Retry-After until it runs again, with every member', async () => {
  const data = await createPreparedDataDirectory();
  const parley = startParley({ env: { PARLEY_DATA: data } });
  const address = await parley.ready;
  expect(await register(address, 'Ada')).toBe(201);
  process.kill(await readPostmasterPid(data), 'SIGKILL');
  const statuses = await untilServed(address);
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(parley.output()).toContain('PostgreSQL has ended unexpectedly and is being restarted');
});

/** Starts a request with an incomplete body and waits until the server has accepted it. */
async function beginRegistration(address: string): Promise<http.ClientRequest> {
  const body = JSON.stringify({ displayName: 'Bob', email: 'bob@example.org', password: 'correct horse' });
  const request = http.request(`${address}/api/members`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  });
  // The test fails in `finish` if the request is cut off.
  request.on('error', () => {});
  request.flushHeaders();
  await once(request, 'continue');
  request.write(body.slice(0, -1));
  return request;
}

async function finish(request: http.ClientRequest): Promise<number | undefined> {
  if (request.destroyed) throw new Error('the request was cut off');
  const answered = once(request, 'response');
  request.end('}');
  const [response] = (await answered) as [http.IncomingMessage];
  response.resume();
  return response.statusCode;
}

const refuses = (address: string) =>
  fetch(`${address}/api/session`).then(
    () => false,
    () => true,
  );

/** Signs in repeatedly until it succeeds three times in a row. Resolves with all statuses. */
async function untilServed(address: string): Promise<number[]> {
  const statuses: number[] = [];
  const retryAfter: number[] = [];
  await eventually(async () => {
    const answer = await signIn(address, 'Ada');
    statuses.push(answer.status);
    retryAfter.push(answer.status === 503 ? Number(answer.headers.get('retry-after')) : 1);
    return statuses.length > 2 && statuses.slice(-3).every((status) => status === 200);
  });
  expect(Math.min(...retryAfter)).toBeGreaterThan(0);
  return statuses;
}
