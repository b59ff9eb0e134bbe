import { afterAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { eventually } from '#tests/support/eventually.ts';
import { password } from '#tests/support/member.ts';
import { defaultSettings, startTestServer } from '#tests/support/server.ts';
import type { Me } from '#shared/identity/accounts.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { readSiteSettings } from '#server/core/site-settings.ts';
import { findSetupLink } from './setup.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const { db } = server;

const where = { ...defaultSettings, publicUrl: 'https://ask.example.org', address: 'http://localhost:3000' };
const link = (await findSetupLink(db, where)) ?? '';
const token = link.split('#')[1] ?? '';
const account = { displayName: 'Olga Owner', email: 'olga@example.org', password };
const chosen = {
  siteName: 'Baking',
  siteDescription: 'All about bread.',
  language: 'de',
  joining: 'open',
  publicReading: true,
};

test('the link has the address of the site and a token that the browser does not send to the server', () => {
  expect(link).toMatch(/^https:\/\/ask\.example\.org\/setup#setup\.[\w-]{43}$/);
});

test.each([
  ['without the token', { token: '' }, 'not-allowed'],
  ['with another token', { token: 'setup.AAAA' }, 'not-allowed'],
  ['without a name of the community', { siteName: ' ' }, 'invalid'],
  ['with an unknown way to join', { joining: 'perhaps' }, 'invalid'],
  ['with a language that Parley does not have', { language: 'tlh' }, 'invalid'],
  ['with a short password', { account: { ...account, password: 'short' } }, 'invalid'],
  ['without an account', { account: null }, 'signed-out'],
])('nobody sets the community up %s', async (_, change, kind) => {
  const before = await readSiteSettings(db);
  const response = await server.visitor().post('/setup', { token, ...chosen, account, ...change });
  expect(response.kind).toBe(kind);
  expect(await readSiteSettings(db)).toEqual(before);
  expect((await server.visitor().get('/setup')).body).toEqual({ completed: false, isEmpty: true });
});

test('one of two owners who set the community up at the same time becomes admin, signed in, also with closed registration', async () => {
  const visitors = [server.visitor(), server.visitor()];
  const responses = await Promise.all(
    visitors.map((visitor, index) =>
      visitor.post<{ member: Me }>('/setup', {
        token,
        ...chosen,
        joining: 'closed',
        account: { ...account, displayName: `Olga ${index}`, email: `olga${index}@example.org` },
      }),
    ),
  );
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  const winner = responses.findIndex(({ status }) => status === 201);
  const owner = visitors[winner];
  expect(responses[winner]?.body.member).toMatchObject({ role: 'admin' });
  expect((await owner?.get<{ member: Me }>('/session'))?.body.member).toMatchObject({
    displayName: `Olga ${winner}`,
    role: 'admin',
  });
  expect(await readSiteSettings(db)).toMatchObject({ ...chosen, joining: 'closed' });
  const log = (await owner?.get<ModerationLog>('/moderation/log'))?.body.items ?? [];
  expect(log.map(({ action, subject }) => subject ?? action).toSorted()).toEqual([
    'joining',
    'language',
    'publicReading',
    'role',
    'siteDescription',
    'siteName',
  ]);
  expect((await server.visitor().get('/setup')).body).toEqual({ completed: true, isEmpty: false });
  expect(await findSetupLink(db, where)).toBeNull();
  // The link stays used, also when the command line takes the last admin's role.
  await sql`update member set role = 'member'`.execute(db);
  const again = { token, ...chosen, account: { ...account, email: 'other@example.org' } };
  expect((await server.visitor().post('/setup', again)).kind).toBe('already-handled');
  await eventually(async () => (await register('new@example.org')).kind === 'disabled');
});

const register = (email: string) =>
  server.visitor().post('/members', { displayName: 'New', email, password, confirmPassword: password });
