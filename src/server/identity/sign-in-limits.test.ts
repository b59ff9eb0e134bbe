import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { generateTotpCode, enableTwoFactor } from '#tests/support/two-factor.ts';
import { type ApiClient, expectOk, type Member, password, type ApiResponse } from '#tests/support/member.ts';
import { startTestServer, type TestServer } from '#tests/support/server.ts';
import { accountMessages } from '#shared/identity/accounts.ts';
import { twoFactorMessages } from '#shared/identity/two-factor.ts';
import { getAttemptDelayMs } from './sign-in-limits.ts';

const server = await startTestServer({ trustedProxies: 1 });
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

const refusal = { status: 429, code: 'too-many', detail: accountMessages.tooManyLogins };

/** Tries a password from a network address, as the proxy in front tells it. */
function signIn(
  email: string,
  secret = 'guess',
  { from = '203.0.113.1', on = server, browser = on.visitor() }: Place = {},
): Promise<ApiResponse> {
  const headers = { 'x-forwarded-for': from };
  return browser.send('POST', '/session', { body: { email, password: secret }, headers });
}

/** A browser that sends no cookies where none is named. */
type Place = { from?: string; on?: TestServer; browser?: ApiClient };

async function failFiveTimes(member: Member, place: Place = {}) {
  for (let tries = 0; tries < 5; tries++)
    expect(await signIn(member.email, 'guess', place)).toMatchObject({ status: 401, code: 'wrong-password' });
}

const countOf = (responses: ApiResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;

describe('after five failures for one address from one network', () => {
  test('even the right password is refused there, and the answer says when to come back', async () => {
    const ann = await server.register('Ann');
    await failFiveTimes(ann);
    const refused = await signIn(ann.email.toUpperCase(), password);
    expect(refused).toMatchObject(refusal);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('the right password signs in from another network', async () => {
    const ann = await server.register('Ann');
    await failFiveTimes(ann);
    expect(await signIn(ann.email, password, { from: '198.51.100.7' })).toMatchObject({ status: 200 });
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
  });

  test('other members sign in from the same network, and the member stays signed in elsewhere', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    await failFiveTimes(ann);
    expect(await signIn(bob.email, password)).toMatchObject({ status: 200 });
    expect((await ann.me()).id).toBe(ann.id);
  });

  test('tries are refused for a quarter of an hour, and then no longer', async () => {
    const ann = await server.register('Ann');
    await failFiveTimes(ann);
    await letPass(14);
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
    await letPass(14);
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
    await letPass(2);
    expect(await signIn(ann.email, password)).toMatchObject({ status: 200 });
  });

  test('an address nobody has is treated alike', async () => {
    for (let tries = 0; tries < 5; tries++)
      expect(await signIn('nobody@example.org')).toMatchObject({ code: 'unknown-email' });
    expect(await signIn('nobody@example.org')).toMatchObject(refusal);
  });
});

test('failures that are a quarter of an hour old no longer count', async () => {
  const ann = await server.register('Ann');
  for (let tries = 0; tries < 4; tries++) await signIn(ann.email);
  await letPass(16);
  await failFiveTimes(ann);
  expect(await signIn(ann.email, password)).toMatchObject(refusal);
});

test('a success makes the failures of the address forgotten', async () => {
  const ann = await server.register('Ann');
  for (let tries = 0; tries < 4; tries++) await signIn(ann.email);
  expect(await signIn(ann.email, password)).toMatchObject({ status: 200 });
  await failFiveTimes(ann);
  expect(await signIn(ann.email, password)).toMatchObject(refusal);
});

describe('many tries at the same moment', () => {
  test('let five guesses at one address through from one network and no more', async () => {
    const ann = await server.register('Ann');
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => signIn(ann.email, `guess ${index}`)),
    );
    expect(countOf(guesses, 401)).toBe(5);
    expect(countOf(guesses, 429)).toBe(35);
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
  });

  test('let five guesses through where they are spread over two nodes', async () => {
    const ann = await server.register('Ann');
    const other = await server.startBeside({ trustedProxies: 1 });
    try {
      const guesses = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          signIn(ann.email, 'guess', { on: index % 2 ? server : other }),
        ),
      );
      expect(countOf(guesses, 401)).toBeLessThanOrEqual(5);
      expect(countOf(guesses, 401) + countOf(guesses, 429)).toBe(40);
    } finally {
      await other.stop();
    }
  });

  test('let thirty guesses from one network address through, however many addresses they are spread over', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => signIn(`victim${index}@example.org`)),
    );
    expect(countOf(guesses, 401)).toBe(30);
    const bob = await server.register('Bob');
    expect(await signIn(bob.email, password)).toMatchObject(refusal);
    expect(await signIn(bob.email, password, { from: '203.0.113.2' })).toMatchObject({ status: 200 });
  });

  test('are all answered where a whole school signs in at once', async () => {
    const pupils = await Promise.all(Array.from({ length: 40 }, () => server.register('Pupil')));
    const answers = await Promise.all(pupils.map((pupil) => signIn(pupil.email, password)));
    expect(countOf(answers, 200)).toBe(40);
  });
});

