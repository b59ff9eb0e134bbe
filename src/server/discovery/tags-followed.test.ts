import { afterAll, expect, test } from 'vitest';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { type FollowedTag, type FollowedTagsSummary, suggestedTags } from '#shared/discovery/tags.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');

test('suggests the six default tags to members without followed tags when no tag has questions', async () => {
  const { body } = await ann.get<FollowedTagsSummary>('/following');
  expect(body.suggested.map(({ name }) => name)).toEqual(suggestedTags);
});

test.each([
  'javascript',
  'typescript',
  'react',
  'python',
  'node.js',
  'css',
  'html',
  'ai',
  'database',
  'technology',
  'programming',
  'career',
])('has a fixed description of the tag %s, without case', async (tag) => {
  await ann.ask({ tags: [tag.toUpperCase()] });
  const body = await ann.readTag(tag);
  expect(body.name).toBe(tag.toUpperCase());
  expect(body.description).not.toMatch(/^Discussion about/);
  expect(body.description.length).toBeGreaterThan(10);
});

test('describes any other tag as a discussion about it', async () => {
  await ann.ask({ tags: ['Sourdough'] });
  const body = await ann.readTag('sourdough');
  expect(body.description).toBe('Discussion about Sourdough');
});

test('continues after the last followed tag when an earlier one is no longer followed', async () => {
  const eve = await server.register('Eve');
  const names = Array.from({ length: 22 }, (_, index) => `followed-${String(index).padStart(2, '0')}`);
  for (let from = 0; from < names.length; from += 5) await eve.ask({ tags: names.slice(from, from + 5) });
  for (const name of names) {
    expectOk(await eve.put(`/tags/${name}/follow`, { following: true }));
  }
  type Page = { items: FollowedTag[]; nextCursor: string | null };
  const first = expectOk(await eve.get<Page>('/following/tags'));
  expect(first.items.map(({ name }) => name)).toEqual(names.slice(0, 20));
  expectOk(await eve.put('/tags/followed-03/follow', { following: false }));
  const rest = expectOk(await eve.get<Page>(`/following/tags?cursor=${first.nextCursor}`));
  expect(rest.items.map(({ name }) => name)).toEqual(names.slice(20));
  expect(rest.nextCursor).toBeNull();
});

test("suggests the site's most popular tags and the six default tags, except those that the member muted", async () => {
  const bob = await server.register('Bob');
  for (const [tag, questions] of Object.entries({ porter: 4, stout: 3, lager: 2, python: 2 }))
    for (let n = 0; n < questions; n++) await ann.ask({ tags: [tag] });
  await bob.put('/tags/stout/mute', { muted: true });
  const offered = async () => (await bob.get<FollowedTagsSummary>('/following')).body.suggested;
  const names = async () => (await offered()).map(({ name }) => name);
  expect((await names()).slice(0, 2)).toEqual(['porter', 'lager']);
  expect((await names()).slice(6)).toEqual(suggestedTags);
  expect((await offered())[0]?.description).toBe('Discussion about porter');
  await bob.put('/tags/python/mute', { muted: true });
  expect((await names()).slice(6)).toEqual(suggestedTags.filter((name) => name !== 'Python'));
  await bob.put('/tags/lager/follow', { following: true });
  expect(await offered()).toEqual([]);
});
