import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addPasskey } from '#tests/support/webauthn-authenticator.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { generateTotpCode, enableTwoFactor } from '#tests/support/two-factor.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { OwnSession, SessionState } from '#shared/identity/accounts.ts';
import {
  twoFactorMessages,
  type TwoFactorSetup,
  type TwoFactorState,
  type SignInState,
} from '#shared/identity/two-factor.ts';

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
  expectOk(await member.post<TwoFactorSetup>('/second-factor/setup', { password }));

/** As if the codes taken so far were of a while ago. */
async function letPeriodsPass(memberId: number) {
  await server.db
    .updateTable('two_factor')
    .set({ last_period: 0 })
    .where('member_id', '=', memberId)
    .execute();
}

/** A browser in which the password was right. */
async function halfIn({ member }: Careful): Promise<ApiClient> {
  const browser = server.visitor();
  expectOk(await browser.signIn(member.email, password));
  return browser;
}

const send = (browser: ApiClient, code: string) =>
  browser.post<SignInState>('/session/second-factor', { code });

const whoIs = async (browser: ApiClient) =>
  expectOk(await browser.get<SessionState>('/session')).member?.displayName;

describe('switching on', () => {
  test('asks for the password, and then for a code of the app', async () => {
    const ann = await server.register('Ann');
    const guessed = await ann.post('/second-factor/setup', { password: 'guess' });
    expect(guessed).toMatchObject({ status: 400, errors: [{ field: 'password' }] });
    const { setup, uri, key } = await setUp(ann);
    expect(uri).toContain('otpauth://totp/Parley');
    expect(uri).toContain(key);
    const wrong = await ann.put('/second-factor', { setup, code: generateTotpCode(key, 20) });
    expect(wrong).toMatchObject({
      status: 400,
      errors: [{ field: 'code', message: twoFactorMessages.wrongCode }],
    });
    expect(await stateOf(ann)).toEqual({ enabledAt: null, recoveryCodesLeft: 0 });
    expect((await ann.put('/second-factor', { setup, code: generateTotpCode(key) })).status).toBe(200);
    expect(await stateOf(ann)).toEqual({ enabledAt: expect.any(String), recoveryCodesLeft: 10 });
    expect(await ann.post('/second-factor/setup', { password })).toMatchObject({ code: 'done-already' });
  });

  test('ends the sessions elsewhere, and not this one', async () => {
    const ann = await server.register('Ann');
    const phone = await ann.signInElsewhere();
    const { setup, key } = await setUp(ann);
    expectOk(await ann.put('/second-factor', { setup, code: generateTotpCode(key) }));
    expect(await whoIs(phone)).toBeUndefined();
    expect(await whoIs(ann)).toBe('Ann');
  });

  test('with what was set up for somebody else, or made up, is refused', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const { setup, key } = await setUp(ann);
    for (const foreign of [setup, 'made-up', ''])
      expect(await bob.put('/second-factor', { setup: foreign, code: generateTotpCode(key) })).toMatchObject({
        status: 403,
      });
    expect(await stateOf(bob)).toMatchObject({ enabledAt: null });
  });

  test('keeps neither key nor recovery codes in clear', async () => {
    const { member, key, codes } = await careful('Ann');
    const rows = await server.db
      .selectFrom('two_factor')
      .innerJoin('recovery_code', 'recovery_code.member_id', 'two_factor.member_id')
      .selectAll()
      .where('two_factor.member_id', '=', member.id)
      .execute();
    expect(rows).toHaveLength(10);
    const kept = JSON.stringify(rows);
    for (const secret of [key, ...codes, ...codes.map((code) => code.replace('-', ''))])
      expect(kept).not.toContain(secret);
  });
});

