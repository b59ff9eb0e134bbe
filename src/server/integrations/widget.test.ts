import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { createRequestLimits } from '#server/core/request-limits.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';

await loadSentTexts();
const origin = 'https://ask.example.org';
const server = await startTestServer({ publicUrl: origin });
afterAll(() => server.stop());
let ann: Member;

type Shown = { questions: { title: string; url: string; answers: string }[] };

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.address}${path}`, { headers: { origin: 'https://other.example', ...headers } });
const show = async (query: string) => (await (await get(`/widget.json?${query}`)).json()) as Shown;

async function setPublicReading(on: boolean): Promise<void> {
  await setSiteSetting(server.db, 'publicReading', on);
  await eventually(
    async () => (await (await fetch(`${server.address}/robots.txt`)).text()).includes('Sitemap') === on,
  );
}

beforeAll(async () => {
  ann = await server.register('Ann');
  await setPublicReading(true);
});

test('the script is smaller than 2 KB, and loads nothing but its data', async () => {
  const response = await get('/widget.js');
  const script = await response.text();
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(gzipSync(script).length).toBeLessThan(2 * 1024);
  expect(script).toContain('"Questions about {tag}"');
  // Other sites load it as a script, and read the data.
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(script.match(/https?:\/\/|cookie|localStorage|innerHTML|import/gu)).toBeNull();
  const etag = response.headers.get('etag') ?? '';
  expect((await get('/widget.js', { 'if-none-match': etag })).status).toBe(304);
});

test('the data are the newest visible questions of the tag, which any site may read without a cookie', async () => {
  const ids: number[] = [];
  for (const title of ['One?', 'Two & <b>?', 'Three?']) ids.push(await ann.ask({ title, tags: ['CSS'] }));
  await ann.answer(ids[1] ?? 0);
  const moderator = await server.register('Olga');
  await setRole(server.db, { email: moderator.email, role: 'moderator' });
  await actOnPost(moderator, 'hide', 'question', ids[2] ?? 0);
  const response = await get('/widget.json?tag=css');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=25');
  expect(await response.json()).toEqual({
    questions: [
      { title: 'Two & <b>?', url: `${origin}/question/${ids[1]}/two-b`, answers: '1 answer' },
      { title: 'One?', url: `${origin}/question/${ids[0]}/one`, answers: '0 answers' },
    ],
  });
  expect((await show('tag=css&count=1')).questions).toHaveLength(1);
  expect((await show('tag=css&count=0')).questions).toHaveLength(1);
  expect((await show('tag=css&count=many')).questions).toHaveLength(2);
});

test('a tag that does not exist is an error that other sites can read', async () => {
  const response = await get('/widget.json?tag=nothing');
  expect(response.status).toBe(404);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect((await get('/widget.json')).status).toBe(404);
  expect((await get('/widget.json?tag=%00')).status).toBe(404);
});

test('related questions are the visible ones most similar to the text of the page, for any site', async () => {
  const titles = [
    'How to knead a sourdough loaf?',
    'Which flour suits sourdough bread?',
    'Sourdough of a hidden question?',
    'Why is my bicycle chain loud?',
  ];
  const ids: number[] = [];
  for (const title of titles) ids.push(await ann.ask({ title, tags: ['baking'] }));
  const moderator = await server.register('Oda');
  await setRole(server.db, { email: moderator.email, role: 'moderator' });
  await actOnPost(moderator, 'hide', 'question', ids[2] ?? 0);
  const page = 'related=Sourdough+%7C+Docs&description=How+to+knead+by+hand';
  const response = await get(`/widget.json?${page}`);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=25');
  const etag = response.headers.get('etag') ?? '';
  const { questions } = (await response.json()) as Shown;
  expect(questions.map(({ title }) => title)).toEqual([titles[0], titles[1]]);
  expect(questions[0]?.url).toBe(`${origin}/question/${ids[0]}/how-to-knead-a-sourdough-loaf`);
  expect((await get(`/widget.json?${page}`, { 'if-none-match': etag })).status).toBe(304);
  // The ranking is that of similar questions.
  const typed = { title: 'Sourdough | Docs', content: 'How to knead by hand', tags: [] };
  const similar = expectOk(await ann.post<{ questions: { title: string }[] }>('/questions/similar', typed));
  expect(similar.questions.map(({ title }) => title)).toEqual(questions.map(({ title }) => title));
  expect((await show(`${page}&count=1`)).questions).toHaveLength(1);
  expect((await show('related=Quantum+chromodynamics')).questions).toEqual([]);
  expect((await show('related=')).questions).toEqual([]);
  expect((await show(`related=${'sourdough '.repeat(500)}`)).questions).toHaveLength(2);
  expect((await get('/widget.json?related=%00')).status).toBe(404);
});

test('a network has a limit on related questions, which does not concern questions of a topic', async () => {
  const node = await server.startSecondNode({ requestLimits: createRequestLimits(() => 0) });
  const ask = async (query: string) => (await fetch(`${node.address}/widget.json?${query}`)).status;
  const statuses = await Promise.all(Array.from({ length: 130 }, () => ask('related=sourdough')));
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await ask('tag=css')).toBe(200);
  await node.stop();
});

test('a site chooses the language of the widget', async () => {
  const script = await (await get('/widget.js?language=de')).text();
  expect(script).toContain('"Fragen zu {tag}"');
  expect(await (await get('/widget.js?language=xx')).text()).toContain('"Questions about {tag}"');
  expect((await show('tag=css&count=1&language=de')).questions[0]?.answers).toBe('1 Antwort');
});

test('no other route may be read by other sites', async () => {
  for (const path of ['/api/changes', '/api/tags/css', '/feeds/recent.atom', '/widget.js'])
    expect((await get(path)).headers.get('access-control-allow-origin')).toBeNull();
});

test('there is no widget while public reading is off', async () => {
  await setPublicReading(false);
  for (const path of ['/widget.js', '/widget.json?tag=css', '/widget.json?related=Two']) {
    const response = await get(path);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.text()).not.toMatch(/Two|attachShadow/u);
  }
  await setPublicReading(true);
});
