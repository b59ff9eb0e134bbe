import { formatError } from '#shared/errors.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { type ApiClient, expectOk, type Member, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { type OwnSession, type SessionState } from '#shared/identity/accounts.ts';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import { defaultPasswordCost } from './passwords.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const visitor = () => server.visitor();

describe('registering', () => {
  const form = {
    displayName: 'Ada Lovelace',
    email: 'ada@example.org',
    password: 'engine',
    confirmPassword: 'engine',
  };

  test('signs the member in and creates the member with defaults', async () => {
    const caller = visitor();
    const { status, body } = await caller.post<SessionState>('/members', form);
    expect(status).toBe(201);
    expect(body.member).toMatchObject({
      displayName: 'Ada Lovelace',
      email: 'ada@example.org',
      bio: null,
      reputation: 0,
      questionsCount: 0,
      answersCount: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect((await caller.get<SessionState>('/session')).body).toEqual({
      ...body,
      publicReading: false,
      formulas: false,
      siteName: 'Parley',
      logo: '',
      pages: [],
      footerLinks: [],
      welcomeText: '',
    });
  });

  test('stores the address trimmed and in lower case, and the name trimmed', async () => {
    const { body } = await visitor().post<SessionState>('/members', {
      ...form,
      displayName: '  Grace  ',
      email: '  Grace@Example.ORG ',
    });
    expect(body.member).toMatchObject({ displayName: 'Grace', email: 'grace@example.org' });
  });

  test.each([
    [
      'confirmPassword',
      formatError({ code: 'passwords-differ' }),
      { confirmPassword: 'other', password: 'abc', displayName: '' },
    ],
    [
      'password',
      'Password must be at least 6 characters',
      { password: 'short', confirmPassword: 'short', displayName: '' },
    ],
    [
      'password',
      'Password must be 128 characters or fewer',
      { password: 'x'.repeat(129), confirmPassword: 'x'.repeat(129) },
    ],
    ['displayName', 'Name must be at least 2 characters', { displayName: ' A ', email: 'nonsense' }],
    ['displayName', 'Name must be 80 characters or fewer', { displayName: 'A'.repeat(81) }],
    ['displayName', formatError({ code: 'name-characters-not-allowed' }), { displayName: 'A\u0007da' }],
    ['email', formatError({ code: 'email-not-valid' }), { email: 'ada@' }],
    ['email', formatError({ code: 'email-not-valid' }), { email: `${'a'.repeat(250)}@example.org` }],
  ])('reports the first broken rule: %s, %s', async (field, message, wrong) => {
    const email = 'first.rule@example.org';
    const refused = await visitor().post('/members', { ...form, email, ...wrong });
    expect(refused).toMatchObject({
      status: 400,
      kind: 'invalid',
      detail: message,
      errors: [{ field, message }],
    });
    expect(await visitor().signIn(email, form.password)).toMatchObject({ kind: 'unknown-email' });
  });

  test.each([
    ['two characters', 'Ab'],
    ['eighty characters beyond the basic plane', '𝒜'.repeat(80)],
  ])('accepts a name of %s', async (_, displayName) => {
    const member = await server.register(displayName);
    expect((await member.me()).displayName).toBe(displayName);
  });

  test('accepts a password of 128 characters of four bytes each', async () => {
    const long = '🔑'.repeat(128);
    const email = 'long.password@example.org';
    const registered = await visitor().post('/members', { displayName: 'Long', email, password: long });
    expect(registered.status).toBe(201);
    expect((await visitor().signIn(email, long)).status).toBe(200);
  });

  test('refuses an address in use case-insensitively, and changes nothing', async () => {
    const taken = await server.register('Taken');
    const refused = await visitor().post('/members', {
      ...form,
      displayName: 'Thief',
      email: ` ${taken.email.toUpperCase()}`,
    });
    expect(refused).toMatchObject({
      status: 409,
      kind: 'email-taken',
      detail: formatError({ code: 'email-taken' }),
    });
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await taken.me()).displayName).toBe('Taken');
  });

  test('creates one member from concurrent requests with one address', async () => {
    const email = 'at.once@example.org';
    const tries = await Promise.all(
      Array.from({ length: 10 }, () => visitor().post('/members', { ...form, email })),
    );
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array<number>(9).fill(409),
    ]);
  });

  test.each([
    ['succeeds', 'rollback', 201],
    ['is refused', 'commit', 409],
  ])('%s after a transaction that has the address ends with %s', async (_, end, status) => {
    const email = `held-${end}@example.org`;
    const { id } = await server.register('Holder');
    const holder = new pg.Client(server.database.connection);
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin');
    await holder.query('update member set email = $1 where id = $2', [email, id]);
    let isDone = false;
    const registered = visitor()
      .post('/members', { ...form, email })
      .finally(() => {
        isDone = true;
      });
    // It waits longer than a transaction that is repeated after a short wait.
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and clock_timestamp() - query_start > '400 ms'`.execute(server.db);
      return isDone || rows.length > 0;
    });
    await holder.query(end);
    expect(await registered).toMatchObject({ status });
  });

  test('creates forty members from forty concurrent requests', async () => {
    const members = await Promise.all(Array.from({ length: 40 }, () => server.register('Pupil')));
    expect(new Set(members.map(({ id }) => id)).size).toBe(40);
  });

  test('never returns or stores the password', async () => {
    const secret = 'plain to see?';
    const email = 'secret@example.org';
    const full = await server.startSecondNode({ passwordCost: defaultPasswordCost });
    onTestFinished(() => full.stop());
    const form = { displayName: 'Secret', email, password: secret };
    const { body } = await full.visitor().post('/members', form);
    expect(JSON.stringify(body)).not.toContain('password');
    const { rows } = await sql<{ password: string }>`
      select password from account join member on member.id = account.member_id where email = ${email}`.execute(
      server.db,
    );
    expect(rows[0]?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('signing in', () => {
  test('accepts the address in any case and with spaces around it', async () => {
    const ann = await server.register('Ann');
    const { status, body } = await visitor().signIn(` ${ann.email.toUpperCase()} `, password);
    expect(status).toBe(200);
    expect(body.member).toMatchObject({ id: ann.id });
  });

  test.each([
    [
      'an unknown address',
      'nobody@example.org',
      401,
      'unknown-email',
      formatError({ code: 'unknown-email' }),
    ],
    ['an invalid address', 'nobody', 400, 'invalid', formatError({ code: 'email-not-valid' })],
    ['nothing', '', 400, 'invalid', formatError({ code: 'email-not-valid' })],
  ])('with %s returns that error', async (_, email, status, kind, detail) => {
    expect(await visitor().signIn(email, password)).toMatchObject({ status, kind, detail });
  });

  test('with a wrong password returns that error and sets no cookie', async () => {
    const ann = await server.register('Ann');
    for (const wrong of ['', `${password} `, password.toUpperCase()]) {
      const refused = await visitor().signIn(ann.email, wrong);
      expect(refused).toMatchObject({ status: 401, detail: formatError({ code: 'wrong-password' }) });
      expect(refused.headers.getSetCookie()).toEqual([]);
    }
  });

  test('with the longest possible address gets the usual response', async () => {
    const email = `${'a'.repeat(242)}@example.org`;
    expect(email).toHaveLength(254);
    expect(await visitor().signIn(email, 'guess')).toMatchObject({ status: 401, kind: 'unknown-email' });
  });

  test('does not reveal which part was wrong if the operator hides it', async () => {
    const ann = await server.register('Ann');
    const discreet = await server.startSecondNode({ hidesLoginReason: true });
    try {
      const wrong = await discreet.visitor().signIn(ann.email, 'guess');
      const unknown = await discreet.visitor().signIn('no.such@example.org', 'guess');
      expect(wrong).toMatchObject({
        status: 401,
        kind: 'wrong-credentials',
        detail: formatError({ code: 'wrong-credentials' }),
      });
      expect(unknown.body).toEqual({ ...(wrong.body as object), requestId: expect.any(String) });
    } finally {
      await discreet.stop();
    }
  });
});

describe('signing out', () => {
  test('ends this session, also for a copy of the cookie, and no other', async () => {
    const ann = await server.register('Ann');
    const phone = await ann.signInElsewhere();
    const stolen = ann.onServer(server.address);
    expect((await ann.delete('/session')).status).toBe(204);
    expect([...ann.cookies.keys()]).toEqual(['parley.known_browser']);
    expect((await stolen.get<SessionState>('/session')).body).toEqual({
      member: null,
      publicReading: false,
      formulas: false,
      siteName: 'Parley',
      logo: '',
      pages: [],
      footerLinks: [],
      welcomeText: '',
    });
    expect(await stolen.get('/feeds/recent')).toMatchObject({ status: 401, kind: 'signed-out' });
    expect((await phone.me()).id).toBe(ann.id);
  });

  test('refuses queued offline writes of the member when another one has signed in', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const madeBy = (id: number) =>
      bob.send('GET', '/feeds/recent', { headers: { [actingMemberHeader]: String(id) } });
    expect(await madeBy(ann.id)).toMatchObject({ status: 401, kind: 'signed-out' });
    expect(await madeBy(bob.id)).toMatchObject({ status: 200 });
  });

  test('refuses the deletion of a post by another member because only its author can delete it', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const id = await ann.ask();
    const headers = { [actingMemberHeader]: String(ann.id) };
    expect(await bob.send('DELETE', `/questions/${id}`, { headers })).toMatchObject({
      status: 403,
      kind: 'not-author',
    });
    expect(await bob.send('DELETE', `/questions/${id}/bookmark`, { headers })).toMatchObject({
      status: 401,
      kind: 'signed-out',
    });
  });

  test('without a session does nothing', async () => {
    expect((await visitor().delete('/session')).status).toBe(204);
  });
});

describe('sessions', () => {
  test('are listed newest first, to each member their own', async () => {
    const ann = await server.register('Ann');
    await server.register('Bob');
    const phone = await ann.signInElsewhere();
    const { items } = await sessionsOf(phone);
    expect(items.map(({ current }) => current)).toEqual([true, false]);
    expect(JSON.stringify(items)).not.toContain('token');
  });

  test('can be revoked one by one, which signs the browser out', async () => {
    const ann = await server.register('Ann');
    const phone = await ann.signInElsewhere();
    const tablet = await ann.signInElsewhere();
    const { items } = await sessionsOf(phone);
    const own = items.find(({ current }) => current);
    expect((await ann.delete(`/sessions/${own?.id}`)).status).toBe(204);
    expect(await phone.get('/sessions')).toMatchObject({ status: 401 });
    expect((await tablet.me()).id).toBe(ann.id);
    expect(await ann.delete(`/sessions/${own?.id}`)).toMatchObject({ status: 404 });
  });

  test('of another member cannot be revoked', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const { items } = await sessionsOf(ann);
    expect(await bob.delete(`/sessions/${items[0]?.id}`)).toMatchObject({ status: 404 });
    expect((await ann.me()).id).toBe(ann.id);
  });

  test('can all be ended except the current one, without affecting other members', async () => {
    const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
    const phone = await ann.signInElsewhere();
    expect((await ann.delete('/sessions')).status).toBe(204);
    expect(await phone.get('/sessions')).toMatchObject({ status: 401 });
    expect((await sessionsOf(ann)).items).toHaveLength(1);
    expect((await bob.me()).id).toBe(bob.id);
  });

  test.each([
    ['forged', 'parley.session_token=made.up'],
    ['badly encoded', 'parley.session_token=%E0%A4%A'],
    ['empty', 'parley.session_token='],
    ['of thousands of characters', `parley.session_token=${'x'.repeat(8000)}`],
    ['no cookie at all', ';;;=;'],
  ])('cannot be used with a cookie that is %s', async (_, cookie) => {
    const refused = await visitor().send('GET', '/feeds/recent', { headers: { cookie } });
    expect(refused).toMatchObject({ status: 401, kind: 'signed-out' });
  });

  test('cannot be used with a cookie signed with another secret', async () => {
    const ann = await server.register('Ann');
    const foreign = await server.startSecondNode({
      secret: 'another secret that is just as long as the first',
    });
    try {
      expect(await ann.onServer(foreign.address).get('/feeds/recent')).toMatchObject({ status: 401 });
    } finally {
      await foreign.stop();
    }
  });

  type Sessions = { items: { id: number; current: boolean }[] };
  const sessionsOf = async (member: ApiClient) => (await member.get<Sessions>('/sessions')).body;
});

describe('changing the password', () => {
  const newPassword = 'another horse';
  const change = (member: Member) => member.put('/password', { currentPassword: password, newPassword });
  const currentSession = async (member: Member) => {
    const { items } = expectOk(await member.get<{ items: OwnSession[] }>('/sessions'));
    return items.find(({ current }) => current)?.id;
  };

  test('keeps the session with a new cookie, also when the request renews it, and ends copies of it', async () => {
    const ann = await server.register('Ann');
    const id = await currentSession(ann);
    const copy = server.visitor();
    for (const [name, value] of ann.cookies) copy.cookies.set(name, value);
    await sql`update session set expires_at = now() + interval '29 days 22 hours' where id = ${id}`.execute(
      server.db,
    );
    expect((await change(ann)).status).toBe(204);
    expect(await currentSession(ann)).toBe(id);
    expect((await copy.get('/feeds/recent')).status).toBe(401);
    expectOk(await server.visitor().signIn(ann.email, newPassword));
  });

  test('succeeds in one of two sessions that do it at the same time, and ends the other', async () => {
    const ann = await server.register('Ann');
    const phone = await ann.signInElsewhere();
    const statuses = (await Promise.all([change(ann), change(phone)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    const reads = await Promise.all([ann, phone].map((member) => member.get('/feeds/recent')));
    expect(reads.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test('succeeds once when the form is submitted twice, and keeps the session', async () => {
    const ann = await server.register('Ann');
    const outcomes = await Promise.all(
      [ann.onServer(server.address), ann].map(async (browser) => ({
        browser,
        result: await change(browser),
      })),
    );
    const changed = outcomes.find(({ result }) => result.status === 204);
    // 401 if the second request arrives when the session has its new token already.
    const isRefused = ({ status, errors }: (typeof outcomes)[number]['result']) =>
      status === 401 || errors?.[0]?.code === 'current-password-wrong';
    expect(outcomes.filter(({ result }) => result !== changed?.result)).toEqual([
      { browser: expect.anything(), result: expect.toSatisfy(isRefused) },
    ]);
    expect((await changed?.browser.get('/feeds/recent'))?.status).toBe(200);
  });

  test('is refused to a member without a password, however recently they signed in', async () => {
    const ann = await server.register('Ann');
    await sql`update account set password = null where member_id = ${ann.id}`.execute(server.db);
    expect(await change(ann)).toMatchObject({ errors: [{ field: 'currentPassword' }] });
  });
});

test('a request whose session another one ends while it is renewed is signed out', async () => {
  const ann = await server.register('Ann');
  await sql`update session set expires_at = now() + interval '29 days 22 hours' where member_id = ${ann.id}`.execute(
    server.db,
  );
  await sql`create function skip_update() returns trigger language plpgsql as 'begin return null; end'`.execute(
    server.db,
  );
  await sql`create trigger skip before update on session for each row execute function skip_update()`.execute(
    server.db,
  );
  onTestFinished(async () => void (await sql`drop trigger skip on session`.execute(server.db)));
  expect((await ann.get('/feeds/recent')).status).toBe(401);
});

describe('the session cookie', () => {
  test('cannot be read by scripts, and other sites do not send it', async () => {
    const ann = await server.register('Ann');
    const [cookie = ''] = (await visitor().signIn(ann.email, password)).headers.getSetCookie();
    expect(cookie).toMatch(/^parley\.session_token=/);
    expect(cookie).toMatch(/; HttpOnly/i);
    expect(cookie).toMatch(/; SameSite=(Lax|Strict)/i);
    expect(cookie).toMatch(/; Path=\//i);
    expect(cookie).not.toMatch(/; Secure/i);
  });

  test('is sent over HTTPS only if the site uses HTTPS', async () => {
    const secure = await server.startSecondNode({ publicUrl: 'https://ask.example.org' });
    try {
      const ann = await secure.register('Ann');
      const [cookie = ''] = (await secure.visitor().signIn(ann.email, password)).headers.getSetCookie();
      expect(cookie).toMatch(/^__Host-parley\.session_token=/);
      expect(cookie).toMatch(/; Secure/i);
      expect((await ann.me()).id).toBe(ann.id);
    } finally {
      await secure.stop();
    }
  });
});

describe('the operator', () => {
  test('can switch registration off while members still sign in', async () => {
    const ann = await server.register('Ann');
    const closed = await server.startSecondNode({ isSignUpOpen: false });
    try {
      const refused = await closed
        .visitor()
        .post('/members', { displayName: 'Late', email: 'late@example.org', password });
      expect(refused).toMatchObject({
        status: 403,
        kind: 'disabled',
        detail: formatError({ code: 'password-sign-in-disabled' }),
      });
      expect((await closed.visitor().signIn(ann.email, password)).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });

  test('can switch passwords off while sessions continue', async () => {
    const ann = await server.register('Ann');
    const closed = await server.startSecondNode({ hasPasswordSignIn: false });
    try {
      const disabled = {
        status: 403,
        kind: 'disabled',
        detail: formatError({ code: 'password-sign-in-disabled' }),
      };
      expect(await closed.visitor().signIn(ann.email, password)).toMatchObject(disabled);
      const form = { displayName: 'Late', email: 'later@example.org', password };
      expect(await closed.visitor().post('/members', form)).toMatchObject(disabled);
      expect((await ann.onServer(closed.address).me()).id).toBe(ann.id);
    } finally {
      await closed.stop();
    }
  });
});

describe('a site that refuses common passwords', () => {
  test.each([
    ['football', 'small@example.net'],
    ['FootBall', 'large@example.net'],
  ])('refuses %s at registration and later', async (common, email) => {
    const strict = await server.startSecondNode({ refusesCommonPasswords: true });
    const form = { displayName: 'Ada', email, password: common };
    const message = formatError({ code: 'password-too-common' });
    expect(await strict.visitor().post('/members', form)).toMatchObject({
      errors: [{ field: 'password', message }],
    });
    const member = await strict.register('Ada');
    const change = { currentPassword: password, newPassword: common };
    // They do not count as wrong passwords.
    for (let n = 0; n < 6; n++)
      expect(await member.put('/password', change)).toMatchObject({
        errors: [{ field: 'newPassword', message }],
      });
    const token = await createLinkToken(server.db, { memberId: member.id, purpose: 'reset_password' });
    const reset = { token, newPassword: common };
    expect(await strict.visitor().post('/email/password-reset', reset)).toMatchObject({
      errors: [{ message }],
    });
    expect((await server.visitor().post('/members', form)).status).toBe(201);
    await strict.stop();
  });
});
