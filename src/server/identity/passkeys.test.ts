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
import { limits } from '#shared/core/limits.ts';
import { type Passkey, passkeyMessages } from '#shared/identity/passkeys.ts';
import type { SignInState } from '#shared/identity/two-factor.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

async function signIn(
  authenticator: SoftwareAuthenticator,
  lie?: AuthenticatorFaults,
  browser: ApiClient = server.visitor(),
) {
  return browser.post<SignInState>(
    '/session/passkey',
    await createPasskeySignIn(browser, authenticator, lie),
  );
}

const passkeysOf = async (member: Member) =>
  expectOk(await member.get<{ items: Passkey[] }>('/passkeys')).items;

const refused = { status: 401, code: 'passkey-refused', detail: passkeyMessages.refused };

describe('a passkey', () => {
  test('signs in alone, without a password or a code, and says when it was used last', async () => {
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

  test('that is not known here signs nobody in', async () => {
    expect(await signIn(new SoftwareAuthenticator())).toMatchObject(refused);
  });

  test.each<[string, AuthenticatorFaults]>([
    ['made at another site', { origin: 'https://parley.example.net' }],
    ['for another site', { site: 'parley.example.net' }],
    ['to another challenge', { challenge: 'bm90IHRoZSBvbmU' }],
    ['without a finger, a face or a PIN', { unverified: true }],
    ['of a copy that was used less often', { counter: 1 }],
  ])('an answer %s is refused', async (_, lie) => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    expectOk(await signIn(authenticator));
    expectOk(await signIn(authenticator));
    expect(await signIn(authenticator, lie)).toMatchObject(refused);
  });

  test('an answer counts once, in the browser that asked', async () => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    const browser = server.visitor();
    const answer = await createPasskeySignIn(browser, authenticator);
    expect(await server.visitor().post('/session/passkey', answer)).toMatchObject({ code: 'step-ended' });
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

  test("an answer signed by another member's passkey does not speak for this one", async () => {
    const { authenticator: anns } = await addPasskey(await server.register('Ann'));
    const { authenticator: bobs } = await addPasskey(await server.register('Bob'));
    const browser = server.visitor();
    const { credential } = await createPasskeySignIn(browser, bobs);
    const forged = { ...credential, id: anns.id, rawId: anns.id };
    expect(await browser.post('/session/passkey', { credential: forged })).toMatchObject(refused);
  });

  test('works on every node', async () => {
    const { authenticator } = await addPasskey(await server.register('Ann'));
    const [browser, other] = [server.visitor(), await server.startBeside({ publicUrl: server.address })];
    const answer = await createPasskeySignIn(browser, authenticator);
    const there = other.visitor();
    there.cookies = browser.cookies;
    expect((await there.post('/session/passkey', answer)).status).toBe(200);
    await other.stop();
  });
});

describe('adding a passkey', () => {
  test('asks for the password', async () => {
    const ann = await server.register('Ann');
    for (const proof of [{}, { password: 'guess' }])
      expect(await ann.post('/passkeys/options', proof)).toMatchObject({ errors: [{ field: 'password' }] });
  });

  test.each<[string, AuthenticatorFaults]>([
    ['at another site', { origin: 'https://parley.example.net' }],
    ['for another site', { site: 'parley.example.net' }],
    ['by another challenge', { challenge: 'bm90IHRoZSBvbmU' }],
    ['without a finger, a face or a PIN', { unverified: true }],
  ])('one that was made %s is refused', async (_, lie) => {
    const ann = await server.register('Ann');
    const options = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    const credential = new SoftwareAuthenticator().create(options, ann.address, lie);
    expect(await ann.post('/passkeys', { name: 'Phone', credential })).toMatchObject({
      status: 401,
      detail: passkeyMessages.notAdded,
    });
    expect(await passkeysOf(ann)).toEqual([]);
  });

  test('what one member was asked for is not added to another, nor one passkey to two', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const authenticator = new SoftwareAuthenticator();
    const options = expectOk(await ann.post<PasskeyOptions>('/passkeys/options', { password }));
    const credential = authenticator.create(options, ann.address);
    bob.cookies.set('parley.passkey_new', ann.cookies.get('parley.passkey_new') ?? '');
    expect(await bob.post('/passkeys', { name: 'Phone', credential })).toMatchObject({ code: 'step-ended' });
    expectOk(await ann.post('/passkeys', { name: 'Phone', credential }));
    const again = expectOk(await bob.post<PasskeyOptions>('/passkeys/options', { password }));
    const same = { name: 'Phone', credential: authenticator.create(again, bob.address) };
    expect(await bob.post('/passkeys', same)).toMatchObject({ status: 409, code: 'done-already' });
    expect(await passkeysOf(bob)).toEqual([]);
  });

  test(`one too many is refused: a member has ${limits.passkeys} at most`, async () => {
    const ann = await server.register('Ann');
    const kept = {
      member_id: ann.id,
      public_key: Buffer.of(1),
      user_handle: 'handle',
      counter: 0,
      transports: [],
    };
    const names = Array.from({ length: limits.passkeys - 1 }, (_, made) => `key ${made}`);
    const rows = names.map((name) => ({
      ...kept,
      name,
      credential_id: Buffer.from(name).toString('base64url'),
    }));
    await server.db.insertInto('passkey').values(rows).execute();
    await addPasskey(ann);
    expect(await ann.post('/passkeys/options', { password })).toMatchObject({
      detail: passkeyMessages.tooMany,
    });
  });
});

describe('own passkeys', () => {
  test('are renamed and removed, by whom they belong to, with the password', async () => {
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

  test('the only way to sign in is not removed', async () => {
    const ann = await server.register('Ann');
    const { id } = await addPasskey(ann);
    await server.db.deleteFrom('account').where('member_id', '=', ann.id).execute();
    expect(await ann.post(`/passkeys/${id}/removal`, {})).toMatchObject({
      detail: passkeyMessages.lastSignInMethod,
    });
    expect(await passkeysOf(ann)).toHaveLength(1);
  });

  test('who has no password must have signed in a short time ago to remove one', async () => {
    const ann = await server.register('Ann');
    const [first] = [await addPasskey(ann), await addPasskey(ann)];
    await server.db.deleteFrom('account').where('member_id', '=', ann.id).execute();
    const longAgo = new Date(Date.now() - 16 * 60_000);
    await server.db
      .updateTable('session')
      .set({ created_at: longAgo })
      .where('member_id', '=', ann.id)
      .execute();
    expect(await ann.post(`/passkeys/${first.id}/removal`, {})).toMatchObject({ code: 'sign-in-again' });
    const browser = server.visitor();
    expectOk(await signIn(first.authenticator, undefined, browser));
    expect((await browser.post(`/passkeys/${first.id}/removal`, {})).status).toBe(204);
  });
});

test('taking an address back takes away the ways in that whoever changed it may have added', async () => {
  const ann = await server.register('Ann');
  const { authenticator } = await addPasskey(ann);
  await enableTwoFactor(ann);
  const token = await createLinkToken(server.db, { memberId: ann.id, purpose: 'return' });
  expectOk(await server.visitor().post('/mail/old-address', { token }));
  expect(await signIn(authenticator)).toMatchObject(refused);
  expect(
    await server.db.selectFrom('two_factor').where('member_id', '=', ann.id).selectAll().execute(),
  ).toEqual([]);
});
