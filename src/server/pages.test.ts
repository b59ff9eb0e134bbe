import { projectRoot } from './core/paths.ts';
import { createRequestLimits } from './core/request-limits.ts';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOk, type Member } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { startTestServer } from '#tests/support/server.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { setRole } from './admin/roles.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { getPagePreloads, pageModules } from './page-preloads.ts';

await loadSentTexts();
const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-pages-'));
await mkdir(path.join(directory, 'assets'));
const manifest = {
  'index.html': { file: 'assets/index-1.js', assets: ['assets/inter-latin-wght-normal-1.woff2'] },
  'discovery/tags/TagsPage.tsx': {
    file: 'assets/tags-1.js',
    imports: ['index.html', '_shared.js'],
    css: ['assets/tags-1.css'],
  },
  '_shared.js': { file: 'assets/shared-1.js' },
  'languages/de.po': { file: 'assets/de-1.js' },
};
await writeFile(
  path.join(directory, 'index.html'),
  '<!doctype html><html lang="en"><head><title>Parley</title></head><body><div id="root"></div><noscript>No scripts.</noscript></body></html>',
);
await writeFile(path.join(directory, 'pages.json'), JSON.stringify(manifest));
await writeFile(path.join(directory, 'service-worker.js'), 'self.registration;');
await writeFile(path.join(directory, 'manifest.webmanifest'), '{"name":"Parley"}');
await writeFile(path.join(directory, 'assets/index-1.js'), 'export {};');
await writeFile(path.join(directory, 'assets/tags-1.css'), 'h1{color:#123456}');
await writeFile(path.join(directory, 'theme.js'), 'setTheme();');
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
      const path = questionPath(id, 'Who sees what?');
      const answers = carried(await (await open(member, `${path}?sort=oldest`)).text());
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
    const html = await (await open(ada, questionPath(id, title))).text();
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

  test('contains its styles, loads its scripts, fonts and messages at once, and is compressed', async () => {
    const ada = await server.register('Ada Early');
    const page = await open(ada, '/topics', {
      'accept-language': 'de-AT,en;q=0.5',
      'accept-encoding': 'br',
    });
    expect(page.headers.get('content-encoding')).toBe('br');
    const html = await page.text();
    expect(html).toContain('<html lang="de" dir="ltr">');
    expect(html).toContain('<noscript>Diese Seite braucht JavaScript in deinem Browser.</noscript>');
    expect(html).toContain('<script>setTheme();</script><style>h1{color:#123456}</style>');
    expect(
      [...html.matchAll(/<link rel="(\w+)"[^>]*? (disabled )?href="([^"]+)"/gu)].map((match) =>
        match.slice(1),
      ),
    ).toEqual([
      ['preload', undefined, '/assets/inter-latin-wght-normal-1.woff2'],
      ['stylesheet', 'disabled ', '/assets/tags-1.css'],
      ['modulepreload', undefined, '/assets/tags-1.js'],
      ['modulepreload', undefined, '/assets/shared-1.js'],
      ['modulepreload', undefined, '/assets/de-1.js'],
    ]);
    const english = await (await open(ada, '/', { 'accept-language': 'en-GB,de;q=0.9' })).text();
    expect(english).not.toContain('modulepreload');
    const chosen = await open(ada, '/', { cookie: `${cookieOf(ada)}; language=de` });
    expect(await chosen.text()).toContain('<html lang="de" dir="ltr">');
  });

  test('has the answers in the order that was chosen in the browser', async () => {
    const ada = await server.register('Ada Ordered');
    const id = await ada.ask({ title: 'Which order?' });
    const page = await open(ada, questionPath(id, 'Which order?'), {
      cookie: `${cookieOf(ada)}; answer-sort=oldest`,
    });
    expect([...carried(await page.text()).keys()]).toContain(`/api/questions/${id}?sort=oldest`);
  });

  test('has the title of what it shows in its head, and the rest with public reading', async () => {
    const ada = await server.register('Ada Headed');
    const id = await ada.ask({ title: 'Who reads <head>?' });
    const path = questionPath(id, 'Who reads <head>?');
    const html = await (await open(ada, path)).text();
    expect(html.match(/<title>.*<\/title>/gu)).toEqual(['<title>Who reads &lt;head&gt;? · Parley</title>']);
    expect(html).not.toMatch(/canonical|og:title|ld\+json/u);
    await setSiteSetting(server.db, 'publicReading', true);
    await eventually(async () => (await (await open(ada, path)).text()).includes('rel="canonical"'));
    await setSiteSetting(server.db, 'publicReading', false);
    await eventually(async () => !(await (await open(ada, path)).text()).includes('rel="canonical"'));
  });

  test('names scripts that exist', async () => {
    const isThere = (program: string) => existsSync(path.join(projectRoot, 'src/web', program));
    expect(pageModules.filter((program) => !isThere(program))).toEqual([]);
  });
});

