import pg from 'pg';
import { expect, test } from 'vitest';
import { toProblem, isUnavailableError } from './errors.ts';

const withState = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code });
const withCode = (code: string) => Object.assign(new Error(), { code });

test.each([
  ['PostgreSQL is told to stop', withState('57P01')],
  ['another of its processes has crashed', withState('57P02')],
  ['it is still starting', withState('57P03')],
  ['it has no connection left', withState('53300')],
  ['the disk is full', withState('53100')],
  ['a statement takes too long', withState('57014')],
  ['nothing listens there', withCode('ECONNREFUSED')],
  ['the socket is gone', withCode('ENOENT')],
  ['the connection breaks', new Error('Connection terminated unexpectedly')],
  ['no connection becomes free in time', new Error('timeout exceeded when trying to connect')],
  [
    'a library wraps any of these',
    new Error('Failed', { cause: new Error('Failed', { cause: withState('57P01') }) }),
  ],
])('members are asked to wait a moment when %s', (_, error) => {
  expect(isUnavailableError(error)).toBe(true);
});

test.each([
  ['a statement is wrong', withState('42601')],
  ['a constraint is broken', withState('23505')],
  ['something else fails', new Error('x is not a function')],
  ['something else fails in a library', new Error('Failed', { cause: withState('22021') })],
  ['nothing is known', undefined],
])('it is a fault of ours when %s', (_, error) => {
  expect(isUnavailableError(error)).toBe(false);
});

test.each([
  ['a lock is not given', withState('55P03'), 'busy'],
  ['a statement takes too long', new Error('Failed', { cause: withState('57014') }), 'busy'],
  ['no connection becomes free in time', new Error('timeout exceeded when trying to connect'), 'busy'],
  ['PostgreSQL is told to stop', withState('57P01'), 'unavailable'],
  ['nothing listens there', withCode('ECONNREFUSED'), 'unavailable'],
])('members are told truly what they wait for when %s', (_, error, code) => {
  expect(toProblem(error)).toMatchObject({ code, retryAfter: expect.any(Number) });
});
