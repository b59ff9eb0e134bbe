import { setTimeout } from 'node:timers/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProblemError } from '#server/core/errors.ts';
import { createRequestLimits } from '#server/core/request-limits.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { setRole } from '#server/admin/roles.ts';
import { Program, programOf } from '#tests/support/api-tokens.ts';
import { type CachingProxy, startCachingProxy } from '#tests/support/caching-proxy.ts';
import { eventually } from '#tests/support/eventually.ts';
import { ApiClient, expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { startTestServer } from '#tests/support/server.ts';

// Public reading (docs/product.md 1.8) and what a shared cache in front of Parley may store (docs/decisions/053).
const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-public-'));
await writeFile(
  path.join(directory, 'index.html'),
  '<!doctype html><html lang="en"><head></head><body><div id="root"></div></body></html>',
);
await writeFile(path.join(directory, 'theme.js'), 'setTheme();');
await writeFile(path.join(directory, 'pages.json'), '{"index.html":{"file":"assets/index-1.js"}}');
const requestLimits = createRequestLimits();
const server = await startTestServer({}, undefined, directory);
let proxy: CachingProxy;
const [ann, bob, maud] = await server.registerAll('Ann Asker', 'Bob Baker', 'Maud');
await setRole(server.db, { email: maud.email, role: 'moderator' });
const secrets = [
  ann.email,
  bob.email,
  '"myVote":"up"',
  '"bookmarked":true',
  '"following":true',
  '"member":{',
];
let questionId = 0;
let answerId = 0;

beforeAll(async () => {
  questionId = await ann.ask({ title: 'Why does rye bread crumble?', tags: ['rye'] });
  answerId = (await bob.answer(questionId, 'Because of its *gluten*.')).id;
  await bob.replyToAnswer(answerId);
  expectOk(await bob.put(`/answers/${answerId}`, { content: 'Because it has little gluten.' }));
  await bob.vote('questions', questionId, 'up');
  await bob.bookmark('questions', questionId);
  expectOk(await bob.put('/tags/rye/follow', { following: true }));
});
beforeEach(async () => {
  proxy = await startCachingProxy(server.address);
});
afterEach(() => proxy.stop());
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

async function switchPublicReading(on: boolean): Promise<void> {
  await setSiteSetting(server.db, 'publicReading', on);
  const read = async () => (await server.visitor().get<{ publicReading: boolean }>('/session')).body;
  await eventually(async () => (await read()).publicReading === on);
}

/** Everything that visitors may read, below /api. */
const publicPaths = () => [
  '/feeds/recent?',
  '/viewer/feeds/recent?muted=hide',
  `/questions/${questionId}?sort=newest`,
  `/viewer/questions/${questionId}?sort=newest`,
  `/question-titles?ids=${questionId}`,
  `/questions/${questionId}/answers?sort=newest`,
  `/questions/${questionId}/replies`,
  `/questions/${questionId}/related`,
  `/questions/${questionId}/revisions`,
  `/questions/${questionId}/revisions/1`,
  `/answers/${answerId}/replies`,
  `/answers/${answerId}/revisions/1`,
  '/tags?sort=popular',
  '/tags?q=ry',
  '/viewer/tags?sort=popular',
  '/tags/rye',
  '/viewer/tags/rye',
  '/tags/rye/questions',
  '/viewer/tags/rye/questions',
  '/tags/rye/activity',
  '/search?q=rye',
  '/search?q=Bob&in=users',
  '/search/instant?q=ry',
  `/members/${bob.id}`,
  `/members/${bob.id}/questions`,
  `/members/${bob.id}/answers`,
  `/members/${bob.id}/activity`,
  `/members/${bob.id}/reputation`,
];
const pages = () => ['/', `/question/${questionId}/why-does-rye-bread-crumble`, '/topics', '/topics/rye'];
const fetchText = async (url: string, cookie?: string) => {
  const response = await fetch(url, cookie === undefined ? {} : { headers: { cookie } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const cookieOf = (member: Member) => [...member.cookies].map((pair) => pair.join('=')).join('; ');
const findSecrets = (text: string) => secrets.filter((secret) => text.includes(secret));

test('refuses visitors everything while public reading is off, also behind a shared cache', async () => {
  for (const address of publicPaths()) {
    const { status, headers, text } = await fetchText(`${proxy.address}/api${address}`);
    expect({ address, status }).toEqual({ address, status: 401 });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/crumble|rye|Bob/u);
  }
  const bare = (await fetchText(`${server.address}/ask`)).text;
  for (const page of pages()) expect((await fetchText(proxy.address + page)).text).toBe(bare);
  expect((await fetchText(`${proxy.address}/robots.txt`)).text).toBe('User-agent: *\nDisallow: /\n');
  expect(proxy.stored).toEqual([]);
});

test('lets visitors read while it is on, without email addresses and values of a viewer, and nothing else', async () => {
  await switchPublicReading(true);
  const visitor = server.visitor();
  for (const address of publicPaths()) {
    const { status, headers, body } = await visitor.get(address);
    expect({ address, status }).toEqual({ address, status: 200 });
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=50');
    expect(headers.get('etag')).toMatch(/^(?:W\/)?"/u);
    expect(headers.get('vary')).toBe('accept-encoding, authorization, cookie');
    expect(headers.getSetCookie()).toEqual([]);
    expect({ address, secrets: findSecrets(JSON.stringify(body)) }).toEqual({ address, secrets: [] });
  }
  expect((await visitor.get(`/members/${bob.id}`)).body).toMatchObject({
    displayName: 'Bob Baker',
    email: null,
    emailWithheld: null,
  });
  expect((await visitor.get(`/viewer/questions/${questionId}?sort=newest`)).body).toMatchObject({
    myVote: null,
    following: false,
    bookmarked: false,
    muted: false,
    visitedAt: null,
  });
  for (const address of [
    '/drafts',
    '/notifications',
    '/following',
    '/bookmarks',
    '/settings',
    '/members?q=B',
  ])
    expect((await visitor.get(address)).status).toBe(401);
  for (const post of [`/questions/${questionId}/answers`, '/questions', '/questions/similar'])
    expect((await visitor.post(post, { content: 'No.' })).status).toBe(401);
  expect((await visitor.put(`/questions/${questionId}/vote`, { vote: 'up' })).status).toBe(401);
  expect((await visitor.put(`/questions/${questionId}/view`)).status).toBe(401);
  const html = (await fetchText(`${server.address}/question/${questionId}`)).text;
  expect(html).toContain('Why does rye bread crumble?');
  expect(html).toContain('"publicReading":true');
});

test('gives programs with a token their own responses behind a shared cache', async () => {
  await switchPublicReading(true);
  const program = new Program(proxy.address, (await programOf(bob, ['read'])).token);
  const address = `/viewer/questions/${questionId}?sort=newest`;
  expectOk(await new ApiClient(proxy.address).get(address));
  expect((await program.get(address)).body).toMatchObject({ myVote: 'up' });
  expect((await new Program(proxy.address, 'parley_unknown').get(address)).status).toBe(401);
});

test('puts nothing of a member into a shared cache, in any order of requests', async () => {
  await switchPublicReading(true);
  const visitor = new ApiClient(proxy.address);
  const member = bob.onServer(proxy.address);
  for (const [first, second] of [
    [member, visitor],
    [visitor, member],
  ] as const)
    for (const address of publicPaths())
      for (const reader of [first, second]) expectOk(await reader.get(address));
  for (const page of pages()) {
    expect((await fetchText(proxy.address + page, cookieOf(bob))).headers.get('x-cache')).toBe('passed');
    expect((await fetchText(proxy.address + page)).headers.get('x-cache')).toBe('stored');
    expect((await fetchText(proxy.address + page)).headers.get('x-cache')).toBe('hit');
    expect((await fetchText(proxy.address + page, cookieOf(bob))).text).toContain('Bob Baker');
  }
  const forged = await fetchText(`${proxy.address}/`, 'parley.session_token=forged');
  expect(forged.headers.get('x-cache')).toBe('passed');
  expect(forged.headers.get('cache-control')).toBe('no-store');

  expect(proxy.stored.map(({ url }) => url)).toEqual([
    ...publicPaths().map((url) => `/api${url}`),
    ...pages(),
  ]);
  for (const { request, headers, body } of proxy.stored) {
    expect(request.cookie).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
    expect(findSecrets(body.toString())).toEqual([]);
  }
  const mine = await member.get<{ myVote: string }>(`/viewer/questions/${questionId}?sort=newest`);
  expect(mine.body.myVote).toBe('up');
});

test('revalidates by ETag, and forgets a hidden post within a minute', async () => {
  await switchPublicReading(true);
  const id = await ann.ask({ title: 'Buy a cheap watch', tags: ['rye'] });
  const addresses = [
    `/api/questions/${id}?sort=newest`,
    '/api/feeds/recent?',
    `/question/${id}/buy-a-cheap-watch`,
    '/',
  ];
  const read = (address: string) => fetchText(proxy.address + address);
  const states = async () => {
    const found = [];
    for (const address of addresses) {
      const { headers, text } = await read(address);
      found.push([headers.get('x-cache'), text.includes('cheap watch')]);
    }
    return found;
  };
  expect(await states()).toEqual(addresses.map(() => ['stored', true]));
  proxy.wait(50);
  expect(await states()).toEqual(addresses.map(() => ['revalidated', true]));
  expect((await actOnPost(maud, 'hide', 'question', id)).status).toBe(204);
  proxy.wait(49);
  expect(await states()).toEqual(addresses.map(() => ['hit', true]));
  proxy.wait(1);
  // The node sends a page of visitors again for one second.
  await setTimeout(1_100);
  expect((await states()).map(([, isVisible]) => isVisible)).toEqual([false, false, false, false]);
  expect((await read(addresses[0] ?? '')).status).toBe(404);
});

test('sends a page again within a second with the same bytes and headers, to visitors without cookies only', async () => {
  await switchPublicReading(true);
  const address = `${server.address}/question/${questionId}/why-does-rye-bread-crumble`;
  const read = async (headers: Record<string, string> = {}) => {
    const response = await fetch(address, { headers });
    // Pages that are sent again have no id, as they are not in the log.
    const { 'x-request-id': requestId, date: _, ...rest } = Object.fromEntries(response.headers);
    return { status: response.status, text: await response.text(), isRecent: requestId === undefined, rest };
  };
  const fresh = await retryUntil(read, ({ isRecent }) => !isRecent);
  const again = await retryUntil(read, ({ isRecent }) => isRecent);
  expect(again).toEqual({ ...fresh, isRecent: true });
  expect(again.rest['content-security-policy']).toContain("'sha256-");
  const etag = again.rest['etag'] ?? '';
  const knownFresh = await retryUntil(
    () => read({ 'if-none-match': etag }),
    ({ isRecent }) => !isRecent,
  );
  // Only a whole page becomes recent.
  const readAgain = async (headers: Record<string, string>) => {
    await retryUntil(read, ({ isRecent }) => isRecent);
    return read(headers);
  };
  const known = await retryUntil(
    () => readAgain({ 'if-none-match': etag }),
    ({ isRecent }) => isRecent,
  );
  expect(known).toEqual({ ...knownFresh, isRecent: true });
  expect(known.status).toBe(304);
  for (const headers of [{ cookie: cookieOf(ann) }, { cookie: 'a=b' }, { 'sec-fetch-dest': 'empty' }])
    expect((await readAgain(headers)).isRecent).toBe(false);
});

/** Repeats a request for at most ten seconds, since a page is recent for one second. */
async function retryUntil<Result>(
  request: () => Promise<Result>,
  isWanted: (result: Result) => boolean,
): Promise<Result> {
  for (const deadline = performance.now() + 10_000; performance.now() < deadline; await setTimeout(20)) {
    const result = await request();
    if (isWanted(result)) return result;
  }
  throw new Error('No response was as expected.');
}

test('refuses everything again after it is switched off', async () => {
  await switchPublicReading(true);
  const addresses = [...publicPaths().map((address) => `/api${address}`), ...pages()];
  for (const address of addresses) await fetchText(proxy.address + address);
  await switchPublicReading(false);
  proxy.wait(50);
  for (const address of addresses)
    expect((await fetchText(proxy.address + address)).text).not.toMatch(/crumble|rye|Bob/u);
});

test('limits the searches of all visitors of a network', () => {
  for (let n = 0; n < 120; n++) requestLimits.consumeForNetwork('203.0.113.5', 'searching');
  expect(() => requestLimits.consumeForNetwork('203.0.113.5', 'searching')).toThrow(ProblemError);
  expect(() => requestLimits.consumeForNetwork('203.0.113.6', 'searching')).not.toThrow(ProblemError);
  expect(() => requestLimits.consumeForNetwork('203.0.113.5')).not.toThrow(ProblemError);
});
