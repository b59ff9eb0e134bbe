import { sql } from 'kysely';
import { formatError } from '#shared/errors.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addPasskey,
  SoftwareAuthenticator,
  type AuthenticatorFaults,
  type PasskeyOptions,
  createPasskeySignIn,
} from '#tests/support/webauthn-authenticator.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { enableTwoFactor } from '#tests/support/two-factor.ts';
import { startTestServer } from '#tests/support/server.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { type Passkey } from '#shared/identity/passkeys.ts';
import type { SignInState } from '#shared/identity/two-factor.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

async function signIn(
  authenticator: SoftwareAuthenticator,
  faults?: AuthenticatorFaults,
  browser: ApiClient = server.visitor(),
) {
  return browser.post<SignInState>(
    '/session/passkey',
    await createPasskeySignIn(browser, authenticator, faults),
  );
}

const passkeysOf = async (member: Member) =>
  expectOk(await member.get<{ items: Passkey[] }>('/passkeys')).items;

const refused = { status: 401, kind: 'passkey-refused', detail: formatError({ code: 'passkey-refused' }) };

describe('a passkey', () => {
  test('signs in alone, without a password or a code, and shows its last use', async () => {
    const ann = await server.register('Ann');
    const { authenticator } = await addPasskey(ann, '  My phone ');
    await enableTwoFactor(ann);
    expect(await passkeysOf(ann)).toMatchObject([{ name: 'My phone', lastUsedAt: null }]);
    const browser = server.visitor();
    const signedIn = await signIn(authenticator, undefined, browser);
    expect(signedIn).toMatchObject({ status: 200, body: { member: { id: ann.id } } });
    expect((await browser.get('/feeds/recent')).status).toBe(200);
    expect(await passkeysOf(ann)).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  });

  test('that is unknown cannot sign in', async () => {
    expect(await signIn(new SoftwareAuthenticator())).toMatchObject(refused);
  });

  test.each<[string, AuthenticatorFaults]>([
    ['made at another site', { origin: 'https://parley.example.net' }],
    ['for another site', { site: 'parley.example.net' }],
    ['to another challenge', { challenge: 'bm90IHRoZSBvbmU' }],
    ['without a finger, a face or a PIN', { unverified: true }],
    ['of a copy that was used less often', { counter: 1 }],
  ])('is refused with a response %s', async (_, faults) => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    expectOk(await signIn(authenticator));
    expectOk(await signIn(authenticator));
    expect(await signIn(authenticator, faults)).toMatchObject(refused);
  });

  test('accepts a response once, in the browser that requested it', async () => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    const browser = server.visitor();
    const answer = await createPasskeySignIn(browser, authenticator);
    expect(await server.visitor().post('/session/passkey', answer)).toMatchObject({
      kind: 'sign-in-expired',
    });
    const [cookie = ''] = [browser.cookies.get('parley.passkey')];
    const tries = await Promise.all(
      [1, 2, 3].map(() => {
        const copy = server.visitor();
        copy.cookies.set('parley.passkey', cookie);
        return copy.post('/session/passkey', answer);
      }),
    );
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('works in several tabs of a browser', async () => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    const browser = server.visitor();
    const first = await createPasskeySignIn(browser, authenticator);
    await createPasskeySignIn(browser, authenticator);
    expectOk(await browser.post('/session/passkey', first));
  });

  test('of another member does not sign in this one', async () => {
    const { authenticator: anns } = await addPasskey(await server.register('Ann'));
    const { authenticator: bobs } = await addPasskey(await server.register('Bob'));
    const browser = server.visitor();
    const { credential } = await createPasskeySignIn(browser, bobs);
    const forged = { ...credential, id: anns.id, rawId: anns.id };
    expect(await browser.post('/session/passkey', { credential: forged })).toMatchObject(refused);
  });

  test('works on every node', async () => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    const [browser, other] = [server.visitor(), await server.startSecondNode({ publicUrl: server.address })];
    const answer = await createPasskeySignIn(browser, authenticator);
    const there = other.visitor();
    there.cookies = browser.cookies;
    expect((await there.post('/session/passkey', answer)).status).toBe(200);
    await other.stop();
  });
});