test('counts the searches of pages of visitors like those of the API', async () => {
  await setSiteSetting(server.db, 'publicReading', true);
  const node = await server.startSecondNode({ requestLimits: createRequestLimits(() => 0) });
  try {
    const open = async (address: string) => {
      const response = await get(address, node.address);
      await response.arrayBuffer();
      return response.status;
    };
    expect(await open('/api/search?q=word')).toBe(200);
    // The limit is 120.
    await Promise.all(Array.from({ length: 120 }, (_, n) => open(`/search?q=word${n}`)));
    expect(await open('/api/search?q=word')).toBe(429);
    expect(await open('/api/feeds/recent')).toBe(200);
    // The limit of all requests is 3,000. Files of pictures count too.
    const picture = `/uploads/${'a'.repeat(32)}.webp`;
    const statuses = [];
    for (let from = 0; from < 3_000; from += 100)
      statuses.push(...(await Promise.all(Array.from({ length: 100 }, () => open(picture)))));
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
  } finally {
    await node.stop();
    await setSiteSetting(server.db, 'publicReading', false);
    await server.siteSettings.refresh();
  }
});

test('stores no page of visitors whose content could not be rendered', async () => {
  const build = await mkdtemp(path.join(os.tmpdir(), 'parley-build-'));
  await cp(directory, path.join(build, 'web'), { recursive: true });
  await mkdir(path.join(build, 'render'));
  await writeFile(path.join(build, 'render/package.json'), '{"type":"module"}');
  // Fails once, as a rendering that takes too long.
  await writeFile(
    path.join(build, 'render/render-page.js'),
    `let isFirst = true;
    export function renderPage() {
      if (!isFirst) return '<main>Rendered</main>';
      isFirst = false;
      throw new Error('interrupted');
    }`,
  );
  const rendering = await startTestServer({}, undefined, path.join(build, 'web'));
  try {
    await setSiteSetting(rendering.db, 'publicReading', true);
    await rendering.siteSettings.refresh();
    const open = async () => {
      const response = await get('/', rendering.address);
      const html = await response.text();
      const { status, headers } = response;
      return {
        status,
        cacheControl: headers.get('cache-control'),
        etag: headers.get('etag'),
        isRendered: html.includes('<main>Rendered</main>'),
      };
    };
    const empty = { status: 200, cacheControl: 'no-store', etag: null, isRendered: false };
    expect(await open()).toEqual(empty);
    // Some seconds pass until it is tried again.
    expect(await open()).toEqual(empty);
    await eventually(async () => (await open()).isRendered);
    expect(await open()).toEqual({
      status: 200,
      cacheControl: expect.stringContaining('public'),
      etag: expect.any(String),
      isRendered: true,
    });
  } finally {
    await rendering.stop();
    await rm(build, { recursive: true });
  }
});

