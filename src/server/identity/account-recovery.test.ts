import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addPasskey, createPasskeySignIn } from '#tests/support/webauthn-authenticator.ts';
import { siteUrl, startServerWithEmail } from '#tests/support/server-with-email.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import type { ReceivedEmail } from '#tests/support/email-server.ts';
import { enableTwoFactor } from '#tests/support/two-factor.ts';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { addResetPasswordCommand } from './accounts-command.ts';

const mailing = await startServerWithEmail();
const { post, server, node } = mailing;
afterAll(() => mailing.stop());
beforeEach(() => server.resetRateLimits());

const newPassword = 'another horse battery';

/** The token of a link in a mail; '' where there is none. */
function tokenIn(mail: ReceivedEmail | undefined, page: string): string {
  return new RegExp(`${siteUrl}/${page}#(\\S+)`).exec(mail?.text ?? '')?.[1] ?? '';
}

/** Mails to an address whose subject is this, once there is one. */
async function mailed(address: string, subject: string | RegExp): Promise<ReceivedEmail[]> {
  await node.backgroundJobs?.enqueueDueJobs();
  for (let count = 1; ; count++) {
    const found = (await post.waitForEmails(address, count)).filter((mail) => mail.subject?.match(subject));
    if (found.length > 0) return found;
  }
}

async function linkFor(email: string): Promise<string> {
  expect((await node.visitor().post('/password-resets', { email })).status).toBe(202);
  return tokenIn((await mailed(email, 'Set a new password')).at(-1), 'reset-password');
}

const setPassword = (token: string) => node.visitor().post('/mail/password', { token, newPassword });
const signsIn = async ({ email }: { email: string }, with_: string) =>
  (await node.visitor().signIn(email, with_)).status === 200;
const isSignedIn = async (member: Member) => (await member.get('/sessions')).status === 200;

