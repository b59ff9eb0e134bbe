import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Me } from '#shared/identity/accounts.ts';
import type { Invitation, OpenInvitation } from '#shared/identity/invitations.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { setRole } from './roles.ts';
import { changeSetting } from './settings.ts';

const { server, provider } = await startServerWithProvider();
const { db } = server;
const [moderator, member] = await server.registerAll('Mona', 'Marc');
await setRole(db, { email: moderator.email, role: 'moderator' });

const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1_000).toISOString();
const draft = { note: 'Baking course', maxUses: 1, expiresAt: inDays(7) };

async function invite(change: Partial<typeof draft> = {}): Promise<{ id: number; token: string }> {
  return expectOk(
    await moderator.post<{ id: number; token: string }>('/admin/invitations', { ...draft, ...change }),
  );
}

let emails = 0;
const register = (invitation?: string, email = `invited${++emails}@example.org`) =>
  server.visitor().post<{ member: Me }>('/members', { displayName: 'Guest', email, password, invitation });

const list = async () =>
  expectOk(await moderator.get<{ items: Invitation[]; nextCursor: string | null }>('/admin/invitations'));

async function setJoining(value: string) {
  await changeSetting(db, { adminId: null, name: 'joining', value });
  const expected = { open: 201, invitation: 403, closed: 403 }[value];
  await eventually(async () => (await register()).status === expected);
}

