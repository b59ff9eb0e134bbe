import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { unreachableEmailServer, startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { expectOk } from '#tests/support/member.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import { createValidRequests } from '#tests/support/valid-requests.ts';

const { server } = await startServerWithProvider({ email: unreachableEmailServer, runsScheduledJobs: false });
const [ann, bob] = await server.registerAll('Ann', 'Bob');
const createValidRequest = createValidRequests({ ann, bob, db: server.db });
const operations = listOperations(expectOk(await server.visitor().get<Document>('/openapi.json')));
const writing = operations.filter(({ method }) => method !== 'GET');

const byNetwork = 'sign-in attempts are counted by network and by account (identity/sign-in-limits.ts)';
const byLink = 'needs an email link; all requests are counted by network (core/request-limits.ts)';

/** Writes without a session have no member to count them for. */
const ofVisitors: Readonly<Record<string, string>> = {
  'POST /members': byNetwork,
  'POST /session': byNetwork,
  'DELETE /session': 'ends the current session, and does nothing without one',
  'POST /session/two-factor': byNetwork,
  'POST /session/passkey': byNetwork,
  'POST /session/passkey/options': byNetwork,
  'POST /session/provider': byNetwork,
  'POST /session/provider/callback': byNetwork,
  'POST /session/provider/registration': byNetwork,
  'POST /session/provider/link': byNetwork,
  'POST /password-resets': byNetwork,
  'POST /invitation': 'requests are counted by network (admin/invitations-routes.ts)',
  'POST /setup': 'attempts are counted by network (admin/setup.ts)',
  'POST /email/password-reset': byLink,
  'POST /email/change': byLink,
  'POST /email/revert': byLink,
  'POST /email/confirmation': byLink,
  'POST /email/unsubscribe': byLink,
  'POST /received-emails': "its secret belongs to the mail provider; what it posts counts as the member's",
};

test('every exception to the rate limits of members is a write', () => {
  const names = writing.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(ofVisitors)));
});

describe('a member who has written too much is rejected', () => {
  const limited = writing.filter(({ name }) => !(name in ofVisitors));
  test.each(limited.map((operation) => [operation.name, operation] as const))('%s', async (_, operation) => {
    await server.resetRateLimits();
    const writer = await server.register('Writer');
    const { path, body, headers } = await createValidRequest(operation, writer, writer);
    await sql`insert into rate_limit (key, points, expire)
      select ${memberRateLimitKey('change', writer.id)}, 3000, ${Date.now() + 60_000}::bigint
      on conflict (key) do update set points = excluded.points`.execute(server.db);
    const refused = await writer.send(operation.method, path, { ...(body && { body }), headers });
    expect(refused).toMatchObject({ status: 429, kind: 'too-many' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
