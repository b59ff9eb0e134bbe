import { expect, test } from 'vitest';
import { ProblemError } from './errors.ts';
import { classifyRequest, createRequestLimits } from './request-limits.ts';
import type { Viewer } from './http.ts';

const viewer = (id: number, sessionId: number) => ({ id, sessionId, tokenId: null }) as Viewer;

/** How many of many requests are accepted. */
function takenOf(take: () => void): { taken: number; retryAfter: number | undefined } {
  for (let taken = 0; taken < 10_000; taken++) {
    try {
      take();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.kind !== 'too-many') throw error;
      return { taken, retryAfter: error.retryAfter };
    }
  }
  throw new Error('all were taken');
}

test('refuses a browser beyond its limit, states when to retry, and frees the limit gradually', () => {
  let now = 0;
  const limits = createRequestLimits(() => now);
  const ann = viewer(1, 11);
  const takeAll = () => takenOf(() => limits.consume(ann, 'reading'));
  expect(takeAll()).toEqual({ taken: 300, retryAfter: 10 });
  now = 9_500;
  expect(takeAll()).toEqual({ taken: 0, retryAfter: 1 });
  expect(limits.canRead(ann)).toBe(false);
  now = 15_000;
  expect(takeAll().taken).toBe(150);
});

test('counts requests on both sides of a window boundary together', () => {
  let now = 9_900;
  const limits = createRequestLimits(() => now);
  const take = () => takenOf(() => limits.consume(viewer(1, 11), 'reading')).taken;
  limits.consume(viewer(2, 22), 'reading');
  now = 19_800;
  expect(take()).toBe(300);
  now = 20_000;
  expect(take()).toBeLessThan(10);
});

test('forgets all counts after two windows without requests', () => {
  let now = 0;
  const limits = createRequestLimits(() => now);
  const take = () => takenOf(() => limits.consume(viewer(1, 11), 'reading')).taken;
  expect(take()).toBe(300);
  now = 25_000;
  expect(take()).toBe(300);
});

test("limits a member's browsers together, without affecting other members", () => {
  const limits = createRequestLimits(() => 0);
  let session = 0;
  expect(takenOf(() => limits.consume(viewer(1, ++session), 'writing')).taken).toBe(600);
  expect(takenOf(() => limits.consume(viewer(2, 100_000), 'writing')).taken).toBe(300);
});

test('limits the replies by email of each member, without affecting those of others', () => {
  const limits = createRequestLimits(() => 0);
  const { taken } = takenOf(() => limits.consume(viewer(1, 0), 'uploading'));
  expect(takenOf(() => limits.consume(viewer(2, 0), 'uploading')).taken).toBe(taken);
});

test('accepts reads and writes from a member whose search limit is used up', () => {
  const limits = createRequestLimits(() => 0);
  const ann = viewer(1, 11);
  expect(takenOf(() => limits.consume(ann, 'searching')).taken).toBe(60);
  limits.consume(ann, 'reading');
  limits.consume(ann, 'writing');
});

test('limits visitors per network, without affecting other networks', () => {
  const limits = createRequestLimits(() => 0);
  expect(takenOf(() => limits.consumeForNetwork('203.0.113.1')).taken).toBe(3_000);
  limits.consumeForNetwork('203.0.113.2');
});

test.each([
  ['GET', '/api/feeds/recent', 'reading'],
  ['GET', '/api/questions/7', 'reading'],
  ['GET', '/api/members/7', 'reading'],
  ['GET', '/api/search', 'searching'],
  ['GET', '/api/search/instant', 'searching'],
  ['GET', '/api/members', 'searching'],
  ['POST', '/api/questions/similar', 'searching'],
  ['POST', '/api/questions', 'writing'],
  ['DELETE', '/api/questions/7', 'writing'],
])('%s %s counts as %s', (method, path, requestClass) => {
  expect(classifyRequest(method, path)).toBe(requestClass);
});

test("limits programs with the member's API tokens apart from the member's browsers", () => {
  const limits = createRequestLimits(() => 0);
  const program = (tokenId: number) => ({ id: 1, sessionId: 0, tokenId }) as Viewer;
  const taken = (viewer: Viewer) => takenOf(() => limits.consume(viewer, 'reading')).taken;
  expect([taken(program(1)), taken(program(2)), taken(program(3))]).toEqual([300, 300, 0]);
  expect(taken(viewer(1, 1))).toBe(300);
});
