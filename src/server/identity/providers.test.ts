import { describe, expect, test } from 'vitest';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { type ProviderPerson, startOidcProvider } from '#tests/support/oidc-provider.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { generateTotpCode, enableTwoFactor } from '#tests/support/two-factor.ts';
import { accountMessages } from '#shared/identity/accounts.ts';
import {
  type OwnProviderAccount,
  providerAccountMessages,
  providerMessages,
  type ProviderSignInResult,
} from '#shared/identity/sign-in-providers.ts';

const { server, provider } = await startServerWithProvider();

let people = 0;
/** Somebody with a verified address at the provider. */
function person(more: Partial<ProviderPerson> = {}): ProviderPerson & { email: string } {
  const number = ++people;
  const email = `person${number}@example.net`;
  return {
    subject: `subject-${number}`,
    email_verified: true,
    name: 'Pat Example',
    ...more,
    email: more.email ?? email,
  };
}

/** Goes to the provider and comes back with what it said; nothing is done with it yet. */
async function away(browser: ApiClient, who: ProviderPerson, path = '/session/provider', body: object = {}) {
  const { url } = expectOk(await browser.post<{ url: string }>(path, body));
  return provider.visit(url, who);
}

async function enter(who: ProviderPerson, browser: ApiClient = server.visitor()) {
  const query = await away(browser, who);
  return browser.post<ProviderSignInResult>('/session/provider/return', { query });
}

const own = async (member: Member) => expectOk(await member.get<OwnProviderAccount>('/provider-account'));

async function linked(member: Member, who: ProviderPerson): Promise<void> {
  const query = await away(member, who, '/provider-account', { password });
  expect(
    expectOk(await member.post<ProviderSignInResult>('/session/provider/return', { query })).linked,
  ).toBe(true);
}

describe('somebody with a verified address', () => {
  test('becomes a member, and is the same one the next time, whatever the address is then', async () => {
    const who = person();
    const browser = server.visitor();
    const first = await enter(who, browser);
    expect(first).toMatchObject({
      status: 200,
      body: { member: { displayName: 'Pat Example', email: who.email }, linked: false, email: null },
    });
    expect((await browser.get('/feeds/recent')).status).toBe(200);
    const second = await enter({ ...who, email: 'moved@example.net', name: 'Patricia' });
    expect(second.body.member).toMatchObject({ id: first.body.member?.id, email: who.email });
  });

  test.each([
    ['the name', { name: '  Ada  ' }, 'Ada'],
    [
      'what stands before the @, where the name may be none here',
      { name: 'A', email: 'grace@example.net' },
      'grace',
    ],
    ['Member, where nothing will do', { name: '\u0007', email: 'x@example.net' }, 'Member'],
  ])('is called by %s', async (_, claims, displayName) => {
    expect((await enter(person(claims))).body.member).toMatchObject({ displayName });
  });

  test('comes back to where they wanted to be', async () => {
    const browser = server.visitor();
    const query = await away(browser, person(), '/session/provider', { next: '/topics' });
    const { body } = await browser.post<ProviderSignInResult>('/session/provider/return', { query });
    expect(body.next).toBe('/topics');
  });

  test('is not taken in where sign-up is off', async () => {
    const closed = await server.startBeside({
      identityProvider: provider.settings,
      isSignUpOpen: false,
      publicUrl: server.address,
    });
    const refused = await enter(person(), closed.visitor());
    expect(refused).toMatchObject({ status: 403, detail: providerAccountMessages.signUpDisabled });
    await closed.stop();
  });
});

test.each([
  ['that is not verified', { email_verified: false }],
  ['about which the provider says nothing', { email_verified: undefined }],
])('an address %s makes no member, and gives nobody the account of who has it', async (_, claims) => {
  const ann = await server.register('Ann');
  const refused = await enter({ ...person({ email: ann.email }), ...claims } as ProviderPerson);
  expect(refused).toMatchObject({ status: 401, detail: providerAccountMessages.emailNotVerified });
});

describe('whose address a member has', () => {
  test('is asked for the password of that member, and linked to them', async () => {
    const ann = await server.register('Ann');
    const who = person({ email: ann.email.toUpperCase() });
    const browser = server.visitor();
    const asked = await enter(who, browser);
    expect(asked.body).toMatchObject({ member: null, needs: 'password', email: ann.email });
    expect((await browser.get('/feeds/recent')).status).toBe(401);
    const wrong = await browser.post('/session/provider/link', { password: 'guess' });
    expect(wrong).toMatchObject({ status: 401, detail: accountMessages.wrongPassword });
    expect((await own(ann)).since).toBeNull();
    expectOk(await browser.post('/session/provider/link', { password }));
    expect(await own(ann)).toEqual({ provider: 'Example', since: expect.any(String) });
    expect((await enter(who)).body.member).toMatchObject({ id: ann.id });
  });

  test('guesses the password no more often than anybody, and not in another browser', async () => {
    const ann = await server.register('Ann');
    const browser = server.visitor();
    await enter(person({ email: ann.email }), browser);
    expect(await server.visitor().post('/session/provider/link', { password })).toMatchObject({
      code: 'step-ended',
    });
    for (let tries = 0; tries < 5; tries++)
      await browser.post('/session/provider/link', { password: 'guess' });
    expect(await browser.post('/session/provider/link', { password })).toMatchObject({ status: 429 });
  });

  test('is asked for the second factor as well, and linked only then', async () => {
    const ann = await server.register('Ann');
    const key = await enableTwoFactor(ann);
    const who = person({ email: ann.email });
    const browser = server.visitor();
    await enter(who, browser);
    const half = await browser.post('/session/provider/link', { password });
    expect(half.body).toMatchObject({ member: null, needs: 'second-factor' });
    expect((await own(ann)).since).toBeNull();
    expectOk(await browser.post('/session/second-factor', { code: generateTotpCode(key, 1) }));
    expect((await own(ann)).since).not.toBeNull();
    expect((await enter(who)).body).toMatchObject({ member: null, needs: 'second-factor' });
  });
});

