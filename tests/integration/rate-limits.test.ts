import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { expectOk } from '#tests/support/member.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import { eventually } from '#tests/support/parley.ts';
import { createValidRequests } from '#tests/support/valid-requests.ts';

const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const [ann, bob] = await server.registerAll('Ann', 'Bob');
const rightRequest = createValidRequests({ ann, bob, db: server.db });
const operations = listOperations(expectOk(await server.visitor().get<Document>('/openapi.json')));
const writing = operations.filter(({ method }) => method !== 'GET');

const byNetwork = 'failed and successful tries are counted by network address and by account (accounts/)';
const byLink =
  'needs a link that was mailed; all requests are counted by network address (core/request-limits.ts)';

/** What is written without being signed in has no member to count it for. */
const ofVisitors: Readonly<Record<string, string>> = {
  'POST /members': byNetwork,
  'POST /session': byNetwork,
  'DELETE /session': 'ends the session it comes with, and does nothing without one',
  'POST /session/second-factor': byNetwork,
  'POST /session/passkey': byNetwork,
  'POST /session/passkey/options': byNetwork,
  'POST /session/provider': byNetwork,
  'POST /session/provider/return': byNetwork,
  'POST /session/provider/link': byNetwork,
  'POST /password-resets': byNetwork,
  'POST /mail/password': byLink,
  'POST /mail/address': byLink,
  'POST /mail/old-address': byLink,
  'POST /mail/confirmation': byLink,
  'POST /mail/unsubscribe': byLink,
};

test('every exception to the limits of members is a way to write', () => {
  const names = writing.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(ofVisitors)));
});

describe('a member who has written too much is refused', () => {
  const limited = writing.filter(({ name }) => !(name in ofVisitors));
  test.each(limited.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    await server.resetRateLimits();
    const writer = await server.register('Writer');
    const { path, body, headers } = await rightRequest(operation, writer, writer);
    await sql`insert into rate_limit (key, points, expire)
      select ${memberRateLimitKey('change', writer.id)}, 3000, ${Date.now() + 60_000}::bigint
      on conflict (key) do update set points = excluded.points`.execute(server.db);
    // A node takes a few of a member before it looks how many there were.
    await eventually(async () => (await writer.put('/notifications/seen')).status === 429);
    const refused = await writer.send(operation.method, path, { ...(body && { body }), headers });
    expect(refused).toMatchObject({ status: 429, code: 'too-many' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