describe('a browser in which the member signed in before', () => {
  test('is let in by the right password while a stranger guesses from the same network, for ever', async () => {
    const ann = await server.register('Ann');
    expectOk(await ann.delete('/session'));
    for (let rounds = 0; rounds < 2; rounds++) {
      await failFiveTimes(ann);
      expect(await signIn(ann.email, password)).toMatchObject(refusal);
      expect(await signIn(ann.email, password, { browser: ann })).toMatchObject({ status: 200 });
      await letPass(16);
    }
  });

  test('is let in from a network whose thirty failures are used up', async () => {
    const ann = await server.register('Ann');
    await exhaustNetwork(() => '203.0.113.1');
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
    expect(await signIn(ann.email, password, { browser: ann })).toMatchObject({ status: 200 });
  });

  test('has five failures of its own, wherever it is', async () => {
    const ann = await server.register('Ann');
    await failFiveTimes(ann, { browser: ann });
    for (const from of ['203.0.113.1', '198.51.100.7'])
      expect(await signIn(ann.email, password, { browser: ann, from })).toMatchObject(refusal);
    expect(await signIn(ann.email, password)).toMatchObject({ status: 200 });
  });

  test('counts for that member only', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    await failFiveTimes(ann, { browser: bob });
    expect(await signIn(ann.email, password)).toMatchObject(refusal);
    expect(await signIn(bob.email, password, { browser: bob })).toMatchObject({ status: 200 });
  });

  test('is known for each of several members of one computer', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    expect(await signIn(bob.email, password, { browser: ann })).toMatchObject({ status: 200 });
    await failFiveTimes(ann);
    await failFiveTimes(bob);
    for (const { email } of [ann, bob])
      expect(await signIn(email, password, { browser: ann })).toMatchObject({ status: 200 });
  });

  test('is known no longer after the password was changed elsewhere', async () => {
    const ann = await server.register('Ann');
    const elsewhere = await ann.signInElsewhere();
    const changed = 'another horse battery';
    expectOk(await elsewhere.put('/password', { currentPassword: password, newPassword: changed }));
    await failFiveTimes(ann);
    expect(await signIn(ann.email, changed, { browser: ann })).toMatchObject(refusal);
    expect(await signIn(ann.email, changed, { browser: elsewhere })).toMatchObject({ status: 200 });
  });

  test('cannot be made up', async () => {
    const ann = await server.register('Ann');
    const forger = server.visitor();
    const [name, value] = [...ann.cookies].find(([cookie]) => cookie.endsWith('known_browser')) ?? ['', ''];
    forger.cookies.set(name, `${value.slice(0, -4)}AAAA`);
    await failFiveTimes(ann);
    expect(await signIn(ann.email, password, { browser: forger })).toMatchObject(refusal);
  });

  test('keeps that in a cookie that no script reads and no other site sends', async () => {
    const ann = await server.register('Ann');
    const signedIn = await signIn(ann.email, password);
    const cookie = signedIn.headers.getSetCookie().find((line) => line.includes('known_browser'));
    expect(cookie).toMatch(
      /^parley\.known_browser=[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });
});

