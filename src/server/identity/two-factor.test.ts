import { formatError } from '#shared/errors.ts';
import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addPasskey } from '#tests/support/webauthn-authenticator.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { generateTotpCode, enableTwoFactor } from '#tests/support/two-factor.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { OwnSession, SessionState } from '#shared/identity/accounts.ts';
import { type TwoFactorSetup, type TwoFactorState, type SignInState } from '#shared/identity/two-factor.ts';

import { addRemoveTwoFactorCommand } from './accounts-command.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

/** A member with an authenticator app. */
type Careful = { member: Member; key: string; codes: string[] };

async function careful(name: string): Promise<Careful> {
  const member = await server.register(name);
  const key = await enableTwoFactor(member);
  await letPeriodsPass(member.id);
  return { member, key, codes: member.recoveryCodes };
}

const setUp = async (member: Member) =>
  expectOk(await member.post<TwoFactorSetup>('/two-factor/setup', { password }));

/** Makes the codes used so far belong to earlier periods. */
async function letPeriodsPass(memberId: number) {
  await sql`update two_factor set last_period = 0 where member_id = ${memberId}`.execute(server.db);
}

/** Returns a browser in which the right password was entered. */
async function halfIn({ member }: Careful): Promise<ApiClient> {
  const browser = server.visitor();
  expectOk(await browser.signIn(member.email, password));
  return browser;
}

const send = (browser: ApiClient, code: string) => browser.post<SignInState>('/session/two-factor', { code });

const whoIs = async (browser: ApiClient) =>
  expectOk(await browser.get<SessionState>('/session')).member?.displayName;

describe('enabling two-factor authentication', () => {
  test('requires the password and then a code of the app', async () => {
    const ann = await server.register('Ann');
    const guessed = await ann.post('/two-factor/setup', { password: 'guess' });
    expect(guessed).toMatchObject({ status: 400, errors: [{ field: 'password' }] });
    const { setup, uri, key } = await setUp(ann);
    expect(uri).toContain('otpauth://totp/Parley');
    expect(uri).toContain(key);
    const wrong = await ann.put('/two-factor', { setup, code: generateTotpCode(key, 20) });
    expect(wrong).toMatchObject({
      status: 400,
      errors: [{ field: 'code', message: formatError({ code: 'two-factor-code-wrong' }) }],
    });
    expect(await stateOf(ann)).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    expect((await ann.put('/two-factor', { setup, code: generateTotpCode(key) })).status).toBe(200);
    expect(await stateOf(ann)).toEqual({ enabledAt: expect.any(String), recoveryCodesLeft: 10 });
    expect(await ann.post('/two-factor/setup', { password })).toMatchObject({ kind: 'already-done' });
  });

  test('ends all other sessions', async () => {
    const ann = await server.register('Ann');
    const phone = await ann.signInElsewhere();
    const { setup, key } = await setUp(ann);
    expectOk(await ann.put('/two-factor', { setup, code: generateTotpCode(key) }));
    expect(await whoIs(phone)).toBeUndefined();
    expect(await whoIs(ann)).toBe('Ann');
  });

  test('refuses a setup of another member, or a forged one', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const { setup, key } = await setUp(ann);
    for (const foreign of [setup, 'made-up', ''])
      expect(await bob.put('/two-factor', { setup: foreign, code: generateTotpCode(key) })).toMatchObject({
        status: 403,
      });
    expect(await stateOf(bob)).toMatchObject({ enabledAt: null });
  });

  test('stores neither the key nor the recovery codes in plain text', async () => {
    const { member, key, codes } = await careful('Ann');
    const { rows } = await sql`
      select * from two_factor join recovery_code on recovery_code.member_id = two_factor.member_id
      where two_factor.member_id = ${member.id}`.execute(server.db);
    expect(rows).toHaveLength(10);
    const stored = JSON.stringify(rows);
    for (const secret of [key, ...codes, ...codes.map((code) => code.replace('-', ''))])
      expect(stored).not.toContain(secret);
  });
});

