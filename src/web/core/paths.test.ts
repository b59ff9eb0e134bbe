import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseInternalPath } from './paths.ts';

beforeAll(() => void vi.stubGlobal('window', { location: { origin: 'https://ask.example.org' } }));
afterAll(() => void vi.unstubAllGlobals());

test.each(['/?tab=popular', '/topics', '/question/123456789#answer-7', '/search?q=a+b%26c'])(
  'signing in may lead to %s',
  (path) => expect(parseInternalPath(path)).toBe(path),
);

test.each([
  'https://example.com/',
  '//example.com/',
  '/\\example.com',
  '/\t/example.com',
  'javascript:alert(1)',
  'topics',
  '',
])('signing in does not lead away to %j', (path) => expect(parseInternalPath(path)).toBeNull());

test('signing in leads home where nothing was asked for', () =>
  expect(parseInternalPath(undefined)).toBeNull());
