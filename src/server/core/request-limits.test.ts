import { expect, test } from 'vitest';
import { ProblemError } from './errors.ts';
import { classifyRequest, createRequestLimits } from './request-limits.ts';
import type { Viewer } from './http.ts';

const viewer = (id: number, sessionId: number) => ({ id, sessionId }) as Viewer;

/** How many of very many requests are taken. */
function takenOf(take: () => void): { taken: number; retryAfter: number | undefined } {
  for (let taken = 0; taken < 10_000; taken++) {
    try {
      take();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'too-many') throw error;
      return { taken, retryAfter: error.retryAfter };
    }
  }
  throw new Error('all were taken');
}

test('what one browser sends without end is refused, and the answer says when to come back', () => {
  let now = 0;
  const floods = createRequestLimits(() => now);
  const ann = viewer(1, 11);
  expect(takenOf(() => floods.consume(ann, 'reading'))).toEqual({ taken: 500, retryAfter: 10 });
  now = 9_500;
  expect(takenOf(() => floods.consume(ann, 'reading'))).toEqual({ taken: 0, retryAfter: 1 });
  expect(floods.canRead(ann)).toBe(false);
  now = 10_001;
  expect(floods.canRead(ann)).toBe(true);
});

test('one member in many browsers has one limit for all of them, and others do not feel it', () => {
  const floods = createRequestLimits(() => 0);
  let session = 0;
  expect(takenOf(() => floods.consume(viewer(1, ++session), 'writing')).taken).toBe(600);
  expect(takenOf(() => floods.consume(viewer(2, 100_000), 'writing')).taken).toBe(300);
});

test('searching too much hinders neither reading nor writing', () => {
  const floods = createRequestLimits(() => 0);
  const ann = viewer(1, 11);
  expect(takenOf(() => floods.consume(ann, 'searching')).taken).toBe(60);
  floods.consume(ann, 'reading');
  floods.consume(ann, 'writing');
});

test('visitors are counted by their network, and other networks do not feel it', () => {
  const floods = createRequestLimits(() => 0);
  expect(takenOf(() => floods.consumeForNetwork('203.0.113.1')).taken).toBe(3_000);
  floods.consumeForNetwork('203.0.113.2');
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
