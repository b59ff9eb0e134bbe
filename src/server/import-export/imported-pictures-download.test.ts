import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowPublicAddresses } from '#server/core/public-addresses.ts';
import { createDownload } from './imported-pictures-download.ts';
import { findPictureAddresses, replacePictures } from './imported-pictures-markdown.ts';

describe('an address is allowed', () => {
  const isAllowed = allowPublicAddresses();
  test.each(['1.1.1.1', '172.32.0.1', '192.0.1.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
    'on the public internet: %s',
    (address) => expect(isAllowed(address)).toBe(true),
  );
  const others =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 ' +
    ':: ::1 fe80::1 fd00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 2001::1';
  test.each(others.split(' '))('not in private and special networks: %s', (address) =>
    expect(isAllowed(address)).toBe(false),
  );

  test('that the operator allows, alone or in a range', () => {
    const some = allowPublicAddresses(['127.0.0.1', '10.1.0.0/16', 'fd00::/8']);
    expect(['127.0.0.1', '127.0.0.2', '10.1.9.9', '10.2.0.0', 'fd12::1', '::1', '1.1.1.1'].map(some)).toEqual(
      [true, false, true, false, true, false, true],
    );
    for (const wrong of ['localhost', '10.0.0.0/33', '10.0.0.1/x', ''])
      expect(() => allowPublicAddresses([wrong])).toThrow('is not an IP address');
  });
});

describe('a download', () => {
  let site = '';
  const requests: string[] = [];
  const responses: Record<string, RequestListener> = {
    '/picture': (_, response) => response.setHeader('content-type', 'image/png').end('bytes'),
    '/redirect': (_, response) => response.writeHead(302, { location: 'picture' }).end(),
    '/loop': (_, response) => response.writeHead(301, { location: '/loop' }).end(),
    '/to-private': (request, response) =>
      response.writeHead(307, { location: `http://127.0.0.2:${request.socket.localPort}/picture` }).end(),
    '/to-name': (request, response) =>
      response.writeHead(302, { location: `http://localhost:${request.socket.localPort}/picture` }).end(),
    '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/to-invalid': (_, response) => response.writeHead(302, { location: 'http://[' }).end(),
    '/missing': (_, response) => response.writeHead(404).end('Not found'),
    '/busy': (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
    '/page': (_, response) => response.setHeader('content-type', 'text/html').end('<p>Sign in</p>'),
    '/large': (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': 10_001 }).flushHeaders(),
    '/endless': (_, response) => {
      response.setHeader('content-type', 'image/png');
      const write = () =>
        !response.destroyed && response.write(Buffer.alloc(4_000), () => setImmediate(write));
      write();
    },
    '/slow': (_, response) => {
      response.setHeader('content-type', 'image/png');
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    '/silent': () => {},
    '/broken': (request) => request.socket.destroy(),
  };
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    responses[request.url ?? '']?.(request, response);
  });
  beforeAll(async () => {
    await once(server.listen(0, '0.0.0.0'), 'listening');
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const within = { bytes: 10_000, ms: 500, redirects: 3 };
  const fetchFrom = (address: string, allowed = ['127.0.0.1']) =>
    createDownload(allowPublicAddresses(allowed), within)(address, new AbortController().signal);

  test('returns the bytes, also after redirects', async () => {
    for (const path of ['/picture', '/redirect'])
      expect(Buffer.from(await fetchFrom(site + path)).toString()).toBe('bytes');
  });

  test('uses the connection of the download before', async () => {
    const ports = new Set<number | undefined>();
    const remember = (request: IncomingMessage) => ports.add(request.socket.remotePort);
    server.on('request', remember);
    const download = createDownload(allowPublicAddresses(['127.0.0.1']), within);
    for (let count = 0; count < 3; count++) await download(`${site}/picture`, new AbortController().signal);
    server.off('request', remember);
    expect(ports.size).toBe(1);
  });

  test('never connects to a private address, as such, by name, or after a redirect', async () => {
    const { port } = new URL(site);
    const before = requests.length;
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
      await expect(fetchFrom(`http://${host}:${port}/picture`, [])).rejects.toMatchObject({
        kind: 'refused',
        message: 'not on the public internet (see --allow-address)',
      });
    expect(requests.length).toBe(before);
    await expect(fetchFrom(`${site}/to-private`)).rejects.toMatchObject({ kind: 'refused' });
    expect(requests.slice(before)).toEqual(['/to-private']);
    // The name is resolved to an allowed address and perhaps to ::1, which is not.
    expect(Buffer.from(await fetchFrom(`${site}/to-name`)).toString()).toBe('bytes');
  });

  test.each([
    ['/to-file', 'refused', 'neither http nor https'],
    ['/to-invalid', 'failed', 'redirected to an invalid address'],
    ['/loop', 'failed', 'more than 3 redirects'],
    ['/missing', 'failed', 'the server responded 404'],
    ['/page', 'refused', 'not a picture, according to the server'],
    ['/large', 'refused', 'larger than 0.01 MB'],
    ['/endless', 'refused', 'larger than 0.01 MB'],
    ['/slow', 'unreachable', 'not received within 0.5 s'],
    ['/silent', 'unreachable', 'not received within 0.5 s'],
    ['/broken', 'unreachable', 'the host closed the connection'],
  ])('of %s is %s: %s', async (path, kind, message) => {
    await expect(fetchFrom(site + path)).rejects.toMatchObject({ kind, message });
  });

  test('reports when a busy server accepts requests again', async () => {
    await expect(fetchFrom(`${site}/busy`)).rejects.toMatchObject({ kind: 'failed', retryAfterMs: 7_000 });
  });

  test('of an unknown host fails, and one that is aborted ends at once', async () => {
    await expect(fetchFrom('http://nothing.invalid/a.png')).rejects.toMatchObject({
      message: 'unknown host',
    });
    const ending = new AbortController();
    const download = createDownload(allowPublicAddresses(['127.0.0.1']));
    const aborted = download(`${site}/slow`, ending.signal);
    setTimeout(() => ending.abort(new Error('Interrupted')), 50);
    await expect(aborted).rejects.toThrow('Interrupted');
  });
});

describe('pictures in a text', () => {
  const address = 'https://i.example/a.png';
  const path = '/uploads/AAAAAAAAAAAAAAAAAAAAAA/3x2.webp';
  const paths = new Map([[address, path]]);
  test.each([
    [`![a](${address})`, `![a](${path})`],
    [`![a](//i.example/a.png "Title") b`, `![a](${path}) b`],
    [`![a *b* \\] c][1]\n\n[1]: ${address}`, `![a b \\] c](${path})\n\n[1]: ${address}`],
    [`[![a][1]][1]\n\n  [1]: ${address}`, `![a](${path})\n\n  [1]: ${address}`],
    [`[![a](${address})](${address})`, `![a](${path})`],
    [`[![a](${address})](https://b.example)`, `[![a](${path})](https://b.example)`],
    [`[a](${address}) \`![a](${address})\``, null],
    [`![a](https://i.example/b.png) ![](${address})`, `![a](https://i.example/b.png) ![](${path})`],
    [`    ![a](${address})`, null],
    [`![a](ftp://i.example/a.png) ![b](/a.png) ![c](${path})`, null],
  ])('%j', (text, expected) => expect(replacePictures(text, paths)).toBe(expected ?? text));

  test('are found once each, without fragments', () => {
    const text = `![a](${address}#b) ![a](${address}) ![c](http://c.example/d e.png) ![e](<http://c.example/f g>)`;
    expect(findPictureAddresses(text)).toEqual([address, 'http://c.example/f%20g']);
  });
});
