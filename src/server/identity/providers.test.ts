import { setSiteSetting } from '#tests/support/site-settings.ts';
import { formatError } from '#shared/errors.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { type ProviderPerson, startOidcProvider } from '#tests/support/oidc-provider.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { generateTotpCode, enableTwoFactor } from '#tests/support/two-factor.ts';
import { type OwnProviderAccount, type ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';

const { server, provider } = await startServerWithProvider();

let people = 0;
/** Creates a person with a verified address at the provider. */
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

/** Sends the browser to the provider. Returns the query it comes back with, without submitting it. */
async function away(browser: ApiClient, who: ProviderPerson, path = '/session/provider', body: object = {}) {
  const wanted = path === '/session/provider' ? { provider: 'oidc', ...body } : body;
  const { url } = expectOk(await browser.post<{ url: string }>(path, wanted));
  return provider.visit(url, who);
}

async function enter(who: ProviderPerson, browser: ApiClient = server.visitor()) {
  const query = await away(browser, who);
  return browser.post<ProviderSignInResult>('/session/provider/callback', { query });
}

const own = async (member: Member) => {
  const { items } = expectOk(await member.get<{ items: OwnProviderAccount[] }>('/provider-accounts'));
  expect(items).toMatchObject([{ provider: { id: 'oidc', name: 'Example' }, isEnabled: true }]);
  return items[0];
};

async function linked(member: Member, who: ProviderPerson): Promise<void> {
  const query = await away(member, who, '/provider-accounts/oidc', { password });
  expect(
    expectOk(await member.post<ProviderSignInResult>('/session/provider/callback', { query })).linked,
  ).toBe(true);
}

describe('a person with a verified address', () => {
  test('becomes a member, and signs in as the same one later, also with a changed address', async () => {
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
      'the local part of the address if the name is not allowed',
      { name: 'A', email: 'grace@example.net' },
      'grace',
    ],
    ['Member if nothing is allowed', { name: '\u0007', email: 'x@example.net' }, 'Member'],
  ])('gets as display name %s', async (_, claims, displayName) => {
    expect((await enter(person(claims))).body.member).toMatchObject({ displayName });
  });

  test('returns to the page they wanted', async () => {
    const browser = server.visitor();
    const query = await away(browser, person(), '/session/provider', { next: '/topics' });
    const { body } = await browser.post<ProviderSignInResult>('/session/provider/callback', { query });
    expect(body.next).toBe('/topics');
  });

  test('cannot register with an address of a domain that is refused', async () => {
    await setSiteSetting(server.db, 'refusedEmailDomains', ['refused.test']);
    await server.siteSettings.refresh();
    const refused = await enter(person({ email: 'eve@mail.refused.test' }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused)).toContain('email-domain-not-allowed');
    await setSiteSetting(server.db, 'refusedEmailDomains', []);
    await server.siteSettings.refresh();
  });

  test('cannot register if sign-up is off', async () => {
    const closed = await server.startSecondNode({
      identityProvider: provider.settings,
      isSignUpOpen: false,
      publicUrl: server.address,
    });
    const refused = await enter(person(), closed.visitor());
    expect(refused).toMatchObject({ status: 403, detail: formatError({ code: 'registration-closed' }) });
    await closed.stop();
  });
});

test('accepts an address that the provider calls verified by the text "true"', async () => {
  const patricia = person({ email_verified: 'true' });
  expect(expectOk(await enter(patricia)).member?.email).toBe(patricia.email);
});

test.each([
  ['that is not verified', { email_verified: false }],
  ['that is not verified, as a text', { email_verified: 'false' }],
  ['that the provider does not call verified', { email_verified: undefined }],
])(
  'creates no member for an address %s, and gives no access to the account of the member who has it',
  async (_, claims) => {
    const ann = await server.register('Ann');
    const refused = await enter({ ...person({ email: ann.email }), ...claims } as ProviderPerson);
    expect(refused).toMatchObject({
      status: 401,
      detail: formatError({ code: 'provider-email-not-verified' }),
    });
  },
);