describe('the address of a page', () => {
  const open = async (path: string, member: Member | null = ann, language = 'en') => {
    const cookie = member === null ? '' : [...member.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(server.address + path, {
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        'sec-fetch-dest': 'document',
        'accept-language': language,
      },
    });
    return {
      status: response.status,
      location: response.headers.get('location'),
      body: await response.text(),
    };
  };
  let ann: Member;
  beforeAll(async () => {
    ann = await server.register('Ann Addressed');
  });

  test('of a question has its readable title; other addresses of it redirect there, with their query', async () => {
    for (const title of [
      'Why does metal feel colder?',
      '水は何度で沸騰しますか？',
      'كيف أتعلم البرمجة؟',
      '🤔 ?!',
    ]) {
      const id = await ann.ask({ title });
      const path = questionPath(id, title);
      expect((await open(`${path}?sort=oldest`)).status).toBe(200);
      const others = [`/question/${id}/`, `/question/${id}/wrong`, `/question/${id}/%E0%A4%A`];
      for (const other of path === `/question/${id}` ? others : [`/question/${id}`, `${path}/`, ...others])
        expect(await open(`${other}?sort=oldest`)).toMatchObject({
          status: 301,
          location: `${path}?sort=oldest`,
        });
    }
  });

  test('of a question that names no beginning of its answers redirects to the first ones', async () => {
    const path = questionPath(await ann.ask({ title: 'Where do they begin?' }), 'Where do they begin?');
    expect(await open(`${path}?sort=oldest&after=garbage`)).toMatchObject({
      status: 301,
      location: `${path}?sort=oldest`,
    });
    expect((await open(`${path}?after=garbage`)).location).toBe(path);
    expect((await open('/question/999999999?after=garbage')).location).toBe('/question/999999999');
  });

  test('of a question follows its title', async () => {
    const id = await ann.ask({ title: 'The first title' });
    await ann.put(`/questions/${id}`, { title: 'A second title', content: 'x', tags: [] });
    expect((await open(`/question/${id}/the-first-title`)).location).toBe(`/question/${id}/a-second-title`);
    expect((await open(`/question/${id}/a-second-title`)).status).toBe(200);
  });

  test('of a synonym redirects to its tag', async () => {
    await ann.ask({ tags: ['Node.js 30'] });
    const moderator = await server.register('Maud Renaming');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    expectOk(await moderator.put('/moderation/tags/node.js%2030/synonyms/node%2030'));
    const response = await open('/topics/NODE%2030?after=x');
    expect([response.status, response.location]).toEqual([301, '/topics/Node.js%2030?after=x']);
    expect((await open('/topics/node.js%2030')).status).toBe(200);
  });

  test('in an archive of the community redirects to its page; of hidden posts and other numbers there is none', async () => {
    const id = await ann.ask({ title: 'Archived' });
    const answer = await ann.answer(id);
    const reply = await ann.replyToAnswer(answer.id);
    const hidden = await ann.answer(id);
    const moderator = await server.register('Maud Archiving');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    expectOk(await actOnPost(moderator, 'hide', 'answer', hidden.id));
    const locations = {
      [`/questions/${2 * id}`]: `/question/${id}`,
      [`/a/${2 * answer.id + 1}`]: `/question/${id}#answer-${answer.id}`,
      [`/posts/comments/${reply.id}`]: `/question/${id}#reply-${reply.id}`,
      [`/users/${ann.id}`]: `/profile/${ann.id}`,
      '/tags/c%23/info': '/topics/c%23',
      [`/questions/${2 * id + 1}`]: null,
      [`/a/${2 * answer.id}`]: null,
      [`/a/${2 * hidden.id + 1}`]: null,
      '/a/987654321': null,
      '/posts/comments/987654321': null,
      '/tags/c%23': null,
    };
    for (const [path, location] of Object.entries(locations))
      expect({ path, ...(await open(path)), body: '' }).toEqual({
        path,
        status: location === null ? 404 : 301,
        location,
        body: '',
      });
  });

  test('that has no page is not found, and the page of a deleted question is gone', async () => {
    const [deleted, hidden] = [await ann.ask({ tags: ['metal'] }), await ann.ask()];
    await ann.ask({ tags: ['metal'] });
    await ann.remove('questions', deleted);
    const moderator = await server.register('Maud Addressed');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
    const statuses = {
      [`/question/${deleted}`]: 410,
      [`/question/${deleted}/any-title`]: 410,
      [`/question/${hidden}`]: 404,
      '/question/987654321': 404,
      '/question/0': 404,
      '/question/abc': 404,
      '/question/1/a/b': 404,
      '/topics/metal': 200,
      '/topics/unknown': 404,
      '/topics/%00': 404,
      '/topics/%E0%A4%A': 404,
      [`/profile/${ann.id}`]: 200,
      '/profile/987654321': 404,
      '/profile/x': 404,
      '/profile/%E0%A4%A': 404,
      '/moderation/tags/%E0%A4%A': 404,
      '/unsubscribe/%E0%A4%A': 404,
      '/confirm-email/%E0%A4%A': 404,
      '/profile': 200,
      '/settings?tab=account': 200,
      '/moderation/log': 200,
      '/no/such/page': 404,
    };
    const found: Record<string, number> = {};
    for (const path of Object.keys(statuses)) found[path] = (await open(path)).status;
    expect(found).toEqual(statuses);
    expect((await open('/question/987654321')).body).toContain('/api/session');
  });

  test('that has no page has the title that the web app shows', async () => {
    for (const [path, english, german] of [
      ['/question/987654321', 'Question not found', 'Frage nicht gefunden'],
      ['/question/abc', 'Question not found', 'Frage nicht gefunden'],
      ['/question/1/a/b', 'Page not found', 'Seite nicht gefunden'],
      ['/topics/unknown', 'Topic not found', 'Thema nicht gefunden'],
      ['/topics/%E0%A4%A', 'Page not found', 'Seite nicht gefunden'],
      ['/profile/x', 'User not found', 'Mitglied nicht gefunden'],
      ['/about', 'Page not found', 'Seite nicht gefunden'],
      ['/no/such/page', 'Page not found', 'Seite nicht gefunden'],
    ] as const) {
      expect((await open(path)).body).toContain(`<title>${english} · Parley</title>`);
      expect((await open(path, ann, 'de')).body).toContain(`<title>${german} · Parley</title>`);
    }
  });

  test('of a sign-in page contains what its form needs, and no data of the community', async () => {
    for (const [address, api] of [
      ['/login', '/api/setup'],
      ['/register', '/api/sign-in'],
      ['/forgot-password', '/api/password-resets'],
    ] as const) {
      const html = await (await get(address)).text();
      const addresses = [...html.matchAll(/data-response="([^"]*)"/gu)].map(([, each]) => each);
      expect(addresses).toContain(api);
      expect(
        addresses.filter((each) => !/^\/api\/(session|sign-in|setup|password-resets)$/u.test(each ?? '')),
      ).toEqual([]);
      expect(html).toContain('"member":null');
    }
  });

  test('of a sign-in page is stored by no cache, so that it shows a change at once', async () => {
    expect((await get('/login')).headers.get('cache-control')).toBe('no-store');
    for (const value of ['Shared hobbies', 'Shared crafts']) {
      await setSiteSetting(server.db, 'siteName', value);
      expect(await (await get('/login')).text()).toContain(value);
    }
    await setSiteSetting(server.db, 'siteName', 'Parley');
  });

  test('of a sign-in page is rendered once for every page to open next, except the ask form', () => {
    const renderedAs = (address: string) => getPagePreloads(new URL(address, 'http://localhost')).path;
    expect(renderedAs('/login')).toBe('/login');
    expect(renderedAs('/login?next=%2Fquestion%2F7')).toBe('/login');
    expect(renderedAs('/register?next=%2Fask%3Ftitle%3DKnots')).toBe('/register?next=%2Fask');
  });

  test('of a link in an email or of the set-up does not contain its token, and is stored by no cache', async () => {
    const token = 'a-secret-token';
    for (const address of [
      '/setup',
      '/reset-password',
      '/change-email',
      '/revert-email',
      `/unsubscribe/${token}`,
      `/confirm-email/${token}`,
    ]) {
      const response = await get(address);
      const html = await response.text();
      expect([address, html.includes('"member":null'), html.includes(token)]).toEqual([address, true, false]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
      expect(response.headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  test('tells visitors nothing', async () => {
    const id = await ann.ask();
    const bare = await open('/', null);
    expect(bare).toMatchObject({ status: 200, location: null });
    for (const path of [`/question/${id}`, '/question/987654321', `/profile/${ann.id}`, '/no/such/page'])
      expect(await open(path, null)).toEqual(bare);
  });

  test('is one of those that the router of the web app knows', async () => {
    const routes = await readFile(path.join(projectRoot, 'src/web/app/routes.ts'), 'utf8');
    const written = /\bpath: '([^']*)'|\b(?:staff|member)Route\(\s*'([^']*)'/gu;
    const paths = [...routes.matchAll(written)].map(([, path, argument]) => path ?? argument ?? '');
    expect(paths.length).toBeGreaterThan(40);
    for (const each of paths.filter((found) => found !== '*')) {
      const page = each.replaceAll(/:\w+\??/gu, '7');
      expect([page, getPagePreloads(new URL(page, 'http://localhost')).isUnknown]).toEqual([page, undefined]);
    }
  });
});
