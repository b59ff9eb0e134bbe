import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { startHttpServer } from './http-server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const draft = { title: 'How?', content: 'Like this?' };

describe('a request from a page of another site', () => {
  const own = new URL(server.address).origin;

  test.each([
    'https://evil.example',
    'http://127.0.0.1',
    'http://localhost:1',
    'null',
    'nonsense',
    `${own}.evil.example`,
    own.replace('http:', 'https:'),
  ])('with the origin %s is refused, whatever it wants to change', async (origin) => {
    const before = (await ann.me()).questionsCount;
    const headers = { origin };
    const id = await ann.ask();
    for (const [method, path, body] of [
      ['POST', '/questions', draft],
      ['PUT', `/questions/${id}/vote`, { vote: 'up' }],
      ['DELETE', `/questions/${id}`, undefined],
      ['DELETE', '/session', undefined],
    ] as const)
      expect(await ann.send(method, path, { body, headers })).toMatchObject({
        status: 403,
        code: 'foreign-origin',
      });
    expect((await ann.me()).questionsCount).toBe(before + 1);
  });

  test('cannot sign anybody in either', async () => {
    const headers = { origin: 'https://evil.example' };
    const body = { email: ann.email, password };
    const refused = await server.visitor().send('POST', '/session', { body, headers });
    expect(refused).toMatchObject({ status: 403, code: 'foreign-origin' });
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  test('is no other than one of the own page, and of a program that names none', async () => {
    expect((await ann.send('POST', '/questions', { body: draft, headers: { origin: own } })).status).toBe(
      201,
    );
    expect((await ann.send('POST', '/questions', { body: draft })).status).toBe(201);
  });

  test('is told by the public address where a proxy hides the host', async () => {
    const behindProxy = await server.startBeside({ publicUrl: 'https://ask.example.org/' });
    try {
      const bob = await behindProxy.register('Bob');
      const ask = (origin: string) => bob.send('POST', '/questions', { body: draft, headers: { origin } });
      expect((await ask('https://ask.example.org')).status).toBe(201);
      expect((await ask('https://ask.example.org.evil.example')).status).toBe(403);
      expect((await ask('http://ask.example.org')).status).toBe(403);
    } finally {
      await behindProxy.stop();
    }
  });

  test('is known by its scheme where a proxy speaks https and PUBLIC_URL is not set', async () => {
    const origin = own.replace('http:', 'https:');
    const headers = { origin, 'x-forwarded-proto': 'https' };
    expect((await ann.send('POST', '/questions', { body: draft, headers })).status).toBe(201);
    const plain = { ...headers, origin: own };
    expect((await ann.send('POST', '/questions', { body: draft, headers: plain })).status).toBe(403);
  });

  test.each(['cross-site', 'same-site'])('that names no origin is refused as %s', async (site) => {
    const headers = { 'sec-fetch-site': site };
    expect(await ann.send('POST', '/questions', { body: draft, headers })).toMatchObject({
      status: 403,
      code: 'foreign-origin',
    });
    expect((await ann.send('GET', '/feeds/recent', { headers })).status).toBe(200);
  });

  test.each(['same-origin', 'none'])('is no one that names no origin and is %s', async (site) => {
    const headers = { 'sec-fetch-site': site };
    expect((await ann.send('POST', '/questions', { body: draft, headers })).status).toBe(201);
  });
});

describe('the body of a request', () => {
  test.each([
    ['of a stated length', 'content-length: 1000', ' '],
    ['in pieces', 'transfer-encoding: chunked', '1\r\n \r\n'],
  ])('%s that comes byte by byte is cut off after its time', async (_, header, piece) => {
    const http = await startHttpServer((request) => void request.resume(), '127.0.0.1', 0, 1_000);
    const socket = connect(Number(new URL(http.address).port), '127.0.0.1');
    const answer = text(socket);
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`);
    // Far more than arrive within the time, and far fewer than until Node would look by itself.
    for (let sent = 0; sent < 150 && !socket.destroyed; sent++) {
      socket.write(piece);
      await delay(100);
    }
    expect(socket.destroyed).toBe(true);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    await http.stop(0);
  });

  test('of more than half a megabyte is refused', async () => {
    const body = JSON.stringify({ ...draft, content: 'x'.repeat(600 * 1024) });
    expect(await ann.send('POST', '/questions', { body })).toMatchObject({ status: 413, code: 'too-large' });
  });

  test('is refused as well where its length is told by nobody', async () => {
    expect(await sendInPieces('x'.repeat(64 * 1024), 20)).toBe(413);
  });

  test.each([
    ['cut off', '{"title": "How?", "con'],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '1e999'],
    ['nested a hundred thousand deep', '['.repeat(100_000)],
  ])('that is %s is refused', async (_, body) => {
    const refused = await ann.send('POST', '/questions', { body });
    expect(refused).toMatchObject({ status: 400, code: 'invalid' });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ])('of the type "%s" is refused', async (type) => {
    const refused = await ann.send('POST', '/questions', {
      body: JSON.stringify(draft),
      headers: { 'content-type': type },
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  });

  test('may name another character set than it is in, and nothing breaks', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect(
      (await ann.send('POST', '/questions', { body: JSON.stringify(draft), headers })).status,
    ).toBeLessThan(500);
  });
});

describe('an address of the API', () => {
  test.each(['/nothing', '/questions/1/nothing', '/', '//', '/%00', '/%ff', '/questions/%F0%9F'])(
    'that is none (%s) is not found',
    async (path) => {
      const refused = await ann.get(path);
      expect([400, 404]).toContain(refused.status);
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
    },
  );

  test.each([
    '/docs/../../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e%2f%2e%2e%2fpackage.json',
  ])('does not lead out of the reference (%s)', async (path) => {
    const { status, body } = await server.visitor().get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).not.toContain('dependencies');
  });

  test('answers for one member alone are kept by no cache', async () => {
    expect((await ann.get('/session')).headers.get('cache-control')).toBe('no-store');
    expect((await ann.get('/nothing')).headers.get('cache-control')).toBe('no-store');
  });
});

test('everything but registering, signing in and what a mail leads to needs a signed-in member', async () => {
  type Paths = { paths: Record<string, Record<string, unknown>> };
  const { paths } = (await server.visitor().get<Paths>('/openapi.json')).body;
  const open: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods)) {
      const address = path.replaceAll(/\{\w+\}/g, '1');
      const { status } = await server.visitor().send(method.toUpperCase(), address);
      if (status !== 401) open.push(`${method} ${path}`);
    }
  expect(open.toSorted()).toEqual([
    'delete /session',
    // How a forgotten password is reset.
    'get /password-resets',
    'get /session',
    'get /sign-in',
    // Their tokens say for whom they speak.
    'post /mail/address',
    'post /mail/confirmation',
    'post /mail/old-address',
    'post /mail/password',
    'post /mail/unsubscribe',
    'post /members',
    'post /password-resets',
    'post /session',
    'post /session/passkey',
    'post /session/passkey/options',
    'post /session/provider',
    'post /session/provider/link',
    'post /session/provider/return',
    'post /session/second-factor',
  ]);
});

/** With `transfer-encoding: chunked`; gives the status. */
function sendInPieces(piece: string, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { 'content-type': 'application/json', cookie };
    const sending = request(`${server.address}/api/questions`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sending.destroy();
    });
    // The server may answer and hang up before all is sent.
    sending.on('error', (error) => {
      if (!('code' in error) || !['EPIPE', 'ECONNRESET'].includes(String(error.code))) reject(error);
    });
    for (let sent = 0; sent < count; sent++) sending.write(piece);
    sending.end();
  });
}
