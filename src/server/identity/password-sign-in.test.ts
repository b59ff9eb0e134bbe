import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/index.ts';
import { transaction } from '#server/core/database.ts';
import { lockSetting, storeSiteSetting } from '#server/core/site-settings.ts';
import type { ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';
import { formatError } from '#shared/errors.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { eventually } from '#tests/support/eventually.ts';
import { type Member, expectOk, password } from '#tests/support/member.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { signInAtProvider } from '#tests/support/oidc-provider.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { addPasskey, createPasskeySignIn } from '#tests/support/webauthn-authenticator.ts';

const { server } = await startServerWithProvider();

const disabled = {
  status: 403,
  kind: 'disabled',
  detail: formatError({ code: 'password-sign-in-disabled' }),
};

let admins = 0;
async function registerAdmin(): Promise<Member> {
  const admin = await server.register(['Adele', 'Benjamin', 'Clarissa', 'Dorothea'][admins++] ?? '');
  await setRole(server.db, { email: admin.email, role: 'admin' });
  return admin;
}

const setPasswords = (admin: Member, value: boolean) =>
  admin.put('/admin/settings/passwordSignIn', { value });

/** Changes the settings as the command line does, for this test only. */
async function withSettings(
  values: { passwordSignIn?: boolean; hideSignInReason?: boolean },
  run: () => Promise<void>,
) {
  const names = Object.keys(values) as (keyof typeof values)[];
  const store = async (name: keyof typeof values, value: boolean) => {
    await setSiteSetting(server.db, name, value);
    await server.siteSettings.refresh();
  };
  for (const name of names) await store(name, values[name] === true);
  try {
    await run();
  } finally {
    for (const name of names) await store(name, name === 'passwordSignIn');
  }
}

async function countWithPasswordOnly(admin: Member): Promise<number> {
  return expectOk(await admin.get<{ membersWithPasswordOnly: number }>('/admin/password-sign-in'))
    .membersWithPasswordOnly;
}

async function linkProvider(member: Member): Promise<void> {
  const { url } = expectOk(await member.post<{ url: string }>('/provider-accounts/oidc', { password }));
  const query = await signInAtProvider(url, `linked.${member.email}`);
  expectOk(await member.post('/session/provider/callback', { query }));
}

describe('while an admin has switched passwords off', () => {
  test('refuses to register, sign in, reset and change a password, and sessions continue', async () => {
    const ann = await server.register('Ann');
    await withSettings({ passwordSignIn: false }, async () => {
      expect(expectOk(await server.visitor().get('/sign-in'))).toMatchObject({ passwordSignIn: false });
      const form = { displayName: 'Late', email: 'late@example.org', password };
      expect(await server.visitor().post('/members', form)).toMatchObject(disabled);
      expect(await server.visitor().signIn(ann.email, password)).toMatchObject(disabled);
      expect(await server.visitor().post('/password-resets', { email: ann.email })).toMatchObject(disabled);
      const reset = { token: 'a'.repeat(43), newPassword: password };
      expect(await server.visitor().post('/email/password-reset', reset)).toMatchObject(disabled);
      const change = { currentPassword: password, newPassword: `${password} new` };
      expect(await ann.put('/password', change)).toMatchObject(disabled);
      expect((await ann.me()).id).toBe(ann.id);
    });
    expect((await server.visitor().signIn(ann.email, password)).status).toBe(200);
  });

  test('members sign in with a passkey and cannot remove the last one, although they have a password', async () => {
    const ann = await server.register('Ann');
    const { authenticator, id } = await addPasskey(ann);
    await withSettings({ passwordSignIn: false }, async () => {
      const browser = server.visitor();
      const signIn = await createPasskeySignIn(browser, authenticator);
      expectOk(await browser.post('/session/passkey', signIn));
      expect(await ann.post(`/passkeys/${id}/removal`, { password })).toMatchObject({
        status: 403,
        detail: formatError({ code: 'last-passkey' }),
      });
    });
    expectOk(await ann.post(`/passkeys/${id}/removal`, { password }));
  });

  test('a password only links an account at a provider that has the address of the member', async () => {
    const ann = await server.register('Ann');
    await withSettings({ passwordSignIn: false }, async () => {
      const browser = server.visitor();
      const { url } = expectOk(
        await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }),
      );
      const query = await signInAtProvider(url, ann.email);
      const asked = await browser.post<ProviderSignInResult>('/session/provider/callback', { query });
      expect(asked.body).toMatchObject({ member: null, needs: 'password', email: ann.email });
      const linked = await browser.post<ProviderSignInResult>('/session/provider/link', { password });
      expect(linked.body.member).toMatchObject({ id: ann.id });
    });
  });

  test('members cannot unlink their only account at a provider', async () => {
    const ann = await server.register('Ann');
    await linkProvider(ann);
    await withSettings({ passwordSignIn: false }, async () => {
      expect(await ann.post('/provider-accounts/oidc/removal', { password })).toMatchObject({
        status: 403,
        detail: formatError({ code: 'last-sign-in-method' }),
      });
    });
    expectOk(await ann.post('/provider-accounts/oidc/removal', { password }));
  });
});

