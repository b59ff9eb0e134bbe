import { expect, test } from 'vitest';
import { ApiError, UnreachableError } from './errors.ts';
import { decideAfterFailure } from './offline-queue-sender.ts';
import {
  formatQueuedCount,
  keepLatestPerTarget,
  parseQueuedAction,
  type QueuedAction,
} from './offline-queue.ts';

const id = (at: number) => `${String(at).padStart(15, '0')}-abc`;
const vote = (at: number, target: string, wanted: string | null): QueuedAction => ({
  id: id(at),
  kind: 'vote',
  target,
  data: { vote: wanted },
  refusalReason: null,
});

function refusal(status: number, retryAfter: number | null = null): ApiError {
  return new ApiError(
    { type: 'about:blank', title: '', status, kind: 'some', code: 'some', params: {}, detail: 'Why' },
    retryAfter,
  );
}

test('sends actions in their order, and only the latest for each target', () => {
  const list = [vote(4, 'a', null), vote(1, 'a', 'up'), vote(3, 'b', 'up'), vote(2, 'c', 'down')];
  expect(keepLatestPerTarget(list).map((item) => [item.target, item.id])).toEqual([
    ['c', id(2)],
    ['b', id(3)],
    ['a', id(4)],
  ]);
});

test('keeps actions of different kinds for the same target', () => {
  const follow = { ...vote(2, 'a', null), kind: 'follow-question' };
  expect(keepLatestPerTarget([vote(1, 'a', 'up'), follow])).toHaveLength(2);
});

test('reads back a stored action', () => {
  const { id, ...value } = { ...vote(7, 'a', 'up'), refusalReason: 'Because' };
  expect(parseQueuedAction(id, JSON.stringify(value))).toEqual({ id, ...value });
});

test.each([
  ['no JSON', id(1), '{'],
  ['nothing', id(1), null],
  ['null', id(1), 'null'],
  ['a list', id(1), '[]'],
  ['another id', 'x', JSON.stringify(vote(1, 'a', 'up'))],
  ['no target', id(1), JSON.stringify({ ...vote(1, 'a', 'up'), target: undefined })],
  ['a target that is no text', id(1), JSON.stringify({ ...vote(1, 'a', 'up'), target: 7 })],
  ['no content', id(1), JSON.stringify({ ...vote(1, 'a', 'up'), data: undefined })],
  ['a reason that is no text', id(1), JSON.stringify({ ...vote(1, 'a', 'up'), refusalReason: {} })],
])('skips an entry that is %s', (_, key, text) => {
  expect(parseQueuedAction(key, text)).toBeNull();
});

test('stops sending while the server does not respond to anything', () => {
  expect(decideAfterFailure(new UnreachableError('no'), 99, false)).toEqual({ next: 'stop' });
});

test('retries a request that alone gets no response with growing delays, then gives it back', () => {
  const waits = [1, 2, 3, 4].map((count) => decideAfterFailure(new UnreachableError('no'), count, true));
  expect(waits).toEqual([2000, 4000, 8000, 16_000].map((milliseconds) => ({ next: 'wait', milliseconds })));
  expect(decideAfterFailure(new UnreachableError('no'), 5, true)).toEqual({ next: 'refuse' });
});

test('retries after the time that a busy or restarting server sends', () => {
  expect(decideAfterFailure(refusal(429, 30), 1, true)).toEqual({ next: 'wait', milliseconds: 30_000 });
  expect(decideAfterFailure(refusal(503, 5), 1, true)).toEqual({ next: 'wait', milliseconds: 5000 });
  for (const status of [429, 502, 503, 504])
    expect(decideAfterFailure(refusal(status), 3, true)).toEqual({ next: 'wait', milliseconds: 8000 });
});

test('gives back an action when its limit ends after more than 15 minutes', () => {
  expect(decideAfterFailure(refusal(429, 900), 1, true)).toEqual({ next: 'wait', milliseconds: 900_000 });
  expect(decideAfterFailure(refusal(429, 86_400), 1, true)).toEqual({ next: 'refuse' });
  // A page that announces maintenance concerns all actions.
  expect(decideAfterFailure(refusal(503, 3_600), 1, true)).toEqual({ next: 'wait', milliseconds: 900_000 });
});

test('keeps actions for their member while there is no session', () => {
  expect(decideAfterFailure(refusal(401), 1, true)).toEqual({ next: 'stop' });
});

test('gives back actions that the server refuses for any other reason', () => {
  for (const status of [400, 403, 404, 409, 410, 413, 422, 500])
    expect(decideAfterFailure(refusal(status), 1, true)).toEqual({ next: 'refuse' });
});

test('counts one change and two changes', () => {
  expect(formatQueuedCount(1)).toBe('1 change is waiting to be sent.');
  expect(formatQueuedCount(2)).toBe('2 changes are waiting to be sent.');
});
