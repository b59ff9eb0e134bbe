import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { formatError } from '#shared/errors.ts';
import type {
  IssuerCheckResult,
  SignInProviderDraft,
  SignInProviders,
} from '#shared/admin/sign-in-providers.ts';
import type { OwnProviderAccount, ProviderSignInResult } from '#shared/identity/sign-in-providers.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import {
  type ProviderPerson,
  startOidcProvider,
  type TestOidcProvider,
} from '#tests/support/oidc-provider.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer, type TestServer } from '#tests/support/server.ts';
import { addPasskey } from '#tests/support/webauthn-authenticator.ts';
import { setRole } from './roles.ts';
import { addSignInProviderCommands } from './sign-in-providers-command.ts';

const server = await startTestServer();
const { db } = server;
const admin = await server.register('Adele');
await setRole(db, { email: admin.email, role: 'admin' });
const [red, blue] = [await startOidcProvider(), await startOidcProvider()];
red.registerClient(server.address, 'red');
blue.registerClient(server.address, 'blue');

beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from sign_in_provider`.execute(db);
});
afterAll(async () => {
  await server.stop();
  await red.stop();
  await blue.stop();
});

const draftOf = ({ settings }: TestOidcProvider, id: string): SignInProviderDraft => ({
  id,
  name: `Sign-in ${id}`,
  issuer: settings.issuer,
  clientId: settings.clientId,
  clientSecret: settings.clientSecret,
  scopes: 'openid email profile',
  trustsEmail: false,
});

async function add(provider: TestOidcProvider, id: string, more: Partial<SignInProviderDraft> = {}) {
  expectOk(await admin.post('/admin/sign-in-providers', { ...draftOf(provider, id), ...more }));
}

async function changeProvider(provider: TestOidcProvider, id: string, more: object) {
  const { id: _, ...values } = draftOf(provider, id);
  return admin.put(`/admin/sign-in-providers/${id}`, { ...values, clientSecret: null, ...more });
}

const listed = async (by: Member = admin) =>
  expectOk(await by.get<SignInProviders>('/admin/sign-in-providers')).items;

const offered = async (at: TestServer = server) =>
  expectOk(await at.visitor().get<{ providers: { id: string }[] }>('/sign-in')).providers.map(({ id }) => id);

let people = 0;
function person(more: Partial<ProviderPerson> = {}): ProviderPerson {
  const number = ++people;
  const verified = { email: `arrival${number}@example.net`, email_verified: true };
  return { subject: `subject-${number}`, ...verified, name: 'Pat Example', ...more };
}

const issuers: Readonly<Record<string, TestOidcProvider>> = { red, blue };

/** Returns the query with which the provider sends the browser back. */
async function away(browser: ApiClient, id: string, who: ProviderPerson): Promise<string> {
  const { url } = expectOk(await browser.post<{ url: string }>('/session/provider', { provider: id }));
  return (issuers[id] as TestOidcProvider).visit(url, who);
}

async function enter(id: string, who: ProviderPerson, browser: ApiClient = server.visitor()) {
  const query = await away(browser, id, who);
  return browser.post<ProviderSignInResult>('/session/provider/callback', { query, provider: id });
}

async function link(member: Member, id: string, who: ProviderPerson) {
  const { url } = expectOk(await member.post<{ url: string }>(`/provider-accounts/${id}`, { password }));
  const query = await (issuers[id] as TestOidcProvider).visit(url, who);
  return member.post<ProviderSignInResult>('/session/provider/callback', { query, provider: id });
}

const log = async () => expectOk(await admin.get<ModerationLog>('/moderation/log')).items;

async function withoutPasswords(run: () => Promise<void>): Promise<void> {
  await setSiteSetting(db, 'passwordSignIn', false);
  await server.siteSettings.refresh();
  try {
    await run();
  } finally {
    await setSiteSetting(db, 'passwordSignIn', true);
    await server.siteSettings.refresh();
  }
}

test('only admins see and change sign-in providers', async () => {
  const moderator = await server.register('Maud');
  await setRole(db, { email: moderator.email, role: 'moderator' });
  for (const caller of [moderator, await server.register('Ann')]) {
    expect((await caller.get('/admin/sign-in-providers')).status).toBe(404);
    expect((await caller.post('/admin/sign-in-providers', draftOf(red, 'red'))).status).toBe(404);
    const check = { issuer: red.settings.issuer };
    expect((await caller.post('/admin/sign-in-providers/checks', check)).status).toBe(404);
  }
  expect(await listed()).toEqual([]);
});

describe('the secret of a client', () => {
  test('is encrypted in the table, and in no response and no log', async () => {
    await add(red, 'red');
    const second = 'another secret of the client';
    expectOk(await changeProvider(red, 'red', { clientSecret: second }));
    const { rows } = await sql<{ row: string }>`
      select row_to_json(sign_in_provider)::text as row from sign_in_provider
      union all select row_to_json(moderation_log)::text from moderation_log`.execute(db);
    const seen = JSON.stringify([rows, await admin.get('/admin/sign-in-providers'), await log()]);
    expect(seen).toContain('"clientSecret":"replaced"');
    expect(seen).not.toContain(red.settings.clientSecret);
    expect(seen).not.toContain(second);
    const [entry] = await log();
    expect(entry).toMatchObject({ action: 'change_sign_in_provider', subject: 'red', before: {} });
  });

  test('must be entered again after a change of SECRET, and until then sign-in says so', async () => {
    await add(red, 'red');
    const publicUrl = server.address;
    const node = await server.startSecondNode({ secret: 'another secret that is long enough', publicUrl });
    const there = node.visitor() as Member;
    expectOk(await there.signIn(admin.email, password));
    expect(await listed(there)).toMatchObject([{ id: 'red', hasReadableSecret: false, enabled: true }]);
    expect(await node.visitor().post('/session/provider', { provider: 'red' })).toMatchObject({
      status: 403,
      detail: formatError({ code: 'provider-secret-unreadable', params: { name: 'Sign-in red' } }),
    });
    const { id: _, ...values } = draftOf(red, 'red');
    expectOk(await there.put('/admin/sign-in-providers/red', values));
    expect(await listed(there)).toMatchObject([{ hasReadableSecret: true }]);
    const { body } = await enter('red', person(), node.visitor());
    expect(body.member).toMatchObject({ displayName: 'Pat Example' });
    await node.stop();
  });

  test('goes in a header to a provider that accepts it only there', async () => {
    const other = await startOidcProvider();
    other.registerClient(server.address, 'red', ['client_secret_basic']);
    const seen: (string | undefined)[] = [];
    other.intercept((request) => {
      if (request.url === '/token') seen.push(request.headers.authorization);
      return false;
    });
    await add(other, 'red');
    const browser = server.visitor();
    const { url } = expectOk(await browser.post<{ url: string }>('/session/provider', { provider: 'red' }));
    const query = await other.visit(url, person());
    expectOk(await browser.post('/session/provider/callback', { query, provider: 'red' }));
    expect(seen).toEqual([expect.stringMatching(/^Basic /u)]);
    await other.stop();
  });
});

describe('two providers', () => {
  test('are offered in the order that an admin chooses, and sign in different people', async () => {
    await add(red, 'red');
    await add(blue, 'blue');
    expect(await offered()).toEqual(['red', 'blue']);
    const who = person();
    const first = await enter('red', who);
    // The same subject elsewhere is another person.
    const second = await enter('blue', { ...who, email: 'elsewhere@example.net' });
    expect(second.body.member?.id).not.toBe(first.body.member?.id);
    expect((await enter('red', who)).body.member).toMatchObject({ id: first.body.member?.id });
    expectOk(await admin.put('/admin/sign-in-provider-order', { ids: ['blue', 'red'] }));
    expect(await offered()).toEqual(['blue', 'red']);
    const [entry] = await log();
    expect(entry).toMatchObject({
      action: 'order_sign_in_providers',
      before: { order: ['red', 'blue'] },
      after: { order: ['blue', 'red'] },
    });
    expect(await admin.put('/admin/sign-in-provider-order', { ids: ['blue'] })).toMatchObject({
      status: 409,
    });
    expectOk(await admin.post('/admin/sign-in-providers/undo', { entryId: entry?.id }));
    expect(await offered()).toEqual(['red', 'blue']);
  });

  test('are linked and unlinked one by one', async () => {
    await add(red, 'red');
    await add(blue, 'blue');
    const ann = await server.register('Ann');
    const own = async () =>
      expectOk(await ann.get<{ items: OwnProviderAccount[] }>('/provider-accounts')).items;
    const who = person();
    expect(expectOk(await link(ann, 'blue', who)).linked).toBe(true);
    expect(await own()).toMatchObject([
      { provider: { id: 'red' }, since: null },
      { provider: { id: 'blue' }, since: expect.any(String) },
    ]);
    expectOk(await link(ann, 'red', who));
    expectOk(await ann.post('/provider-accounts/blue/removal', { password }));
    expect((await enter('red', who)).body.member).toMatchObject({ id: ann.id });
    expect((await own()).map(({ since }) => since !== null)).toEqual([true, false]);
  });

  test('cannot send the code of one to the address of the other', async () => {
    await add(red, 'red');
    await add(blue, 'blue');
    const browser = server.visitor();
    const query = await away(browser, 'red', person());
    const callback = { query, provider: 'blue' };
    expect(await browser.post('/session/provider/callback', callback)).toMatchObject({
      kind: 'provider-refused',
    });
  });

  test('cannot have the same id or issuer', async () => {
    await add(red, 'red');
    const refusals = [
      [draftOf(blue, 'red'), 'id', 'sign-in-provider-id-taken'],
      [draftOf(blue, 'oidc'), 'id', 'sign-in-provider-id-taken'],
      [draftOf(red, 'blue'), 'issuer', 'sign-in-provider-issuer-taken'],
      [
        { ...draftOf(blue, 'blue'), issuer: `${red.settings.issuer}/` },
        'issuer',
        'sign-in-provider-issuer-taken',
      ],
    ] as const;
    for (const [draft, field, code] of refusals)
      expect(await admin.post('/admin/sign-in-providers', draft)).toMatchObject({
        status: 400,
        errors: [{ field, code }],
      });
  });
});

test('a provider of the environment stays beside those of admins, and cannot be changed here', async () => {
  const node = await server.startSecondNode({ identityProvider: blue.settings, publicUrl: server.address });
  await add(red, 'red');
  expect(await offered(node)).toEqual(['oidc', 'red']);
  const there = admin.onServer(node.address);
  there.cookies = admin.cookies;
  expect(await listed(there)).toMatchObject([
    { id: 'oidc', isFromEnvironment: true, redirectUri: `${server.address}/sign-in/callback` },
    { id: 'red', isFromEnvironment: false, redirectUri: `${server.address}/sign-in/callback/red` },
  ]);
  expect((await there.put('/admin/sign-in-providers/oidc/enabled', { enabled: false })).status).toBe(404);
  expect((await there.delete('/admin/sign-in-providers/oidc')).status).toBe(404);
  expect(await there.post('/admin/sign-in-providers', draftOf(blue, 'blue'))).toMatchObject({
    errors: [{ field: 'issuer', code: 'sign-in-provider-issuer-taken' }],
  });
  await node.stop();
});

test('a change applies on another node at once', async () => {
  const node = await server.startSecondNode({ publicUrl: server.address });
  expect(await offered(node)).toEqual([]);
  await add(red, 'red');
  expect(await offered(node)).toEqual(['red']);
  expect((await enter('red', person(), node.visitor())).status).toBe(200);
  expectOk(await admin.put('/admin/sign-in-providers/red/enabled', { enabled: false }));
  expect(await offered(node)).toEqual([]);
  await node.stop();
});

describe('a provider that is off', () => {
  test('refuses to sign in, also people who are on the way', async () => {
    await add(red, 'red');
    const ann = await server.register('Ann');
    const who = person();
    expectOk(await link(ann, 'red', who));
    const browser = server.visitor();
    const query = await away(browser, 'red', who);
    const other = server.visitor();
    const known = person({ email: ann.email });
    expect((await enter('red', known, other)).body.needs).toBe('password');
    expectOk(await admin.put('/admin/sign-in-providers/red/enabled', { enabled: false }));
    const refused = { status: 403, kind: 'disabled', code: 'provider-not-configured' };
    expect(await server.visitor().post('/session/provider', { provider: 'red' })).toMatchObject(refused);
    const callback = { query, provider: 'red' };
    expect(await browser.post('/session/provider/callback', callback)).toMatchObject(refused);
    expect(await other.post('/session/provider/link', { password })).toMatchObject(refused);
    const { items } = expectOk(await ann.get<{ items: OwnProviderAccount[] }>('/provider-accounts'));
    expect(items).toMatchObject([{ provider: { id: 'red' }, isEnabled: false }]);
    expectOk(await admin.put('/admin/sign-in-providers/red/enabled', { enabled: true }));
    expect((await enter('red', who)).body.member).toMatchObject({ id: ann.id });
  });

  test('has its linked accounts again if it is deleted and added with the same issuer', async () => {
    await add(red, 'red');
    const who = person();
    const first = await enter('red', who);
    expectOk(await admin.delete('/admin/sign-in-providers/red'));
    expect(await offered()).toEqual([]);
    expect((await log())[0]).toMatchObject({
      action: 'delete_sign_in_provider',
      subject: 'red',
      before: { name: 'Sign-in red', issuer: red.settings.issuer, enabled: true },
      after: {},
    });
    await add(red, 'red');
    expect((await enter('red', who)).body.member).toMatchObject({ id: first.body.member?.id });
  });
});

describe('an address that the provider does not call verified', () => {
  test.each([
    [true, undefined, 200],
    [true, false, 401],
    [false, undefined, 401],
  ])(
    'creates a member only if an admin trusts the provider: %s, verified %s',
    async (trustsEmail, claim, status) => {
      await add(red, 'red', { trustsEmail });
      const { email_verified: _, ...who } = person();
      const entered = await enter('red', { ...who, ...(claim !== undefined && { email_verified: claim }) });
      expect(entered.status).toBe(status);
    },
  );

  test.each([false, true])(
    'is not confirmed, so its owner can get the account; questions of the community: %s',
    async (hasQuestions) => {
      await add(red, 'red', { trustsEmail: true });
      if (hasQuestions) {
        await setSiteSetting(db, 'signUpQuestions', ['Why?']);
        await server.siteSettings.refresh();
      }
      const { email_verified: _, ...unverified } = person();
      for (const who of [person(), unverified]) {
        const browser = server.visitor();
        const entered = await enter('red', who, browser);
        expect(entered.status).toBe(200);
        if (hasQuestions)
          expectOk(await browser.post('/session/provider/registration', { signUpAnswers: [] }));
      }
      await setSiteSetting(db, 'signUpQuestions', []);
      await server.siteSettings.refresh();
      const { rows } = await sql<{ email_verified: boolean }>`
        select email_verified from member order by id desc limit 2`.execute(db);
      expect(rows.map((row) => row.email_verified)).toEqual([false, true]);
    },
  );

  test('still needs the password of a member who has it', async () => {
    await add(red, 'red', { trustsEmail: true });
    const ann = await server.register('Ann');
    const { email_verified: _, ...who } = person({ email: ann.email });
    expect((await enter('red', who)).body).toMatchObject({ member: null, needs: 'password' });
    // Only a verified address gives access to an account without a sign-in method.
    await sql`update account set password = null where member_id = ${ann.id}`.execute(server.db);
    expect((await enter('red', who)).body).toMatchObject({ member: null, needs: 'password' });
  });
});

describe('a change', () => {
  test('is in the log with the old and the new values, and can be undone once', async () => {
    await add(red, 'red');
    expect((await log())[0]).toMatchObject({
      action: 'add_sign_in_provider',
      subject: 'red',
      moderatorName: 'Adele',
      after: { name: 'Sign-in red', issuer: red.settings.issuer, clientId: 'parley', enabled: true },
    });
    expectOk(await changeProvider(red, 'red', { name: 'Our directory' }));
    expectOk(await changeProvider(red, 'red', { name: 'Our directory' }));
    const [entry, ...earlier] = await log();
    expect(entry).toMatchObject({ before: { name: 'Sign-in red' }, after: { name: 'Our directory' } });
    expect(earlier[0]).toMatchObject({ action: 'add_sign_in_provider' });
    const undo = () => admin.post('/admin/sign-in-providers/undo', { entryId: entry?.id });
    expectOk(await undo());
    expect(await listed()).toMatchObject([{ name: 'Sign-in red' }]);
    expect(await undo()).toMatchObject({ status: 409, code: 'sign-in-provider-changed-since' });
  });

  test('that replaced the secret cannot be undone', async () => {
    await add(red, 'red');
    expectOk(await changeProvider(red, 'red', { name: 'New', clientSecret: 'new' }));
    const [entry] = await log();
    const undo = await admin.post('/admin/sign-in-providers/undo', { entryId: entry?.id });
    expect(undo).toMatchObject({ status: 409 });
  });

  test('of the issuer needs the secret again, and is refused once accounts are linked', async () => {
    // Nobody has an account there.
    await add(red, 'red', { issuer: 'https://id.example.org' });
    expect(await changeProvider(red, 'red', {})).toMatchObject({
      errors: [{ field: 'clientSecret', code: 'secret-for-new-issuer' }],
    });
    const { clientSecret } = red.settings;
    expectOk(await changeProvider(red, 'red', { clientSecret }));
    expectOk(await enter('red', person()));
    expect(await changeProvider(blue, 'red', { clientSecret })).toMatchObject({
      errors: [{ field: 'issuer', code: 'sign-in-provider-issuer-linked' }],
    });
  });

  test.each([
    [{ issuer: 'http://id.example.org' }, 'issuer', 'issuer-not-https'],
    [{ issuer: 'id.example.org' }, 'issuer', 'issuer-not-valid'],
    [{ issuer: 'https://id.example.org/?tenant=1' }, 'issuer', 'issuer-not-valid'],
    [{ issuer: 'https://id.example.org@evil.example' }, 'issuer', 'issuer-not-valid'],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer', 'issuer-of-all-tenants'],
    [{ name: ' ' }, 'name', 'sign-in-provider-field-required'],
    [{ name: 'x'.repeat(41) }, 'name', 'text-too-long'],
    [{ clientSecret: '' }, 'clientSecret', 'sign-in-provider-field-required'],
    [{ scopes: 'email profile' }, 'scopes', 'scope-openid-required'],
    [{ id: 'Not valid' }, 'id', 'sign-in-provider-id-not-valid'],
  ])('%j is refused', async (wrong, field, code) => {
    const refused = await admin.post('/admin/sign-in-providers', { ...draftOf(red, 'red'), ...wrong });
    expect(refused).toMatchObject({ status: 400, errors: [{ field, code }] });
    expect(await listed()).toEqual([]);
  });
});

describe('the last way to sign in', () => {
  async function registerAt(id: string, name: string): Promise<Member> {
    const member = await server.register(name);
    await setRole(db, { email: member.email, role: 'admin' });
    expectOk(await link(member, id, person()));
    return member;
  }

  test('of the admin cannot be switched off or deleted while passwords are off', async () => {
    await add(red, 'red');
    const bea = await registerAt('red', 'Beatrice');
    const refused = { status: 403, code: 'other-sign-in-method-needed' };
    await withoutPasswords(async () => {
      expect(await bea.put('/admin/sign-in-providers/red/enabled', { enabled: false })).toMatchObject(
        refused,
      );
      expect(await bea.delete('/admin/sign-in-providers/red')).toMatchObject(refused);
      expect(await offered()).toEqual(['red']);
      // A provider that the admin does not use is no problem.
      await add(blue, 'blue');
      expectOk(await bea.delete('/admin/sign-in-providers/blue'));
      await addPasskey(bea);
      expectOk(await bea.delete('/admin/sign-in-providers/red'));
    });
    expect(await offered()).toEqual([]);
  });

  test('is counted before the confirmation: members with no other way', async () => {
    await add(red, 'red');
    await add(blue, 'blue');
    const count = async () => expectOk(await admin.get('/admin/sign-in-providers/red/members'));
    const before = (await count()) as { linked: number; withoutOther: number };
    expectOk(await enter('red', person()));
    const ann = await server.register('Ann');
    expectOk(await link(ann, 'red', person()));
    expect(await count()).toEqual({ linked: before.linked + 2, withoutOther: before.withoutOther + 1 });
    await withoutPasswords(async () => {
      const without = (await count()) as { withoutOther: number };
      expectOk(await link(ann, 'blue', person()));
      expect(await count()).toMatchObject({ withoutOther: without.withoutOther - 1 });
    });
  });
});

describe('a check of an issuer', () => {
  const closed = async () => `http://127.0.0.1:${await findFreePort()}`;
  const check = async (issuer: string) =>
    expectOk(await admin.post<IssuerCheckResult>('/admin/sign-in-providers/checks', { issuer }));

  test('says whether its metadata can be used', async () => {
    const { issuer } = red.settings;
    expect(await check(issuer)).toEqual({ outcome: 'ok', detail: '' });
    expect(await check(issuer.replace('127.0.0.1', 'localhost'))).toEqual({
      outcome: 'other-issuer',
      detail: issuer,
    });
    expect(await check(await closed())).toEqual({ outcome: 'unreachable', detail: 'ECONNREFUSED' });
    expect(await check(`${server.address}/nothing`)).toEqual({ outcome: 'no-metadata', detail: 'HTTP 404' });
    const refused = await admin.post('/admin/sign-in-providers/checks', { issuer: 'http://id.example.org' });
    expect(refused).toMatchObject({ errors: [{ field: 'issuer', code: 'issuer-not-https' }] });
  });

  test.each([
    [{ issuer: 'https://id.example.org/{tenantid}/v2.0' }, 'other-issuer'],
    [{ token_endpoint: undefined }, 'not-supported'],
    [{ response_types_supported: ['id_token'] }, 'not-supported'],
    [{ issuer: undefined }, 'no-metadata'],
  ])('finds %j in the metadata', async (wrong, outcome) => {
    const other = await startOidcProvider();
    const { issuer } = other.settings;
    other.intercept((_, response) => {
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/a`,
        token_endpoint: `${issuer}/t`,
        ...wrong,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    });
    expect(await check(issuer)).toMatchObject({ outcome });
    await other.stop();
  });

  test('is limited per admin', async () => {
    const draft = { issuer: await closed() };
    const attempts = Array.from({ length: 61 }, () => admin.post('/admin/sign-in-providers/checks', draft));
    const refused = (await Promise.all(attempts)).filter(({ kind }) => kind === 'too-many');
    expect(refused).toHaveLength(1);
  });
});

test('a provider with another issuer in its metadata signs no one in', async () => {
  await add(red, 'red', { issuer: red.settings.issuer.replace('127.0.0.1', 'localhost') });
  const refused = await server.visitor().post('/session/provider', { provider: 'red' });
  expect(refused).toMatchObject({ status: 503, code: 'provider-unreachable' });
});

test('the command line lists the providers without their secrets', async () => {
  await add(red, 'red');
  await add(blue, 'blue');
  expectOk(await admin.put('/admin/sign-in-providers/blue/enabled', { enabled: false }));
  let out = '';
  const program = new Command('parley').exitOverride();
  addSignInProviderCommands(program, {
    withDatabase: (work) => work(db),
    out: { write: (text: string) => (out += text) },
  });
  await program.parseAsync(['sign-in-provider', 'list'], { from: 'user' });
  expect(out).toBe(
    `red\ton\tSign-in red\t${red.settings.issuer}\nblue\toff\tSign-in blue\t${blue.settings.issuer}\n`,
  );
});
