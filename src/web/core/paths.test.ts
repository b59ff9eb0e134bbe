import { beforeAll, expect, test } from 'vitest';
import { parseInternalPath, setSiteOrigin, tagPath } from './paths.ts';

beforeAll(() => setSiteOrigin('https://ask.example.org'));

test.each(['/?tab=popular', '/topics', '/question/123456789#answer-7', '/search?q=a+b%26c'])(
  'allows %s as the target of a sign-in',
  (path) => expect(parseInternalPath(path)).toBe(path),
);

test.each([
  'https://example.com/',
  '//example.com/',
  '/\\example.com',
  '/.//example.com',
  '/\t/example.com',
  'javascript:alert(1)',
  'topics',
  '',
])('rejects %j as the target of a sign-in', (path) => expect(parseInternalPath(path)).toBeNull());

test.each(['.', '..', 'c#', 'node.js', 'a/b'])('the path of the topic %j leads to it', (tag) => {
  const { pathname, search } = new URL(tagPath(tag), 'https://ask.example.org');
  expect([decodeURIComponent(pathname), search]).toEqual(
    tag === '.' || tag === '..' ? ['/search', `?q=${tag}`] : [`/topics/${tag}`, ''],
  );
});

test('leads home after signing in if no page was requested', () =>
  expect(parseInternalPath(undefined)).toBeNull());
