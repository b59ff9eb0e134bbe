import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { ApiClient, password, register } from '#tests/support/member.ts';
import { createTestCluster } from '#tests/support/cluster.ts';
import { eventually } from '#tests/support/parley.ts';
import { describeError } from './log.ts';

type Line = Record<string, unknown> & { msg: string };

test('logs requests and slow statements without names, addresses or texts of members', async () => {
  const { database, start } = await createTestCluster();
  // With this limit, some statements of a batch are slow.
  const parley = start({ LOG_LEVEL: 'trace', SLOW_QUERY_MS: '1', NODE_NAME: 'first', TRUSTED_PROXIES: '1' });
  const address = await parley.ready;
  const ada = await register(address, 'Ada Hopperlace');
  const bob = await register(address, 'Bob');
  const id = await ada.ask({
    title: 'Where does the zeppelin land?',
    content: 'It flies to Quixadalupe.',
    tags: ['Marmalade'],
  });
  const answer = await bob.answer(id, 'On the wombat meadow.');
  await bob.vote('questions', id, 'up');
  await ada.replyToAnswer(answer.id);
  await ada.get('/search?q=zeppelin');
  await ada.get('/tags/Marmalade');
  await ada.put(`/drafts/${'k'.repeat(20)}`, { fields: { content: 'walrus' } });
  await new ApiClient(address).post('/session', { email: ada.email, password: 'wrong lobster' });
  await ada.put('/settings', { displayName: 'Ada Hopperlace', bio: 'Breeds axolotls.', showEmail: true });
  // PostgreSQL repeats invalid values in its messages, and the row of a violated constraint.
  const db = openDatabase({ connection: database.connection, maxConnections: 1 });
  await sql`alter table bookmark add constraint narrow check (note <> 'Of caterpillars.')`.execute(db);
  await db.destroy();
  const given = 'a-request-of-a-proxy';
  const broken = await ada.send('PUT', `/questions/${id}/bookmark`, {
    headers: { 'x-request-id': given },
    body: { bookmarked: true, note: 'Of caterpillars.', listIds: [] },
  });
  expect(broken.headers.get('x-request-id')).toBe(given);
  expect(broken).toMatchObject({ status: 500, body: { errorId: given, requestId: given } });
  await eventually(() => parley.output().includes('request completed'));
  parley.signal('SIGTERM');
  await parley.ended;

  const output = parley.output();
  const lines = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  expect(lines.find(({ msg }) => msg === 'request failed')).toMatchObject({
    requestId: given,
    node: 'first',
    route: '/api/questions/:id/bookmark',
    err: { code: '23514', table: 'bookmark', constraint: 'narrow', stack: expect.stringContaining('at ') },
  });
  const slow = lines.filter(({ msg }) => msg === 'slow query');
  expect(slow.length).toBeGreaterThan(0);
  for (const line of slow) expect(line).toMatchObject({ milliseconds: expect.any(Number) });
  expect(slow.some(({ statement }) => /\$1/.test(String(statement)))).toBe(true);
  expect(slow.some(({ requestId }) => typeof requestId === 'string')).toBe(true);
  const ids = lines.filter(({ msg }) => msg === 'request completed').map(({ requestId }) => requestId);
  expect(ids.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
  for (const word of [
    'hopperlace',
    'zeppelin',
    'quixadalupe',
    'marmalade',
    'wombat',
    'walrus',
    'axolotl',
    'caterpillar',
    'lobster',
    password,
    ada.email,
  ])
    expect(output.toLowerCase(), `the log holds '${word}'`).not.toContain(word.toLowerCase());
});

test('logs errors of every source without values', () => {
  const fitting = new pg.DatabaseError('invalid input syntax for type integer: "Ann"', 10, 'error');
  fitting.code = '22P02';
  const double = new pg.DatabaseError('duplicate key value violates unique constraint "x"', 10, 'error');
  Object.assign(double, { code: '23505', detail: 'Key (email)=(Ann) already exists.', constraint: 'x' });
  const nested = new Error('550 <Ann@example.org> unknown', { cause: double });
  const parsing = new SyntaxError('Unexpected token A, "Ann" is not valid JSON');
  const described = [fitting, double, nested, parsing, Object.assign(new Error('x'), { input: 'Ann' })].map(
    (error) => describeError(error),
  );
  expect(JSON.stringify(described)).not.toContain('Ann');
  expect(described[2]).toMatchObject({ message: '550 <(an address)> unknown', cause: { constraint: 'x' } });
});