test('the last account at a provider cannot be unlinked while passwords are being switched off', async () => {
  const ann = await server.register('Ann');
  await linkProvider(ann);
  const removal = await transaction(server.db, async (tx) => {
    await lockSetting(tx, 'passwordSignIn');
    await storeSiteSetting(tx, 'passwordSignIn', false);
    const started = ann.post('/provider-accounts/oidc/removal', { password });
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
      return rows.length === 1;
    });
    return [started];
  });
  const refused = await removal[0];
  await setSiteSetting(server.db, 'passwordSignIn', true);
  await server.siteSettings.refresh();
  expect(refused).toMatchObject({ status: 403, detail: formatError({ code: 'last-sign-in-method' }) });
});

test.each([false, true])(
  'a reverted change of the address leaves the earlier sign-in methods only while passwords are off (they are on: %s)',
  async (passwordSignIn) => {
    const ann = await server.register('Ann');
    await linkProvider(ann);
    await addPasskey(ann);
    await sql`update account set created_at = now() - interval '2 days' where member_id = ${ann.id}`.execute(
      server.db,
    );
    await withSettings({ passwordSignIn }, async () => {
      const token = await createLinkToken(server.db, { memberId: ann.id, purpose: 'revert_email' });
      await sql`update email_link set expires_at = now() + interval '7 days' where member_id = ${ann.id}`.execute(
        server.db,
      );
      expectOk(await server.visitor().post('/email/revert', { token }));
      expect((await ann.get('/sessions')).status).toBe(401);
      const browser = server.visitor();
      const { url } = expectOk(
        await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }),
      );
      const query = await signInAtProvider(url, `linked.${ann.email}`);
      const signedIn = await browser.post<ProviderSignInResult>('/session/provider/callback', { query });
      expect(signedIn.body.member?.id === ann.id).toBe(!passwordSignIn);
      const { rows } = await sql`select from passkey where member_id = ${ann.id}`.execute(server.db);
      expect(rows).toEqual([]);
    });
  },
);

test('a reset of the password counts accounts at providers that are off, but not at removed ones', async () => {
  const ann = await server.register('Ann');
  await linkProvider(ann);
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(server.db);
  await sql`
    insert into sign_in_provider (id, name, issuer, client_id, encrypted_client_secret, scopes, is_enabled, position)
    values ('off', 'Off', 'https://off.example', 'id', 'secret', 'openid email', false, 1)`.execute(
    server.db,
  );
  for (const issuer of ['https://off.example', 'https://removed.example'])
    await sql`insert into account (member_id, account_id, provider_id)
      values (${ann.id}, ${issuer}, ${`oidc ${issuer}`})`.execute(server.db);
  const token = await createLinkToken(server.db, { memberId: ann.id, purpose: 'reset_password' });
  const reset = { token, newPassword: 'another horse battery' };
  expect(expectOk(await server.visitor().post('/email/password-reset', reset))).toEqual({
    passkeys: 0,
    linkedAccounts: 2,
  });
  await sql`delete from sign_in_provider`.execute(server.db);
});

describe('switching passwords off', () => {
  test('is refused for an admin who could not sign in any more, also by undoing', async () => {
    const admin = await registerAdmin();
    const refused = { status: 403, detail: formatError({ code: 'other-sign-in-method-needed' }) };
    expect(await setPasswords(admin, false)).toMatchObject(refused);
    expect(expectOk(await server.visitor().get('/sign-in'))).toMatchObject({ passwordSignIn: true });
    await setSiteSetting(server.db, 'passwordSignIn', false);
    expectOk(await setPasswords(admin, true));
    const { items } = expectOk(await admin.get<ModerationLog>('/moderation/log'));
    expect(items[0]).toMatchObject({ subject: 'passwordSignIn', after: { value: true } });
    expect(await admin.post('/admin/settings/undo', { entryId: items[0]?.id })).toMatchObject(refused);
  });

  test.each([
    ['a passkey', async (admin: Member) => void (await addPasskey(admin))],
    ['a linked account', linkProvider],
  ])('is possible for an admin with %s', async (_, prepare) => {
    const admin = await registerAdmin();
    await prepare(admin);
    expectOk(await setPasswords(admin, false));
    await server.siteSettings.refresh();
    expect(await server.visitor().signIn(admin.email, password)).toMatchObject(disabled);
    expectOk(await setPasswords(admin, true));
    await server.siteSettings.refresh();
    expect((await server.visitor().signIn(admin.email, password)).status).toBe(200);
  });

  test('is confirmed with the number of members who have only a password', async () => {
    const admin = await registerAdmin();
    const before = await countWithPasswordOnly(admin);
    const [keyed, linked] = await server.registerAll('Keyed', 'Linked', 'Plain');
    expect(await countWithPasswordOnly(admin)).toBe(before + 3);
    await addPasskey(keyed);
    await linkProvider(linked);
    expect(await countWithPasswordOnly(admin)).toBe(before + 1);
  });
});

test('an admin can hide which of address and password was wrong', async () => {
  const ann = await server.register('Ann');
  const hidden = { status: 401, detail: formatError({ code: 'wrong-credentials' }) };
  await withSettings({ hideSignInReason: true }, async () => {
    expect(await server.visitor().signIn(ann.email, 'guess')).toMatchObject(hidden);
    expect(await server.visitor().signIn('no.such@example.org', 'guess')).toMatchObject(hidden);
  });
  expect(await server.visitor().signIn(ann.email, 'guess')).toMatchObject({ kind: 'wrong-password' });
});