describe('a person whose address a member has', () => {
  test("enters that member's password, and is linked to them", async () => {
    const ann = await server.register('Ann');
    const who = person({ email: ann.email.toUpperCase() });
    const browser = server.visitor();
    const asked = await enter(who, browser);
    expect(asked.body).toMatchObject({ member: null, needs: 'password', email: ann.email });
    expect((await browser.get('/feeds/recent')).status).toBe(401);
    const wrong = await browser.post('/session/provider/link', { password: 'guess' });
    expect(wrong).toMatchObject({ status: 401, detail: formatError({ code: 'wrong-password' }) });
    expect((await own(ann))?.since).toBeNull();
    expectOk(await browser.post('/session/provider/link', { password }));
    expect(await own(ann)).toMatchObject({ since: expect.any(String) });
    expect((await enter(who)).body.member).toMatchObject({ id: ann.id });
  });

  test('has the usual limit on password attempts, and cannot continue in another browser', async () => {
    const ann = await server.register('Ann');
    const browser = server.visitor();
    await enter(person({ email: ann.email }), browser);
    expect(await server.visitor().post('/session/provider/link', { password })).toMatchObject({
      kind: 'sign-in-expired',
    });
    for (let tries = 0; tries < 5; tries++)
      await browser.post('/session/provider/link', { password: 'guess' });
    expect(await browser.post('/session/provider/link', { password })).toMatchObject({ status: 429 });
  });

  test('also needs the two-factor code, and is linked only then', async () => {
    const ann = await server.register('Ann');
    const key = await enableTwoFactor(ann);
    const who = person({ email: ann.email });
    const browser = server.visitor();
    await enter(who, browser);
    const half = await browser.post('/session/provider/link', { password });
    expect(half.body).toMatchObject({ member: null, needs: 'two-factor' });
    expect((await own(ann))?.since).toBeNull();
    expectOk(await browser.post('/session/two-factor', { code: generateTotpCode(key, 1) }));
    expect((await own(ann))?.since).not.toBeNull();
    expect((await enter(who)).body).toMatchObject({ member: null, needs: 'two-factor' });
  });
});

test('a person whose address an imported member without any sign-in method has is signed in as that member', async () => {
  const ann = await server.register('Ann');
  await sql`update account set password = null where member_id = ${ann.id}`.execute(server.db);
  const who = person({ email: ann.email });
  const browser = server.visitor();
  const entered = await enter(who, browser);
  expect(entered).toMatchObject({ status: 200, body: { member: { id: ann.id }, linked: false } });
  expect(await own(ann)).toMatchObject({ since: expect.any(String) });
  const email = expectOk(await ann.get<OwnEmail>('/email-address'));
  expect(email).toMatchObject({ email: ann.email, isConfirmed: true });
  // Another account at the provider with the same address does not get in any more.
  expect((await enter(person({ email: ann.email }))).body).toMatchObject({ member: null, needs: 'password' });
});

describe('a signed-in member', () => {
  test('links an account with the password, and unlinks it', async () => {
    const ann = await server.register('Ann');
    const who = person();
    expect(await ann.post('/provider-accounts/oidc', { password: 'guess' })).toMatchObject({ status: 400 });
    await linked(ann, who);
    expect((await enter(who)).body.member).toMatchObject({ id: ann.id });
    expectOk(await ann.post('/provider-accounts/oidc/removal', { password }));
    expect((await own(ann))?.since).toBeNull();
    expect((await enter(who)).body.member?.id).not.toBe(ann.id);
  });

  test("cannot link another member's account, or a second one", async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const who = person();
    await linked(ann, who);
    for (const [member, other] of [
      [bob, who],
      [ann, person()],
    ] as const) {
      const query = await away(member, other, '/provider-accounts/oidc', { password });
      expect(await member.post('/session/provider/callback', { query })).toMatchObject({ status: 409 });
    }
  });

  test('who was signed out on the way is not linked', async () => {
    const ann = await server.register('Ann');
    const query = await away(ann, person(), '/provider-accounts/oidc', { password });
    expectOk(await ann.delete('/session'));
    expect(await ann.post('/session/provider/callback', { query })).toMatchObject({
      kind: 'sign-in-expired',
    });
  });

  test('cannot unlink the only sign-in method', async () => {
    const browser = server.visitor();
    await enter(person(), browser);
    expect(expectOk(await browser.get<OwnEmail>('/email-address')).hasPassword).toBe(false);
    const ann = await server.register('Ann');
    expect(expectOk(await ann.get<OwnEmail>('/email-address')).hasPassword).toBe(true);
    const refused = await browser.post('/provider-accounts/oidc/removal', {});
    expect(refused).toMatchObject({ status: 403, detail: formatError({ code: 'last-sign-in-method' }) });
  });
});