describe('an invitation', () => {
  test('registers as many members as it has uses, also when more try at the same time', async () => {
    const { id, token } = await invite({ maxUses: 2 });
    const responses = await Promise.all(Array.from({ length: 6 }, () => register(token)));
    const joined = responses.filter(({ status }) => status === 201).map(({ body }) => body.member.id);
    expect(joined).toHaveLength(2);
    expect(responses.filter(({ code }) => code === 'invitation-used-up')).toHaveLength(4);
    const [item] = (await list()).items;
    expect(item).toMatchObject({ id, note: draft.note, maxUses: 2, uses: 2, state: 'used-up' });
    expect(item?.createdBy).toEqual({ id: moderator.id, displayName: 'Mona' });
    expect(item?.members.map((each) => each.id).toSorted((a, b) => a - b)).toEqual(
      joined.toSorted((a, b) => a - b),
    );
    const about = await moderator.get<ModeratedMember>(`/moderation/members/${joined[0]}`);
    expect(about.body.invitedBy).toEqual({ id: moderator.id, displayName: 'Mona' });
  });

  test('keeps its use if the registration fails', async () => {
    const { token } = await invite();
    const email = 'twice@example.org';
    const [first, second] = await Promise.all([register(undefined, email), register(token, email)]);
    expect([first.status, second.status].toSorted((a, b) => a - b)).toEqual([201, 409]);
    // Whichever came first, one registration with the link succeeds.
    const later = await register(token);
    expect(later.status).toBe(second.status === 201 ? 410 : 201);
    expect((await list()).items[0]).toMatchObject({ uses: 1 });
  });

  test('does not work while its maker is no moderator', async () => {
    const { token } = await invite({ maxUses: 3 });
    expect((await register(token)).status).toBe(201);
    await setRole(db, { email: moderator.email, role: 'member' });
    const refused = await register(token);
    await setRole(db, { email: moderator.email, role: 'moderator' });
    expect(refused).toMatchObject({ code: 'invitation-revoked' });
    expect((await register(token)).status).toBe(201);
  });

  test('is stored without its token', async () => {
    const { token } = await invite();
    const { rows } = await sql<{ row: string }>`select invitation::text as row from invitation`.execute(db);
    expect(rows.some(({ row }) => row.includes(token))).toBe(false);
    expect(JSON.stringify(await list())).not.toContain(token);
  });

  test('shows visitors who invites them', async () => {
    const { token } = await invite();
    const { body } = await server.visitor().post<OpenInvitation>('/invitation', { token });
    expect(body).toEqual({ inviterName: 'Mona', expiresAt: draft.expiresAt });
  });

  test.each([
    ['invitation-not-valid', async () => 'unknown'],
    [
      'invitation-expired',
      async () => {
        const { id, token } = await invite();
        await sql`update invitation set expires_at = now() - interval '1 second' where id = ${id}`.execute(
          db,
        );
        return token;
      },
    ],
    [
      'invitation-revoked',
      async () => {
        const { id, token } = await invite();
        expectOk(await moderator.delete(`/admin/invitations/${id}`));
        expect(await moderator.delete(`/admin/invitations/${id}`)).toMatchObject({ kind: 'already-handled' });
        return token;
      },
    ],
  ])('does not work: %s', async (code, makeToken) => {
    const token = await makeToken();
    expect(await server.visitor().post('/invitation', { token })).toMatchObject({ status: 410, code });
    expect(await register(token)).toMatchObject({ status: 410, code });
    // A stranger with a wrong link does not learn which addresses are registered.
    expect(await register(token, member.email)).toMatchObject({ status: 410, code });
  });

  test.each([
    ['without uses', { maxUses: 0 }, 'maxUses'],
    ['with too many uses', { maxUses: 1001 }, 'maxUses'],
    ['that has expired', { expiresAt: inDays(-1) }, 'expiresAt'],
    ['for more than a year', { expiresAt: inDays(370) }, 'expiresAt'],
    ['with a long note', { note: 'n'.repeat(201) }, 'note'],
  ])('is refused %s', async (_, change, field) => {
    expect(await moderator.post('/admin/invitations', { ...draft, ...change })).toMatchObject({
      status: 400,
      errors: [{ field }],
    });
  });

  test('is made, listed and revoked by moderators only', async () => {
    const { id } = await invite();
    for (const response of [
      await member.get('/admin/invitations'),
      await member.post('/admin/invitations', draft),
      await member.delete(`/admin/invitations/${id}`),
    ])
      expect(response).toMatchObject({ status: 404, code: 'page-not-found' });
    expect((await list()).items[0]).toMatchObject({ id, state: 'active' });
    expect(await moderator.delete('/admin/invitations/999999')).toMatchObject({
      code: 'invitation-not-found',
    });
  });

  test('is made at most 100 times in an hour by one moderator', async () => {
    const keen = await server.register('Keen');
    await setRole(db, { email: keen.email, role: 'moderator' });
    const responses = await Promise.all(
      Array.from({ length: 101 }, () => keen.post('/admin/invitations', draft)),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(responses.find(({ status }) => status !== 201)).toMatchObject({ status: 429, code: 'too-often' });
  });
});

describe('while only people with an invitation may join', () => {
  test('nobody registers without one', async () => {
    await setJoining('invitation');
    expect(await register()).toMatchObject({ status: 403, code: 'invitation-required' });
    expect(await register(undefined, member.email)).toMatchObject({ code: 'invitation-required' });
    expect((await register((await invite()).token)).status).toBe(201);
  });

  test('a person with an account at the identity provider needs one as well', async () => {
    const enter = async (subject: string, invitation?: string) => {
      const browser = server.visitor();
      const { url } = expectOk(
        await browser.post<{ url: string }>('/session/provider', { provider: 'oidc', invitation }),
      );
      const who = { subject, email: `${subject}@example.net`, email_verified: true, name: 'Pat' };
      return browser.post('/session/provider/callback', { query: await provider.visit(url, who) });
    };
    expect(await enter('pat')).toMatchObject({ status: 403, code: 'invitation-required' });
    const { token } = await invite();
    expect((await enter('pat', token)).status).toBe(200);
    expect(await enter('pia', token)).toMatchObject({ status: 410, code: 'invitation-used-up' });
    // Members sign in without one.
    expect((await enter('pat')).status).toBe(200);
  });
});

test('an invitation does not work while nobody may join', async () => {
  await setJoining('closed');
  expect(await register((await invite()).token)).toMatchObject({ status: 403, code: 'registration-closed' });
});