describe('a forgotten password', () => {
  test('is replaced by the link in a mail, which works once and ends every session', async () => {
    const ann = await server.register('Ann');
    const elsewhere = await ann.signInElsewhere();
    const token = await linkFor(ann.email);
    expect(await setPassword(token)).toMatchObject({ status: 204 });
    expect(await isSignedIn(ann)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await signsIn(ann, password)).toBe(false);
    expect(await signsIn(ann, newPassword)).toBe(true);
    expect(await setPassword(token)).toMatchObject({ status: 410, code: 'gone' });
    const [told] = await mailed(ann.email, 'Your password was reset');
    expect(told?.text).toContain(`${siteUrl}/forgot-password`);
    expectOk(await ann.signIn(ann.email, newPassword));
    expect(expectOk(await ann.get<OwnEmail>('/address')).isConfirmed).toBe(true);
  });

  test('leaves the second factor, and no passkey of before the address was confirmed', async () => {
    const [ann, ben] = [await server.register('Ann'), await server.register('Ben')];
    await enableTwoFactor(ann);
    await server.db.updateTable('member').set({ email_verified: true }).where('id', '=', ben.id).execute();
    const outcomes = [];
    for (const member of [ann, ben]) {
      const { authenticator } = await addPasskey(member);
      expect(await setPassword(await linkFor(member.email))).toMatchObject({ status: 204 });
      const browser = server.visitor();
      const answer = await createPasskeySignIn(browser, authenticator);
      outcomes.push((await browser.post('/session/passkey', answer)).status);
    }
    expect(outcomes).toEqual([401, 200]);
    const { body } = await node.visitor().signIn(ann.email, newPassword);
    expect(body).toMatchObject({ member: null, needs: 'second-factor' });
  });

  test('is answered alike for an address nobody has, which gets no mail', async () => {
    const known = await server.register('Ben');
    const ask = (email: string) => node.visitor().post('/password-resets', { email });
    const [yes, no] = [await ask(known.email), await ask('nobody@example.org')];
    expect([no.status, no.body]).toEqual([yes.status, yes.body]);
    await mailed(known.email, 'Set a new password');
    expect(post.emails.flatMap(({ recipients }) => recipients)).not.toContain('nobody@example.org');
  });

  test('is mailed four times an hour at most, and the answer does not change', async () => {
    const cat = await server.register('Cat');
    for (let time = 0; time < 6; time++) {
      expect((await node.visitor().post('/password-resets', { email: cat.email })).status).toBe(202);
      await mailing.untilQuiet();
    }
    expect((await mailed(cat.email, 'Set a new password')).length).toBeLessThanOrEqual(4);
  });

  test('keeps a link that is an hour old from working, and no token is stored anywhere', async () => {
    const dan = await server.register('Dan');
    const token = await linkFor(dan.email);
    const { rows } = await sql<{ text: string }>`
      select account_token::text from account_token union all select data::text from parley_jobs.job`.execute(
      server.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    await sql`update account_token set expires_at = now() - interval '1 second'`.execute(server.db);
    expect(await setPassword(token)).toMatchObject({ status: 410, code: 'gone' });
    expect(await signsIn(dan, password)).toBe(true);
  });

  test('without a mail server, the answer says whom to ask, and the operator prints a link', async () => {
    const eve = await server.register('Eve');
    const refused = await server.visitor().post('/password-resets', { email: eve.email });
    expect(refused).toMatchObject({ status: 403, detail: expect.stringContaining('whoever runs it') });
    const { out } = await run(eve.email);
    const [, token = ''] = /^http:\/\/localhost\/reset-password#(\S+)\n$/.exec(out) ?? [];
    expect(await server.visitor().post('/mail/password', { token, newPassword })).toMatchObject({
      status: 204,
    });
    expect(await signsIn(eve, newPassword)).toBe(true);
    expect(await run('nobody@example.org')).toMatchObject({ out: '', code: 1 });
  });
});

test('a mail asks new members whether the address is theirs, and nothing is closed to them until then', async () => {
  const visitor = node.visitor();
  const form = { displayName: 'Fay', email: 'fay@example.org', password };
  expectOk(await visitor.post('/members', form));
  const [asked] = await mailed(form.email, 'Please confirm your address');
  expect(asked?.text).toContain(`${siteUrl}/confirm-mail/`);
  expectOk(await visitor.post('/questions', { title: 'Who?', content: 'Me.' }));
});

describe('another address', () => {
  async function change({ email: from }: { email: string }, email: string, given = password) {
    // Cookies of a site with TLS have another name: signed in there.
    const there = node.visitor();
    expectOk(await there.signIn(from, password));
    return there.put<OwnEmail>('/address', { email, password: given });
  }

  async function changed(name: string, email: string) {
    const member = await server.register(name);
    expectOk(await change(member, email));
    const token = tokenIn((await mailed(email, 'confirm your new address'))[0], 'new-address');
    expectOk(await node.visitor().post('/mail/address', { token }));
    const back = tokenIn((await mailed(member.email, 'was changed'))[0], 'take-back-address');
    return { member, token, back };
  }

  test('holds once it was confirmed, and the old one cannot be registered for a week', async () => {
    const { member, token } = await changed('Gus', 'gus@new.example');
    expect((await member.me()).email).toBe('gus@new.example');
    expect(await signsIn({ email: 'gus@new.example' }, password)).toBe(true);
    expect(await signsIn(member, password)).toBe(false);
    expect(await node.visitor().post('/mail/address', { token })).toMatchObject({ status: 410 });
    const form = { displayName: 'Thief', email: member.email, password };
    expect(await node.visitor().post('/members', form)).toMatchObject({ status: 409, code: 'email-taken' });
  });

  test('needs the password, and is none that somebody has', async () => {
    const [hal, ida] = [await server.register('Hal'), await server.register('Ida')];
    expect(await change(hal, 'hal@new.example', 'wrong')).toMatchObject({
      status: 400,
      errors: [{ field: 'password' }],
    });
    expect(await change(hal, ida.email)).toMatchObject({ status: 409, code: 'email-taken' });
    expect(await change(hal, hal.email)).toMatchObject({ status: 400, errors: [{ field: 'email' }] });
    expect(expectOk(await change(hal, 'hal@new.example'))).toMatchObject({
      email: hal.email,
      pendingEmail: 'hal@new.example',
    });
    const token = tokenIn((await mailed('hal@new.example', 'confirm your new'))[0], 'new-address');
    expect(expectOk(await hal.delete('/address/change'))).toMatchObject({ pendingEmail: null });
    expect(await node.visitor().post('/mail/address', { token })).toMatchObject({ status: 410 });
  });

  test('is taken back by the link to the old one, with a new password and no session left', async () => {
    const { member, back } = await changed('Jon', 'jon@new.example');
    const thief = node.visitor();
    expectOk(await thief.signIn('jon@new.example', password));
    expectOk(await node.visitor().post('/mail/old-address', { token: back }));
    expect((await thief.get('/sessions')).status).toBe(401);
    expect(await signsIn({ email: 'jon@new.example' }, password)).toBe(false);
    expect(await signsIn(member, password)).toBe(false);
    const link = tokenIn((await mailed(member.email, 'Set a new password')).at(-1), 'reset-password');
    expectOk(await setPassword(link));
    expect(await signsIn(member, newPassword)).toBe(true);
  });

  test('changed twice, the first one still takes it back, whatever the second does', async () => {
    const { member, back } = await changed('Kim', 'kim@second.example');
    expectOk(await change({ email: 'kim@second.example' }, 'kim@third.example'));
    const token = tokenIn((await mailed('kim@third.example', 'confirm your new'))[0], 'new-address');
    expectOk(await node.visitor().post('/mail/address', { token }));
    const second = tokenIn((await mailed('kim@second.example', 'was changed'))[0], 'take-back-address');
    expectOk(await node.visitor().post('/mail/old-address', { token: second }));
    expectOk(await node.visitor().post('/mail/old-address', { token: back }));
    const { rows } = await sql<{ email: string }>`select email from member where id = ${member.id}`.execute(
      server.db,
    );
    expect(rows).toEqual([{ email: member.email }]);
  });

  test('holds at once where there is no mail server', async () => {
    const liv = await server.register('Liv');
    const to = { email: 'liv@new.example', password };
    expect(expectOk(await liv.put<OwnEmail>('/address', to))).toMatchObject({
      email: to.email,
      isConfirmed: false,
    });
  });
});

test('ending sessions and changing the password are mailed and logged by number', async () => {
  const mia = await server.register('Mia');
  await mia.signInElsewhere();
  expectOk(await mia.delete('/sessions'));
  expectOk(await mia.put('/password', { currentPassword: password, newPassword }));
  await mailed(mia.email, 'You were signed out');
  await mailed(mia.email, 'Your password was changed');
  const { rows } = await sql<{ event: string; notify_email: string | null }>`
    select event, notify_email from security_event where member_id = ${mia.id} order by id`.execute(
    server.db,
  );
  expect(rows).toEqual([
    { event: 'sessions-ended', notify_email: null },
    { event: 'password-changed', notify_email: null },
  ]);
});

async function run(email: string): Promise<{ out: string; code: number }> {
  const shown = { out: '', code: 0 };
  const program = new Command('parley').exitOverride();
  addResetPasswordCommand(program, {
    withDatabase: (work) => work(server.db, 'http://localhost'),
    out: { write: (text) => (shown.out += text) },
    err: { write: () => {} },
    exitWith: (code) => (shown.code = code),
  });
  await program.parseAsync(['reset-password', email], { from: 'user' });
  return shown;
}