describe('the response of the provider', () => {
  test('counts once, and only in the browser that was sent to the provider', async () => {
    const browser = server.visitor();
    const query = await away(browser, person());
    const other = server.visitor();
    await away(other, person());
    // The response of another browser's request could sign a person in as someone else (RFC 6749, 10.12).
    expect(await other.post('/session/provider/callback', { query })).toMatchObject({
      kind: 'provider-refused',
    });
    expect(await server.visitor().post('/session/provider/callback', { query })).toMatchObject({
      kind: 'sign-in-expired',
    });
    const stored = browser.cookies.get('parley.provider') ?? '';
    expect((await browser.post('/session/provider/callback', { query })).status).toBe(200);
    browser.cookies.set('parley.provider', stored);
    expect(await browser.post('/session/provider/callback', { query })).toMatchObject({
      kind: 'sign-in-expired',
    });
  });

  test('of an earlier tab is refused, and leaves the visit that the browser started last', async () => {
    const browser = server.visitor();
    const [earlier, last] = [await away(browser, person()), await away(browser, person())];
    const outcomes = [];
    for (const query of [earlier, last])
      outcomes.push((await browser.post('/session/provider/callback', { query })).status);
    expect(outcomes).toEqual([401, 200]);
  });

  test.each(['', '?error=access_denied', '?code=made-up&state=made-up', '%%%'])(
    'is refused if forged: %s',
    async (query) => {
      const browser = server.visitor();
      await away(browser, person());
      expect(await browser.post('/session/provider/callback', { query })).toMatchObject({
        status: 401,
        detail: formatError({ code: 'provider-refused' }),
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
  ])('%s signs no one in', async (_, claims) => {
    const browser = server.visitor();
    const who = person();
    const query = await away(browser, who);
    provider.overrideClaims(claims);
    const refused = await browser.post('/session/provider/callback', { query });
    provider.overrideClaims(null);
    expect(refused).toMatchObject({
      status: 401,
      kind: 'provider-refused',
      detail: formatError({ code: 'provider-refused' }),
    });
    expect((await browser.get('/feeds/recent')).status).toBe(401);
    // The same request with a valid token works.
    expect((await enter(who)).body.member).toMatchObject({ email: who.email });
  });
});

describe('a provider', () => {
  test.each([
    ['that redirects', (url: string) => url],
    ['whose response does not end', () => null],
  ])('%s is refused', async (_, elsewhere) => {
    const other = await startOidcProvider();
    const node = await server.startSecondNode({
      identityProvider: other.settings,
      publicUrl: server.address,
    });
    let asked = 0;
    other.intercept((request, response) => {
      asked++;
      const url = elsewhere(`${other.settings.issuer}/elsewhere`);
      if (url !== null) response.writeHead(302, { location: url }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(300_000));
      return request.url !== undefined;
    });
    const refused = await node.visitor().post('/session/provider', { provider: 'oidc' });
    expect(refused).toMatchObject({ status: 503, detail: formatError({ code: 'provider-unreachable' }) });
    expect(asked).toBe(1);
    await node.stop();
    await other.stop();
  });

  test('whose userinfo endpoint fails still signs in who has an account', async () => {
    const who = person();
    const first = await enter(who);
    provider.intercept((request, response) => {
      if (request.url !== '/me') return false;
      response.writeHead(500).end();
      return true;
    });
    const second = await enter(who);
    const newcomer = await enter(person());
    provider.intercept(null);
    expect(second.body.member).toMatchObject({ id: first.body.member?.id });
    expect(newcomer).toMatchObject({ status: 503, code: 'provider-unreachable' });
  });

  test('without a userinfo endpoint says that the address is not verified', async () => {
    const other = await startOidcProvider();
    const { issuer } = other.settings;
    const node = await server.startSecondNode({
      identityProvider: other.settings,
      publicUrl: server.address,
    });
    other.registerClient(server.address);
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
    };
    other.intercept((request, response) => {
      if (request.url !== '/.well-known/openid-configuration') return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    });
    const browser = node.visitor();
    const { url } = expectOk(await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }));
    const query = await other.visit(url, person());
    expect(await browser.post('/session/provider/callback', { query })).toMatchObject({
      status: 401,
      code: 'provider-email-not-verified',
    });
    await node.stop();
    await other.stop();
  });

  test('that is not configured is not offered', async () => {
    const plain = await server.startSecondNode();
    expect(expectOk(await plain.visitor().get('/sign-in'))).toEqual({
      providers: [],
      passwordSignIn: true,
      emailVisibility: 'shown',
      joining: 'open',
      signUpQuestions: [],
    });
    expect(await plain.visitor().post('/session/provider', { provider: 'oidc' })).toMatchObject({
      kind: 'disabled',
    });
    await plain.stop();
    expect(expectOk(await server.visitor().get('/sign-in'))).toEqual({
      providers: [{ id: 'oidc', name: 'Example' }],
      passwordSignIn: true,
      emailVisibility: 'shown',
      joining: 'open',
      signUpQuestions: [],
    });
  });
});
