import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
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

describe('same-origin check', () => {
  const own = new URL(server.address).origin;

  test.each([
    'https://evil.example',
    'http://127.0.0.1',
    'http://localhost:1',
    'null',
    'nonsense',
    `${own}.evil.example`,
    own.replace('http:', 'https:'),
  ])('refuses every change with the origin %s', async (origin) => {
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
        kind: 'foreign-origin',
      });
    expect((await ann.me()).questionsCount).toBe(before + 1);
  });

  test('refuses a sign-in from another site', async () => {
    const headers = { origin: 'https://evil.example' };
    const body = { email: ann.email, password };
    const refused = await server.visitor().send('POST', '/session', { body, headers });
    expect(refused).toMatchObject({ status: 403, kind: 'foreign-origin' });
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  test('accepts the own site and requests without an origin', async () => {
    expect((await ann.send('POST', '/questions', { body: draft, headers: { origin: own } })).status).toBe(
      201,
    );
    expect((await ann.send('POST', '/questions', { body: draft })).status).toBe(201);
  });

  test('compares with PUBLIC_URL when a proxy hides the host', async () => {
    const behindProxy = await server.startSecondNode({ publicUrl: 'https://ask.example.org/' });
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

  test('uses the scheme reported by a proxy when PUBLIC_URL is not set', async () => {
    const origin = own.replace('http:', 'https:');
    const headers = { origin, 'x-forwarded-proto': 'https' };
    expect((await ann.send('POST', '/questions', { body: draft, headers })).status).toBe(201);
    const plain = { ...headers, origin: own };
    expect((await ann.send('POST', '/questions', { body: draft, headers: plain })).status).toBe(403);
  });

  test.each(['cross-site', 'same-site'])(
    'refuses a request without an origin and with Sec-Fetch-Site %s',
    async (site) => {
      const headers = { 'sec-fetch-site': site };
      expect(await ann.send('POST', '/questions', { body: draft, headers })).toMatchObject({
        status: 403,
        kind: 'foreign-origin',
      });
      expect((await ann.send('GET', '/feeds/recent', { headers })).status).toBe(200);
    },
  );

  test.each(['same-origin', 'none'])(
    'accepts a request without an origin and with Sec-Fetch-Site %s',
    async (site) => {
      const headers = { 'sec-fetch-site': site };
      expect((await ann.send('POST', '/questions', { body: draft, headers })).status).toBe(201);
    },
  );
});

describe('a request body', () => {
  test.each([
    ['with a stated length', 'content-length: 1000', ' '],
    ['in chunks', 'transfer-encoding: chunked', '1\r\n \r\n'],
  ])('is cut off after the timeout when it arrives byte by byte %s', async (_, header, piece) => {
    const http = await startHttpServer((request) => void request.resume(), '127.0.0.1', 0, 1_000);
    const socket = connect(Number(new URL(http.address).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => (received += String(text)));
    // A byte that is sent after the server has closed the connection resets it.
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n`);
    // More bytes than can arrive before the timeout, and fewer than until Node's default check.
    for (let sent = 0; sent < 150 && !socket.destroyed; sent++) {
      socket.write(piece);
      await delay(100);
    }
    expect(socket.destroyed).toBe(true);
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    await http.stop(0);
  });

  test('is refused above half a megabyte', async () => {
    const body = JSON.stringify({ ...draft, content: 'x'.repeat(600 * 1024) });
    expect(await ann.send('POST', '/questions', { body })).toMatchObject({ status: 413, kind: 'too-large' });
  });

  test.each(['GET', 'HEAD'])('of a %s that is too long closes the connection', async (method) => {
    const sent = request(`${server.address}/api/session`, { method, headers: { 'content-length': 700_000 } });
    sent.on('error', () => {});
    sent.flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    sent.destroy();
    expect(response).toMatchObject({ statusCode: 413, headers: { connection: 'close' } });
  });

  // nginx takes a connection that is closed while it sends for a failure of the node, and stops using the node.
  test.each(['/api/session', '/api/uploads'])(
    'of a POST to %s whose stated length is too long leaves the connection open',
    async (path) => {
      const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
      const responses = text(socket);
      const length = path === '/api/uploads' ? 10_100_000 : 700_000;
      const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\ncontent-length: ${length}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(length));
      socket.write('GET /robots.txt HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      expect((await responses).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    },
  );

  test('is refused above half a megabyte without a stated length', async () => {
    expect(await sendInPieces('x'.repeat(64 * 1024), 20)).toBe(413);
  });

  test.each([
    ['cut off', '{"title": "How?", "con'],
    ['empty', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '1e999'],
    ['nested a hundred thousand deep', '['.repeat(100_000)],
  ])('is refused when it is %s', async (_, body) => {
    const refused = await ann.send('POST', '/questions', { body });
    expect(refused).toMatchObject({ status: 400, kind: 'invalid' });
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ])('is refused with the type "%s"', async (type) => {
    const refused = await ann.send('POST', '/questions', {
      body: JSON.stringify(draft),
      headers: { 'content-type': type },
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  });

  test('may state a wrong character set without an error', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect(
      (await ann.send('POST', '/questions', { body: JSON.stringify(draft), headers })).status,
    ).toBeLessThan(500);
  });
});

describe('an API URL', () => {
  test.each(['/nothing', '/questions/1/nothing', '/', '//', '/%00', '/%ff', '/questions/%F0%9F'])(
    'responds 404 to the unknown path %s',
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
  ])('does not serve files outside the API reference (%s)', async (path) => {
    const { status, body } = await server.visitor().get(path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).not.toContain('dependencies');
  });

  test('forbids caching of responses for one member', async () => {
    expect((await ann.get('/session')).headers.get('cache-control')).toBe('no-store');
    expect((await ann.get('/nothing')).headers.get('cache-control')).toBe('no-store');
  });
});

test('requires a session everywhere except for registration, sign-in, set-up and links in emails', async () => {
  type Paths = { paths: Record<string, Record<string, { security: object[] }>> };
  const { paths } = (await server.visitor().get<Paths>('/openapi.json')).body;
  const open: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security }] of Object.entries(methods)) {
      const address = path.replaceAll(/\{\w+\}/g, '1');
      const { status } = await server.visitor().send(method.toUpperCase(), address);
      if (status !== 401) open.push(`${method} ${path}`);
      const needsSession = security.some((each) => 'session' in each);
      expect(`${method} ${path} ${needsSession}`).toBe(`${method} ${path} ${status === 401}`);
    }
  expect(open.toSorted()).toEqual([
    'delete /session',
    // Password reset.
    'get /password-resets',
    'get /session',
    // Before the first admin exists, with the link that the server prints.
    'get /setup',
    'get /sign-in',
    // Texts for everyone.
    'get /site-pages/{name}',
    // Their tokens identify the member.
    'post /email/change',
    'post /email/confirmation',
    'post /email/password-reset',
    'post /email/revert',
    'post /email/unsubscribe',
    // Its token is the right to read who invites.
    'post /invitation',
    'post /members',
    'post /password-resets',
    // Its secret belongs to the mail provider.
    'post /received-emails',
    'post /session',
    'post /session/passkey',
    'post /session/passkey/options',
    'post /session/provider',
    'post /session/provider/callback',
    'post /session/provider/link',
    'post /session/provider/registration',
    'post /session/two-factor',
    'post /setup',
  ]);
});

/** Sends the body with `transfer-encoding: chunked`. Returns the status. */
function sendInPieces(piece: string, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { 'content-type': 'application/json', cookie };
    const sending = request(`${server.address}/api/questions`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sending.destroy();
    });
    // The server may respond and close the connection before everything is sent.
    sending.on('error', (error) => {
      if (!('code' in error) || !['EPIPE', 'ECONNRESET'].includes(String(error.code))) reject(error);
    });
    for (let sent = 0; sent < count; sent++) sending.write(piece);
    sending.end();
  });
}