describe('signing in', () => {
  test('needs the code after the right password', async () => {
    const ann = await careful('Ann');
    const browser = server.visitor();
    const half = await browser.signIn(ann.member.email, password);
    expect(half).toMatchObject({ status: 200, body: { member: null, needs: 'two-factor' } });
    expect(await whoIs(browser)).toBeUndefined();
    expect(await browser.get('/feeds/recent')).toMatchObject({ status: 401 });
    const { body } = await send(
      browser,
      ` ${generateTotpCode(ann.key).slice(0, 3)} ${generateTotpCode(ann.key).slice(3)}`,
    );
    expect(body.member?.id).toBe(ann.member.id);
    expect(await whoIs(browser)).toBe('Ann');
  });

  test('accepts a code once, also from two concurrent browsers, and none from before it', async () => {
    const ann = await careful('Ann');
    const browsers = await Promise.all([halfIn(ann), halfIn(ann)]);
    const tries = await Promise.all(browsers.map((browser) => send(browser, generateTotpCode(ann.key))));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, -1))).toMatchObject({
      kind: 'wrong-code',
    });
  });

  test('accepts a clock that is half a minute off, but not minutes', async () => {
    const ann = await careful('Ann');
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, -4))).toMatchObject({
      kind: 'wrong-code',
    });
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, 1))).toMatchObject({ status: 200 });
  });

  test('cannot continue in another browser after the password', async () => {
    const ann = await careful('Ann');
    await halfIn(ann);
    const refused = await send(server.visitor(), generateTotpCode(ann.key));
    expect(refused).toMatchObject({
      status: 401,
      kind: 'sign-in-expired',
      detail: formatError({ code: 'sign-in-expired' }),
    });
    const forger = server.visitor();
    forger.cookies.set(
      'parley.two_factor',
      (await halfIn(ann)).cookies.get('parley.two_factor')!.slice(0, -3) + 'AAA',
    );
    expect(await send(forger, generateTotpCode(ann.key))).toMatchObject({ kind: 'sign-in-expired' });
  });

  test('refuses a password that was changed meanwhile', async () => {
    const ann = await careful('Ann');
    const browser = await halfIn(ann);
    expectOk(
      await ann.member.put('/password', { currentPassword: password, newPassword: 'another password' }),
    );
    expect(await send(browser, generateTotpCode(ann.key))).toMatchObject({ kind: 'sign-in-expired' });
  });

  test('refuses even the right code for a quarter of an hour after five wrong ones, on every node', async () => {
    const ann = await careful('Ann');
    const other = await server.startSecondNode();
    for (let tries = 0; tries < 5; tries++)
      expect(await send(await halfIn(ann), '000000')).toMatchObject({ status: 401, kind: 'wrong-code' });
    const browser = other.visitor();
    expectOk(await browser.signIn(ann.member.email, password));
    const refused = await send(browser, generateTotpCode(ann.key));
    expect(refused).toMatchObject({ status: 429, detail: formatError({ code: 'too-many-wrong-codes' }) });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await send(await halfIn(await careful('Bob')), '000000')).toMatchObject({ status: 401 });
    await other.stop();
  });
});

describe('recovery codes', () => {
  test('sign in once each, in any notation', async () => {
    const ann = await careful('Ann');
    const [first = '', second = ''] = ann.codes;
    expect(await send(await halfIn(ann), first.toUpperCase().replace('-', ' '))).toMatchObject({
      status: 200,
    });
    expect(await send(await halfIn(ann), first)).toMatchObject({ kind: 'wrong-code' });
    const browsers = await Promise.all([halfIn(ann), halfIn(ann)]);
    const tries = await Promise.all(browsers.map((browser) => send(browser, second)));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(await stateOf(ann.member)).toMatchObject({ recoveryCodesLeft: 8 });
  });

  test('of other members, and replaced ones, do not sign in', async () => {
    const [ann, bob] = [await careful('Ann'), await careful('Bob')];
    expect(await send(await halfIn(ann), bob.codes[0] ?? '')).toMatchObject({ kind: 'wrong-code' });
    const path = '/two-factor/recovery-codes';
    const renewed = expectOk(await ann.member.post<{ recoveryCodes: string[] }>(path, { password }));
    expect(await send(await halfIn(ann), ann.codes[1] ?? '')).toMatchObject({ kind: 'wrong-code' });
    expect(await send(await halfIn(ann), renewed.recoveryCodes[1] ?? '')).toMatchObject({ status: 200 });
  });

  test("still sign in after the community's secret changed, when codes of the app do not", async () => {
    const ann = await careful('Ann');
    const other = await server.startSecondNode({ secret: 'another secret, as long as the one before it' });
    const browser = other.visitor();
    expectOk(await browser.signIn(ann.member.email, password));
    expect(await send(browser, generateTotpCode(ann.key))).toMatchObject({ kind: 'wrong-code' });
    expect(await send(browser, ann.codes[3] ?? '')).toMatchObject({ status: 200 });
    await other.stop();
  });
});

