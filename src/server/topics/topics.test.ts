import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#server/testing/server.ts';
import type { Topic } from '#shared/topics.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');

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
])('the topic %s has a description of its own, whatever its capitals', async (tag) => {
  await ann.ask({ tags: [tag.toUpperCase()] });
  const { body } = await ann.get<Topic>(`/topics/${encodeURIComponent(tag)}`);
  expect(body.tag).toBe(tag.toUpperCase());
  expect(body.description).not.toMatch(/^Discussion about/);
  expect(body.description.length).toBeGreaterThan(10);
});

test('any other topic is a discussion about it', async () => {
  await ann.ask({ tags: ['Sourdough'] });
  const { body } = await ann.get<Topic>('/topics/sourdough');
  expect(body.description).toBe('Discussion about Sourdough');
});