describe('adding a passkey', () => {
  test('requires the password', async () => {
    const ann = await server.register('Ann');
    for (const proof of [{}, { password: 'guess' }])
      expect(await ann.post('/passkeys/options', proof)).toMatchObject({ errors: [{ field: 'password' }] });
  });

  test.each<[string, AuthenticatorFaults]>([
    ['at another site', { origin: 'https://parley.example.net' }],
    ['for another site', { site: 'parley.example.net' }],
    ['by another challenge', { challenge: 'bm90IHRoZSBvbmU' }],
    ['without a finger, a face or a PIN', { unverified: true }],
  ])('refuses one that was made %s', async (_, faults) => {
    const ann = await server.register('Ann');
    const options = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    const credential = new SoftwareAuthenticator().create(options, ann.address, faults);
    expect(await ann.post('/passkeys', { name: 'Phone', credential })).toMatchObject({
      status: 401,
      detail: formatError({ code: 'passkey-not-added' }),
    });
    expect(await passkeysOf(ann)).toEqual([]);
  });

  test('refuses a challenge of another member, and a passkey that another member has', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const authenticator = new SoftwareAuthenticator();
    const options = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    const credential = authenticator.create(options, ann.address);
    bob.cookies.set('parley.passkey_new', ann.cookies.get('parley.passkey_new') ?? '');
    expect(await bob.post('/passkeys', { name: 'Phone', credential })).toMatchObject({
      kind: 'sign-in-expired',
    });
    expectOk(await ann.post('/passkeys', { name: 'Phone', credential }));
    const again = expectOk(await bob.post<PasskeyOptions>('/passkeys/options', { password }));
    const same = { name: 'Phone', credential: authenticator.create(again, bob.address) };
    expect(await bob.post('/passkeys', same)).toMatchObject({ status: 409, kind: 'already-done' });
    expect(await passkeysOf(bob)).toEqual([]);
  });

  test('stores the transports that are texts of the standard', async () => {
    const ann = await server.register('Ann');
    const options = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    const credential = new SoftwareAuthenticator().create(options, ann.address);
    const transports = ['usb', 'in\u0000ternal', 'smart-card'];
    const changed = { ...credential, response: { ...credential.response, transports } };
    expectOk(await ann.post('/passkeys', { name: 'Key', credential: changed }));
    const again = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    expect(again).toMatchObject({ excludeCredentials: [{ transports: ['usb', 'smart-card'] }] });
  });

  test(`is limited to ${serverLimits.passkeys} per member`, async () => {
    const ann = await server.register('Ann');
    await sql`
      insert into passkey (member_id, name, credential_id, public_key, user_handle, counter, transports)
      select ${ann.id}, 'key ' || n, 'credential-' || n, '\\x01', 'handle', 0, '{}'
      from generate_series(2, ${sql.lit(serverLimits.passkeys)}) n`.execute(server.db);
    await addPasskey(ann);
    expect(await ann.post('/passkeys/options', { password })).toMatchObject({
      detail: 'You can have up to 20 passkeys.',
    });
  });
});

describe('own passkeys', () => {
  test('are renamed and removed by their member, with the password', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const { authenticator, id } = await addPasskey(ann);
    expect(await bob.put(`/passkeys/${id}`, { name: 'Mine' })).toMatchObject({ status: 404 });
    expect(await bob.post(`/passkeys/${id}/removal`, { password })).toMatchObject({ status: 404 });
    expect(await ann.post(`/passkeys/${id}/removal`, { password: 'guess' })).toMatchObject({ status: 400 });
    expectOk(await ann.put(`/passkeys/${id}`, { name: 'Old phone' }));
    expect(await passkeysOf(ann)).toMatchObject([{ id, name: 'Old phone' }]);
    expectOk(await ann.post(`/passkeys/${id}/removal`, { password }));
    expect(await passkeysOf(ann)).toEqual([]);
    expect(await signIn(authenticator)).toMatchObject(refused);
  });

  test('are not removed if one is the only sign-in method', async () => {
    const ann = await server.register('Ann');
    const { id } = await addPasskey(ann);
    await sql`delete from account where member_id = ${ann.id}`.execute(server.db);
    expect(await ann.post(`/passkeys/${id}/removal`, {})).toMatchObject({
      detail: formatError({ code: 'last-passkey' }),
    });
    expect(await passkeysOf(ann)).toHaveLength(1);
  });

  test('of a member without a password are removed only after a recent sign-in', async () => {
    const ann = await server.register('Ann');
    const [first] = [await addPasskey(ann), await addPasskey(ann)];
    await sql`delete from account where member_id = ${ann.id}`.execute(server.db);
    const longAgo = new Date(Date.now() - 16 * 60_000);
    await sql`update session set created_at = ${longAgo} where member_id = ${ann.id}`.execute(server.db);
    expect(await ann.post(`/passkeys/${first.id}/removal`, {})).toMatchObject({ kind: 'sign-in-again' });
    const browser = server.visitor();
    expectOk(await signIn(first.authenticator, undefined, browser));
    expect((await browser.post(`/passkeys/${first.id}/removal`, {})).status).toBe(204);
  });
});

test('removes sign-in methods added after an email address was changed, when the change is reverted', async () => {
  const ann = await server.register('Ann');
  const { authenticator } = await addPasskey(ann);
  await enableTwoFactor(ann);
  const token = await createLinkToken(server.db, { memberId: ann.id, purpose: 'revert_email' });
  expectOk(await server.visitor().post('/email/revert', { token }));
  expect(await signIn(authenticator)).toMatchObject(refused);
  expect((await sql`select from two_factor where member_id = ${ann.id}`.execute(server.db)).rows).toEqual([]);
});