describe('disabling two-factor authentication', () => {
  test('requires the password, and then the password alone signs in again', async () => {
    const ann = await careful('Ann');
    expect(await ann.member.post('/two-factor/removal', { password: 'guess' })).toMatchObject({
      status: 400,
    });
    expect(await ann.member.post('/two-factor/removal', {})).toMatchObject({ status: 400 });
    expect(await server.visitor().signIn(ann.member.email, password)).toMatchObject({
      body: { member: null },
    });
    expectOk(await ann.member.post('/two-factor/removal', { password }));
    const { body } = await server.visitor().signIn(ann.member.email, password);
    expect(body.member?.id).toBe(ann.member.id);
    expect(await ann.member.post('/two-factor/removal', { password })).toMatchObject({
      kind: 'already-done',
    });
  });
});

test('lists the sessions with the time of their start and last use', async () => {
  const ann = await server.register('Ann');
  const { items } = expectOk(await ann.get<{ items: OwnSession[] }>('/sessions'));
  expect(items).toHaveLength(1);
  expect(Date.parse(items[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(
    Date.parse(items[0]?.createdAt ?? 'x'),
  );
});

test('notifies the member of changes to two-factor authentication', async () => {
  const ann = await careful('Ann');
  await send(await halfIn(ann), ann.codes[0] ?? '');
  expectOk(await ann.member.post('/two-factor/recovery-codes', { password }));
  expectOk(await ann.member.post('/two-factor/removal', { password }));
  const recorded = await sql<{ event: string }>`
    select event from security_event where member_id = ${ann.member.id} order by id`.execute(server.db);
  expect(recorded.rows.map(({ event }) => event)).toEqual([
    'two-factor-on',
    'recovery-code-used',
    'recovery-codes-created',
    'two-factor-off',
  ]);
});

describe('parley member remove-two-factor', () => {
  test('removes codes and passkeys of a member who lost them, signs them out, and notifies them', async () => {
    const { member } = await careful('Ann');
    await addPasskey(member);
    expect(await removeFactors(member.email.toUpperCase())).toEqual({
      out: 'Removed: two-factor authentication and 1 passkey. All sessions of the member are ended.\n',
      code: 0,
    });
    expect(await whoIs(member)).toBeUndefined();
    const { body } = await server.visitor().signIn(member.email, password);
    expect(body.member?.id).toBe(member.id);
    const recorded = await sql<{ event: string }>`
      select event from security_event where member_id = ${member.id} order by id desc limit 2`.execute(
      server.db,
    );
    expect(recorded.rows.map(({ event }) => event)).toEqual(['passkey-removed', 'two-factor-off']);
    expect(await removeFactors(member.email)).toMatchObject({
      out: 'The member has neither two-factor authentication nor a passkey.\n',
    });
  });

  test('reports that no member has the address', async () => {
    expect(await removeFactors('nobody@example.org')).toEqual({ out: '', code: 1 });
  });
});

async function removeFactors(email: string): Promise<{ out: string; code: number }> {
  const result = { out: '', code: 0 };
  const program = new Command('member').exitOverride();
  addRemoveTwoFactorCommand(program, {
    withDatabase: (work) => work(server.db, 'http://localhost'),
    out: { write: (text) => (result.out += text) },
    err: { write: () => {} },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['remove-two-factor', email], { from: 'user' });
  return result;
}

const stateOf = async (member: Member) => expectOk(await member.get<TwoFactorState>('/two-factor'));