describe('many failures for one address from many networks', () => {
  test('slow its tries down and refuse none', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const guesses = await Promise.all(
      Array.from({ length: 14 }, (_, n) => signIn(ann.email, 'guess', { from: `203.0.113.${n}` })),
    );
    expect(countOf(guesses, 401)).toBe(14);
    const ended: string[] = [];
    const slow = signIn(ann.email, password, { from: '198.51.100.7' }).then((answer) => {
      ended.push('Ann');
      return answer;
    });
    const known = await signIn(ann.email, password, { browser: ann });
    ended.push('known browser');
    const other = await signIn(bob.email, password, { from: '198.51.100.7' });
    ended.push('Bob');
    expect([known.status, other.status, (await slow).status]).toEqual([200, 200, 200]);
    expect(ended).toEqual(['known browser', 'Bob', 'Ann']);
  });

  test.each([
    [9, 0],
    [10, 250],
    [11, 500],
    [14, 4_000],
    [10_000, 4_000],
  ])('of which there were %i make a try wait %i ms', (failures, milliseconds) => {
    expect(getAttemptDelayMs(failures)).toBe(milliseconds);
  });
});

describe('codes of the second factor', () => {
  const sendCode = (browser: ApiClient, code: string, from: string) =>
    browser.send('POST', '/session/second-factor', { body: { code }, headers: { 'x-forwarded-for': from } });

  /** Who knows the password guesses codes, each time in a fresh browser. */
  async function guessCode(member: Member, from: string) {
    const browser = server.visitor();
    await signIn(member.email, password, { browser, from });
    return sendCode(browser, '000000', from);
  }

  test('that are wrong five times from one network leave other networks and the member’s browser open', async () => {
    const ann = await server.register('Ann');
    const key = await enableTwoFactor(ann);
    for (let tries = 0; tries < 5; tries++)
      expect(await guessCode(ann, '203.0.113.1')).toMatchObject({ status: 401, code: 'wrong-code' });
    const refused = { status: 429, detail: twoFactorMessages.tooMany };
    expect(await guessCode(ann, '203.0.113.1')).toMatchObject(refused);
    expect(await guessCode(ann, '198.51.100.7')).toMatchObject({ code: 'wrong-code' });
    expectOk(await signIn(ann.email, password, { browser: ann }));
    expect(await sendCode(ann, generateTotpCode(key, 1), '203.0.113.1')).toMatchObject({ status: 200 });
  });

  test('that are wrong twenty times from anywhere are refused but in the member’s browser', async () => {
    const ann = await server.register('Ann');
    const key = await enableTwoFactor(ann);
    for (let n = 0; n < 20; n++)
      expect(await guessCode(ann, `203.0.113.${n}`)).toMatchObject({ code: 'wrong-code' });
    expect(await guessCode(ann, '203.0.113.99')).toMatchObject({ status: 429 });
    expectOk(await signIn(ann.email, password, { browser: ann }));
    expect(await sendCode(ann, generateTotpCode(key, 1), '203.0.113.99')).toMatchObject({ status: 200 });
  });
});

test('wrong passwords in one session leave the member’s other sessions open', async () => {
  const ann = await server.register('Ann');
  const phone = await ann.signInElsewhere();
  const change = (member: Member, currentPassword: string) =>
    member.put('/password', { currentPassword, newPassword: password });
  for (let tries = 0; tries < 5; tries++) await change(phone, 'guess');
  expect(await change(phone, password)).toMatchObject(refusal);
  expect(await change(ann, password)).toMatchObject({ status: 204 });
});

test('tries that were refused count against nobody else on the network', async () => {
  const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
  await failFiveTimes(ann);
  for (let tries = 0; tries < 40; tries++) expect(await signIn(ann.email)).toMatchObject(refusal);
  expect(await signIn(bob.email, password)).toMatchObject({ status: 200 });
});