describe('a member who is signed in', () => {
  test('links an account with the password, and unlinks it', async () => {
    const ann = await server.register('Ann');
    const who = person();
    expect(await ann.post('/provider-account', { password: 'guess' })).toMatchObject({ status: 400 });
    await linked(ann, who);
    expect((await enter(who)).body.member).toMatchObject({ id: ann.id });
    expectOk(await ann.post('/provider-account/removal', { password }));
    expect((await own(ann)).since).toBeNull();
    expect((await enter(who)).body.member?.id).not.toBe(ann.id);
  });

  test("does not get another member's, nor a second one", async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const who = person();
    await linked(ann, who);
    for (const [member, other] of [
      [bob, who],
      [ann, person()],
    ] as const) {
      const query = await away(member, other, '/provider-account', { password });
      expect(await member.post('/session/provider/return', { query })).toMatchObject({ status: 409 });
    }
  });

  test('who was signed out on the way is linked to nothing', async () => {
    const ann = await server.register('Ann');
    const query = await away(ann, person(), '/provider-account', { password });
    expectOk(await ann.delete('/session'));
    expect(await ann.post('/session/provider/return', { query })).toMatchObject({ code: 'step-ended' });
  });

  test('does not lose the only way to sign in', async () => {
    const browser = server.visitor();
    await enter(person(), browser);
    const refused = await browser.post('/provider-account/removal', {});
    expect(refused).toMatchObject({ status: 403, detail: providerAccountMessages.lastSignInMethod });
  });
});

describe('what the browser brings back', () => {
  test('counts once, and in the browser that was sent there', async () => {
    const browser = server.visitor();
    const query = await away(browser, person());
    const other = server.visitor();
    await away(other, person());
    // Another's answer in a browser that was sent there as well: somebody would be signed in as another (RFC 6749, 10.12).
    expect(await other.post('/session/provider/return', { query })).toMatchObject({
      code: 'provider-refused',
    });
    expect(await server.visitor().post('/session/provider/return', { query })).toMatchObject({
      code: 'step-ended',
    });
    const kept = browser.cookies.get('parley.provider') ?? '';
    expect((await browser.post('/session/provider/return', { query })).status).toBe(200);
    browser.cookies.set('parley.provider', kept);
    expect(await browser.post('/session/provider/return', { query })).toMatchObject({ code: 'step-ended' });
  });

  test.each(['', '?error=access_denied', '?code=made-up&state=made-up', '%%%'])(
    'made up is refused: %s',
    async (query) => {
      const browser = server.visitor();
      await away(browser, person());
      expect(await browser.post('/session/provider/return', { query })).toMatchObject({
        status: 401,
        detail: providerMessages.refused,
      });
    },
  );
});

describe('a token of the provider', () => {
  test.each([
    ['with another nonce', { nonce: 'made up' }],
    ['for another audience', { aud: 'another site' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['that has expired', { exp: 1_000_000_000, iat: 999_999_000 }],
    ['that is not valid yet', { nbf: 4_000_000_000 }],
    ['without a subject', { sub: undefined }],
  ])('%s signs nobody in', async (_, claims) => {
    const browser = server.visitor();
    const who = person();
    const query = await away(browser, who);
    provider.overrideClaims(claims);
    const refused = await browser.post('/session/provider/return', { query });
    provider.overrideClaims(null);
    expect(refused).toMatchObject({
      status: 401,
      code: 'provider-refused',
      detail: providerMessages.refused,
    });
    expect((await browser.get('/feeds/recent')).status).toBe(401);
    // The same visit with a right token.
    expect((await enter(who)).body.member).toMatchObject({ email: who.email });
  });
});

describe('a provider', () => {
  test.each([
    ['that sends Parley elsewhere', (url: string) => url],
    ['that answers without an end', () => null],
  ])('%s is not followed', async (_, elsewhere) => {
    const other = await startOidcProvider();
    const node = await server.startBeside({ identityProvider: other.settings, publicUrl: server.address });
    let asked = 0;
    other.intercept((request, response) => {
      asked++;
      const url = elsewhere(`${other.settings.issuer}/elsewhere`);
      if (url !== null) response.writeHead(302, { location: url }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(300_000));
      return request.url !== undefined;
    });
    const refused = await node.visitor().post('/session/provider', {});
    expect(refused).toMatchObject({ status: 503, detail: providerMessages.unreachable });
    expect(asked).toBe(1);
    await node.stop();
    await other.stop();
  });

  test('that is not set up is not offered', async () => {
    const plain = await server.startBeside();
    expect(expectOk(await plain.visitor().get('/sign-in'))).toEqual({
      provider: null,
      emailVisibility: 'shown',
    });
    expect(await plain.visitor().post('/session/provider', {})).toMatchObject({ code: 'disabled' });
    await plain.stop();
    expect(expectOk(await server.visitor().get('/sign-in'))).toEqual({
      provider: 'Example',
      emailVisibility: 'shown',
    });
  });
});
