import { projectRoot } from './core/paths.ts';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { pageModules } from './page-preloads.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-pages-'));
await mkdir(path.join(directory, 'assets'));
const manifest = {
  'index.html': { file: 'assets/index-1.js', assets: ['assets/inter-latin-wght-normal-1.woff2'] },
  'app/question-page/QuestionPage.tsx': {
    file: 'assets/question-1.js',
    imports: ['index.html', '_shared.js'],
    css: ['assets/question-1.css'],
  },
  '_shared.js': { file: 'assets/shared-1.js' },
  'languages/de.po': { file: 'assets/de-1.js' },
};
await writeFile(
  path.join(directory, 'index.html'),
  '<!doctype html><head><title>Parley</title></head><body></body>',
);
await writeFile(path.join(directory, 'pages.json'), JSON.stringify(manifest));
await writeFile(path.join(directory, 'service-worker.js'), 'self.registration;');
await writeFile(path.join(directory, 'manifest.webmanifest'), '{"name":"Parley"}');
await writeFile(path.join(directory, 'assets/index-1.js'), 'export {};');
const server = await startTestServer({}, undefined, directory);
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

const get = (address: string, at = server.address) => fetch(at + address);

test.each([
  ['/', 'text/html'],
  ['/question/1', 'text/html'],
  ['/ask?title=Shared&url=https%3A%2F%2Fexample.org', 'text/html'],
  ['/service-worker.js', 'text/javascript'],
  ['/manifest.webmanifest', 'application/manifest+json'],
])('revalidates %s at every visit', async (address, type) => {
  const response = await get(address);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-type')).toContain(type);
});

test('refuses crawlers, since only members can read', async () => {
  const response = await get('/robots.txt');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toBe('User-agent: *\nDisallow: /\n');
});

test('lets a page run the service worker and read the manifest of its own server only', async () => {
  const policy = (await get('/')).headers.get('content-security-policy');
  expect(policy).toContain("worker-src 'self'");
  expect(policy).toContain("manifest-src 'self'");
  expect(policy).toContain("script-src 'self';");
});

test('lets the operator remove the service worker from all browsers', async () => {
  expect(await (await get('/service-worker.js')).text()).toBe('self.registration;');
  const without = await server.startSecondNode({ hasServiceWorker: false });
  const response = await get('/service-worker.js', without.address);
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(await response.text()).toContain('registration.unregister()');
  await without.stop();
});

describe('the page a member opens', () => {
  /** Opens a page like a browser window with the member's cookies. */
  const open = (member: Member | null, address: string, headers: Record<string, string> = {}) =>
    fetch(server.address + address, {
      headers: { ...(member && { cookie: cookieOf(member) }), 'sec-fetch-dest': 'document', ...headers },
    });
  const cookieOf = (member: Member) => [...member.cookies].map((pair) => pair.join('=')).join('; ');
  const carried = (html: string) =>
    new Map(
      [
        ...html.matchAll(/<script type="application\/json" data-response="([^"]*)"[^>]*>(.*?)<\/script>/gsu),
      ].map(([, address = '', body = '']) => [address.replaceAll('&amp;', '&'), JSON.parse(body) as unknown]),
    );

  test('contains the first API responses of the member, equal to those of the API', async () => {
    const [ada, ben] = [await server.register('Ada Carried'), await server.register('Ben Carried')];
    const id = await ada.ask({ title: 'Who sees what?' });
    await ben.put(`/questions/${id}/vote`, { vote: 'up' });
    for (const member of [ada, ben]) {
      const answers = carried(await (await open(member, `/question/${id}?sort=oldest`)).text());
      expect([...answers.keys()]).toEqual([
        '/api/session',
        '/api/notifications',
        `/api/questions/${id}?sort=oldest`,
        `/api/viewer/questions/${id}?sort=oldest`,
      ]);
      for (const [address, body] of answers)
        expect(body).toEqual((await member.get(address.slice('/api'.length))).body);
    }
  });

  test('escapes texts, whatever they contain', async () => {
    const ada = await server.register('Ada </script><script>alert(1)</script>');
    const title = '</script><script>alert("\u2028")</script><!-- $& $` \u2029 end';
    const id = await ada.ask({ title });
    const html = await (await open(ada, `/question/${id}`)).text();
    expect(html).not.toContain('alert(1)</script>');
    expect(html).not.toMatch(/[\u2028\u2029]/u);
    expect(carried(html).get(`/api/questions/${id}?sort=newest`)).toMatchObject({ question: { title } });
  });

  test("is not cached, and contains no member's data for visitors and for requests that are not navigations", async () => {
    const ada = await server.register('Ada Kept');
    const own = await open(ada, '/');
    expect(own.headers.get('cache-control')).toBe('no-store');
    expect(own.headers.get('vary')).toMatch(/cookie/iu);
    expect(await own.text()).toContain('Ada Kept');
    const bare = await (await get('/')).text();
    const others = [
      await open(null, '/'),
      await open(null, '/', { cookie: cookieOf(ada).replaceAll(/=[^;]+/gu, '=forged') }),
      await open(ada, '/', { 'sec-fetch-dest': 'empty' }),
      await open(ada, '/index.html'),
    ];
    for (const other of others) {
      expect(other.headers.get('cache-control')).toBe('no-cache');
      expect(await other.text()).toBe(bare);
    }
    await ada.delete('/session');
    expect(await (await open(ada, '/')).text()).toBe(bare);
  });

  test('has early hints for scripts, styles, fonts and messages, and is compressed', async () => {
    const ada = await server.register('Ada Early');
    const page = await open(ada, '/question/1', {
      'accept-language': 'de-AT,en;q=0.5',
      'accept-encoding': 'br',
    });
    expect(page.headers.get('content-encoding')).toBe('br');
    const [head = ''] = (await page.text()).split('</head>');
    expect(
      [...head.matchAll(/<link rel="(\w+)"[^>]* href="([^"]+)"/gu)].map(([, rel, href]) => [rel, href]),
    ).toEqual([
      ['preload', '/assets/inter-latin-wght-normal-1.woff2'],
      ['modulepreload', '/assets/question-1.js'],
      ['modulepreload', '/assets/shared-1.js'],
      ['modulepreload', '/assets/de-1.js'],
      ['stylesheet', '/assets/question-1.css'],
    ]);
    const english = await (await open(ada, '/', { 'accept-language': 'en-GB,de;q=0.9' })).text();
    expect(english).not.toContain('modulepreload');
  });

  test('names scripts that exist', async () => {
    const isThere = (program: string) => existsSync(path.join(projectRoot, 'src/web', program));
    expect(pageModules.filter((program) => !isThere(program))).toEqual([]);
  });
});