describe('the network address', () => {
  test.each([
    ['with parts made up before the proxy came', (n: number) => `10.9.8.${n}, 203.0.113.9`],
    ['with the port the proxy adds', (n: number) => `203.0.113.9:${40_000 + n}`],
    ['within one IPv6 network, each time another', (n: number) => `2001:db8:1:2::${n.toString(16)}`],
    ['within one IPv6 network, with ports', (n: number) => `[2001:db8:1:2::${n.toString(16)}]:443`],
    ['of IPv4 written as IPv6', (n: number) => (n % 2 ? '::ffff:203.0.113.9' : '::FFFF:CB00:7109')],
  ])('is the same %s', async (_, from) => {
    await exhaustNetwork(from);
    expect(await signIn('last@example.org', 'guess', { from: from(99) })).toMatchObject(refusal);
    expect(await signIn('last@example.org', 'guess', { from: '198.51.100.1' })).toMatchObject({
      status: 401,
    });
  });

  test('counts as its IPv6 /48 as well, which has sixty failures', async () => {
    const from = (n: number) => `2001:db8:1:${n.toString(16)}::1`;
    await signIn('victim@example.org', 'guess', { from: from(1) });
    await sql`update rate_limit set points = 59 where key like 'login-site:%'`.execute(server.db);
    expect(await signIn('last@example.org', 'guess', { from: from(2) })).toMatchObject({ status: 401 });
    expect(await signIn('other@example.org', 'guess', { from: from(3) })).toMatchObject(refusal);
    expect(await signIn('other@example.org', 'guess', { from: '2001:db8:2::1' })).toMatchObject({
      status: 401,
    });
  });

  test('of one IPv6 /48 makes five failures for one address, whichever network of it they come from', async () => {
    const ann = await server.register('Ann');
    for (let n = 0; n < 5; n++)
      expect(await signIn(ann.email, 'guess', { from: `2001:db8:1:${n}::1` })).toMatchObject({ status: 401 });
    expect(await signIn(ann.email, password, { from: '2001:db8:1:9::1' })).toMatchObject(refusal);
  });

  test('that is none counts as that of the connection', async () => {
    await exhaustNetwork((n) => `${'not an address '.repeat(40)}${n}`);
    expect(await signIn('last@example.org', 'guess', { from: 'neither' })).toMatchObject(refusal);
  });

  test('is that of the connection where no proxy is trusted, whatever a header says', async () => {
    const open = await server.startBeside({ trustedProxies: 0 });
    try {
      await exhaustNetwork((n) => `203.0.113.${n}`, open);
      const refused = await signIn('last@example.org', 'guess', { from: '203.0.113.200', on: open });
      expect(refused).toMatchObject(refusal);
    } finally {
      await open.stop();
    }
  });
});

test('a hundred registrations an hour from one network address meet no limit', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.50' };
  for (let n = 0; n < 100; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const body = { displayName: 'Pupil', email: `pupil${n + index}@example.org`, password };
        expect((await server.visitor().send('POST', '/members', { body, headers })).status).toBe(201);
      }),
    );
});

/** As if this many minutes had passed. */
async function letPass(minutes: number) {
  await sql`update rate_limit set expire = expire - ${minutes * 60_000}`.execute(server.db);
}

/** Thirty guesses from one network address, which `from` writes each time another way. */
async function exhaustNetwork(from: (n: number) => string, on: TestServer = server) {
  const guess = async (n: number) =>
    expect(await signIn(`victim${n}@example.org`, 'guess', { from: from(n), on })).toMatchObject({
      status: 401,
    });
  for (const n of [0, 1, 2]) await guess(n);
  // As if most had been made: each costs what hashing a password does.
  const counted = sql`update rate_limit set points = 27 where key like 'login-net:%' and points = 3`;
  expect((await counted.execute(server.db)).numAffectedRows).toBe(1n);
  for (const n of [27, 28, 29]) await guess(n);
}