describe('signing in', () => {
  test('the right password alone signs nobody in; the code after it does', async () => {
    const ann = await careful('Ann');
    const browser = server.visitor();
    const half = await browser.signIn(ann.member.email, password);
    expect(half).toMatchObject({ status: 200, body: { member: null, needs: 'second-factor' } });
    expect(await whoIs(browser)).toBeUndefined();
    expect(await browser.get('/feeds/recent')).toMatchObject({ status: 401 });
    const { body } = await send(
      browser,
      ` ${generateTotpCode(ann.key).slice(0, 3)} ${generateTotpCode(ann.key).slice(3)}`,
    );
    expect(body.member?.id).toBe(ann.member.id);
    expect(await whoIs(browser)).toBe('Ann');
  });

  test('a code is taken once, also when two browsers send it at once, and none from before it', async () => {
    const ann = await careful('Ann');
    const browsers = await Promise.all([halfIn(ann), halfIn(ann)]);
    const tries = await Promise.all(browsers.map((browser) => send(browser, generateTotpCode(ann.key))));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, -1))).toMatchObject({
      code: 'wrong-code',
    });
  });

  test('a clock half a minute off does not matter, one of minutes does', async () => {
    const ann = await careful('Ann');
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, -4))).toMatchObject({
      code: 'wrong-code',
    });
    expect(await send(await halfIn(ann), generateTotpCode(ann.key, 1))).toMatchObject({ status: 200 });
  });

  test('another browser cannot go on from the password', async () => {
    const ann = await careful('Ann');
    await halfIn(ann);
    const refused = await send(server.visitor(), generateTotpCode(ann.key));
    expect(refused).toMatchObject({ status: 401, code: 'step-ended', detail: twoFactorMessages.expired });
    const forger = server.visitor();
    forger.cookies.set(
      'parley.two_factor',
      (await halfIn(ann)).cookies.get('parley.two_factor')!.slice(0, -3) + 'AAA',
    );
    expect(await send(forger, generateTotpCode(ann.key))).toMatchObject({ code: 'step-ended' });
  });

  test('a password that was changed meanwhile counts no more', async () => {
    const ann = await careful('Ann');
    const browser = await halfIn(ann);
    expectOk(
      await ann.member.put('/password', { currentPassword: password, newPassword: 'another password' }),
    );
    expect(await send(browser, generateTotpCode(ann.key))).toMatchObject({ code: 'step-ended' });
  });

  test('after five wrong codes even the right one is refused for a quarter of an hour, on every node', async () => {
    const ann = await careful('Ann');
    const other = await server.startBeside();
    for (let tries = 0; tries < 5; tries++)
      expect(await send(await halfIn(ann), '000000')).toMatchObject({ status: 401, code: 'wrong-code' });
    const browser = other.visitor();
    expectOk(await browser.signIn(ann.member.email, password));
    const refused = await send(browser, generateTotpCode(ann.key));
    expect(refused).toMatchObject({ status: 429, detail: twoFactorMessages.tooMany });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await send(await halfIn(await careful('Bob')), '000000')).toMatchObject({ status: 401 });
    await other.stop();
  });
});

describe('recovery codes', () => {
  test('each signs in once, however it is written', async () => {
    const ann = await careful('Ann');
    const [first = '', second = ''] = ann.codes;
    expect(await send(await halfIn(ann), first.toUpperCase().replace('-', ' '))).toMatchObject({
      status: 200,
    });
    expect(await send(await halfIn(ann), first)).toMatchObject({ code: 'wrong-code' });
    const browsers = await Promise.all([halfIn(ann), halfIn(ann)]);
    const tries = await Promise.all(browsers.map((browser) => send(browser, second)));
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(await stateOf(ann.member)).toMatchObject({ recoveryCodesLeft: 8 });
  });

  test('of others, and those before the last ones, sign nobody in', async () => {
    const [ann, bob] = [await careful('Ann'), await careful('Bob')];
    expect(await send(await halfIn(ann), bob.codes[0] ?? '')).toMatchObject({ code: 'wrong-code' });
    const path = '/second-factor/recovery-codes';
    const renewed = expectOk(await ann.member.post<{ recoveryCodes: string[] }>(path, { password }));
    expect(await send(await halfIn(ann), ann.codes[1] ?? '')).toMatchObject({ code: 'wrong-code' });
    expect(await send(await halfIn(ann), renewed.recoveryCodes[1] ?? '')).toMatchObject({ status: 200 });
  });

  test('still sign in when the community has another secret, with which the app opens nothing', async () => {
    const ann = await careful('Ann');
    const other = await server.startBeside({ secret: 'another secret, as long as the one before it' });
    const browser = other.visitor();
    expectOk(await browser.signIn(ann.member.email, password));
    expect(await send(browser, generateTotpCode(ann.key))).toMatchObject({ code: 'wrong-code' });
    expect(await send(browser, ann.codes[3] ?? '')).toMatchObject({ status: 200 });
    await other.stop();
  });
});

