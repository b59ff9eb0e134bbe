import pg from 'pg';
import { expect, test } from 'vitest';
import {
  invalidFieldError,
  isUnavailableError,
  ProblemError,
  toProblem,
  toProblemResponse,
} from './errors.ts';

const withState = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code });
const withCode = (code: string) => Object.assign(new Error(), { code });

test.each([
  ['PostgreSQL is shutting down', withState('57P01')],
  ['a PostgreSQL process has crashed', withState('57P02')],
  ['PostgreSQL is still starting', withState('57P03')],
  ['PostgreSQL has no free connection', withState('53300')],
  ['the disk is full', withState('53100')],
  ['a statement takes too long', withState('57014')],
  ['nothing listens on the port', withCode('ECONNREFUSED')],
  ['the socket is gone', withCode('ENOENT')],
  ['the connection breaks', new Error('Connection terminated unexpectedly')],
  ['no connection is free in time', new Error('timeout exceeded when trying to connect')],
  [
    'a library wraps any of these',
    new Error('Failed', { cause: new Error('Failed', { cause: withState('57P01') }) }),
  ],
])('asks members to wait a moment when %s', (_, error) => {
  expect(isUnavailableError(error)).toBe(true);
});

test.each([
  ['a statement is wrong', withState('42601')],
  ['a constraint is violated', withState('23505')],
  ['something else fails', new Error('x is not a function')],
  ['something else fails in a library', new Error('Failed', { cause: withState('22021') })],
  ['the error is undefined', undefined],
])('reports an internal error when %s', (_, error) => {
  expect(isUnavailableError(error)).toBe(false);
});

test.each([
  ['a lock is not available', withState('55P03'), 'busy'],
  ['a statement takes too long', new Error('Failed', { cause: withState('57014') }), 'busy'],
  ['no connection is free in time', new Error('timeout exceeded when trying to connect'), 'busy'],
  ['PostgreSQL is shutting down', withState('57P01'), 'unavailable'],
  ['nothing listens on the port', withCode('ECONNREFUSED'), 'unavailable'],
])('reports the reason for waiting when %s', (_, error, kind) => {
  expect(toProblem(error)).toMatchObject({ kind, retryAfter: expect.any(Number) });
});

test('responds with the code, its parameters and its English text', async () => {
  const response = toProblemResponse(
    new ProblemError('question-locked', { params: { reason: 'Cooling down.' } }),
  );
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({
    type: '/api/docs#problem-locked',
    title: 'Locked',
    kind: 'locked',
    code: 'question-locked',
    params: { reason: 'Cooling down.' },
    detail: 'This question is locked: Cooling down.',
  });
});

test('responds with the code of each field', async () => {
  const response = toProblemResponse(invalidFieldError('content', 'reply-too-long', { max: 1000 }));
  const error = { code: 'reply-too-long', params: { max: 1000 } };
  const text = 'Reply must be 1,000 characters or fewer';
  expect(await response.json()).toMatchObject({
    status: 400,
    kind: 'invalid',
    ...error,
    detail: text,
    errors: [{ field: 'content', ...error, message: text }],
  });
});

test('the compiler requires a known code and the parameters of its text', () => {
  // @ts-expect-error: no such code.
  expect(() => new ProblemError('no-such-error')).toThrow(TypeError);
  // @ts-expect-error: the text has {reason}.
  expect(new ProblemError('question-locked').message).toContain('{reason}');
  // @ts-expect-error: the text has {max}.
  expect(invalidFieldError('content', 'reply-too-long').message).toContain('{max}');
});
