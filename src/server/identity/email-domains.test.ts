import { afterAll, expect, test } from 'vitest';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';
import { isEmailDomainAllowed } from '#shared/identity/email-domains.ts';
import { password } from '#tests/support/member.ts';

const server = await startTestServer();
afterAll(() => server.stop());

async function setDomains({ allowed = [], refused = [] }: { allowed?: string[]; refused?: string[] }) {
  await setSiteSetting(server.db, 'allowedEmailDomains', allowed);
  await setSiteSetting(server.db, 'refusedEmailDomains', refused);
  await server.siteSettings.refresh();
}

const register = (email: string) =>
  server.visitor().post('/members', { displayName: `Member ${email}`, email, password });

test.each([
  ['ann@example.org', ['example.org'], [], true],
  ['ann@sub.example.org', ['example.org'], [], true],
  ['ann@badexample.org', ['example.org'], [], false],
  ['ann@example.org.attacker.test', ['example.org'], [], false],
  ['"a@example.org"@attacker.test', ['example.org'], [], false],
  ['ann@example.org', [], ['example.org'], false],
  ['ann@sub.example.org', ['example.org'], ['sub.example.org'], false],
  ['ann@example.org', ['example.org'], ['sub.example.org'], true],
  ['ann@other.test', [], ['example.org'], true],
])('%s with allowed %j and refused %j: %s', (email, allowed, refused, expected) => {
  expect(isEmailDomainAllowed(email, { allowed, refused })).toBe(expected);
});

test('refuses registrations with addresses of other domains, also of members who exist, in the same way', async () => {
  const early = await server.register('Early');
  await setDomains({ allowed: ['school.test'] });
  const first = await register('new@elsewhere.test');
  expect(first).toMatchObject({ status: 400, kind: 'invalid' });
  expect(JSON.stringify(first)).toContain('email-domain-not-allowed');
  // The response does not reveal that this address is registered.
  const existing = await register(early.email);
  expect(existing.status).toBe(400);
  expect(JSON.stringify(existing)).toContain('email-domain-not-allowed');
  expect((await register('Pupil@Class.SCHOOL.test')).status).toBe(201);
  // Who has joined stays.
  expect((await server.visitor().post('/session', { email: early.email, password })).status).toBe(200);
  await setDomains({});
});

test('refuses a change to an address of another domain', async () => {
  const nora = await server.register('Nora');
  await setDomains({ refused: ['throwaway.test'] });
  const response = await nora.put('/email-address', { email: 'nora@mail.throwaway.test', password });
  expect(response.status).toBe(400);
  expect(JSON.stringify(response)).toContain('email-domain-not-allowed');
  expect((await nora.put('/email-address', { email: 'nora@keep.test', password })).status).toBe(200);
  await setDomains({});
});