describe('switching off', () => {
  test('asks for the password, and then the password alone signs in again', async () => {
    const ann = await careful('Ann');
    expect(await ann.member.post('/second-factor/removal', { password: 'guess' })).toMatchObject({
      status: 400,
    });
    expect(await ann.member.post('/second-factor/removal', {})).toMatchObject({ status: 400 });
    expect(await server.visitor().signIn(ann.member.email, password)).toMatchObject({
      body: { member: null },
    });
    expectOk(await ann.member.post('/second-factor/removal', { password }));
    const { body } = await server.visitor().signIn(ann.member.email, password);
    expect(body.member?.id).toBe(ann.member.id);
    expect(await ann.member.post('/second-factor/removal', { password })).toMatchObject({
      code: 'done-already',
    });
  });
});

test('the list of own sessions says when each was begun and last used', async () => {
  const ann = await server.register('Ann');
  const { items } = expectOk(await ann.get<{ items: OwnSession[] }>('/sessions'));
  expect(items).toHaveLength(1);
  expect(Date.parse(items[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(
    Date.parse(items[0]?.createdAt ?? 'x'),
  );
});

test('what happened to the second factor is told to the member', async () => {
  const ann = await careful('Ann');
  await send(await halfIn(ann), ann.codes[0] ?? '');
  expectOk(await ann.member.post('/second-factor/recovery-codes', { password }));
  expectOk(await ann.member.post('/second-factor/removal', { password }));
  const told = await sql<{ event: string }>`
    select event from security_event where member_id = ${ann.member.id} order by id`.execute(server.db);
  expect(told.rows.map(({ event }) => event)).toEqual([
    'two-factor-on',
    'recovery-code-used',
    'recovery-codes-made',
    'two-factor-off',
  ]);
});

describe('parley member remove-factors', () => {
  test('takes codes and passkeys off a member who lost them, signs them out, and tells them', async () => {
    const { member } = await careful('Ann');
    await addPasskey(member);
    expect(await removeFactors(member.email.toUpperCase())).toEqual({
      out: 'Taken off: the second factor and 1 passkey. The member is signed out everywhere.\n',
      code: 0,
    });
    expect(await whoIs(member)).toBeUndefined();
    const { body } = await server.visitor().signIn(member.email, password);
    expect(body.member?.id).toBe(member.id);
    const told = await sql<{ event: string }>`
      select event from security_event where member_id = ${member.id} order by id desc limit 2`.execute(
      server.db,
    );
    expect(told.rows.map(({ event }) => event)).toEqual(['passkey-removed', 'two-factor-off']);
    expect(await removeFactors(member.email)).toMatchObject({
      out: 'There is neither a second factor nor a passkey.\n',
    });
  });

  test('says when nobody has the address', async () => {
    expect(await removeFactors('nobody@example.org')).toEqual({ out: '', code: 1 });
  });
});

async function removeFactors(email: string): Promise<{ out: string; code: number }> {
  const shown = { out: '', code: 0 };
  const program = new Command('member').exitOverride();
  addRemoveTwoFactorCommand(program, {
    withDatabase: (work) => work(server.db, 'http://localhost'),
    out: { write: (text) => (shown.out += text) },
    err: { write: () => {} },
    exitWith: (code) => (shown.code = code),
  });
  await program.parseAsync(['remove-factors', email], { from: 'user' });
  return shown;
}

const stateOf = async (member: Member) => expectOk(await member.get<TwoFactorState>('/second-factor'));
