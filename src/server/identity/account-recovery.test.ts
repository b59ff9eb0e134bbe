import { setSiteSetting } from '#tests/support/site-settings.ts';
import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { addPasskey, createPasskeySignIn } from '#tests/support/webauthn-authenticator.ts';
import { siteUrl, startServerWithEmail } from '#tests/support/server-with-email.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import type { ReceivedEmail } from '#tests/support/email-server.ts';
import { enableTwoFactor } from '#tests/support/two-factor.ts';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { addResetPasswordCommand } from './accounts-command.ts';

const emailServer = await startServerWithEmail();
const { post, server, node } = emailServer;
afterAll(() => emailServer.stop());
beforeEach(() => server.resetRateLimits());

const newPassword = 'another horse battery';

/** Returns the token of a link in an email; '' if there is none. */
function tokenIn(email: ReceivedEmail | undefined, page: string): string {
  return new RegExp(`${siteUrl}/${page}#(\\S+)`).exec(email?.text ?? '')?.[1] ?? '';
}

/** Waits for emails to an address with this subject, and returns them. */
async function findEmails(address: string, subject: string | RegExp): Promise<ReceivedEmail[]> {
  await node.backgroundJobs?.enqueueDueJobs();
  for (let count = 1; ; count++) {
    const emails = (await post.waitForEmails(address, count)).filter((email) =>
      email.subject?.match(subject),
    );
    if (emails.length > 0) return emails;
  }
}

async function linkFor(email: string): Promise<string> {
  expect((await node.visitor().post('/password-resets', { email })).status).toBe(202);
  return tokenIn((await findEmails(email, 'Reset your password')).at(-1), 'reset-password');
}

const setPassword = (token: string) => node.visitor().post('/email/password-reset', { token, newPassword });
const signsIn = async ({ email }: { email: string }, with_: string) =>
  (await node.visitor().signIn(email, with_)).status === 200;
const isSignedIn = async (member: Member) => (await member.get('/sessions')).status === 200;

describe('resetting a forgotten password', () => {
  test('works once with the emailed link, and ends every session', async () => {
    const ann = await server.register('Ann');
    const elsewhere = await ann.signInElsewhere();
    const token = await linkFor(ann.email);
    expect(await setPassword(token)).toMatchObject({ status: 200 });
    expect(await isSignedIn(ann)).toBe(false);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await signsIn(ann, password)).toBe(false);
    expect(await signsIn(ann, newPassword)).toBe(true);
    expect(await setPassword(token)).toMatchObject({ status: 410, kind: 'gone' });
    const [notice] = await findEmails(ann.email, 'Your password was reset');
    expect(notice?.text).toContain(`${siteUrl}/forgot-password`);
    expectOk(await ann.signIn(ann.email, newPassword));
    expect(expectOk(await ann.get<OwnEmail>('/email-address')).isConfirmed).toBe(true);
  });

  test('keeps two-factor authentication, removes passkeys from before the address was confirmed, and reports others', async () => {
    const [ann, ben] = [await server.register('Ann'), await server.register('Ben')];
    await enableTwoFactor(ann);
    await sql`update member set email_verified = true where id = ${ben.id}`.execute(server.db);
    const outcomes = [];
    for (const member of [ann, ben]) {
      const { authenticator } = await addPasskey(member);
      const remaining = expectOk(await setPassword(await linkFor(member.email)));
      const browser = server.visitor();
      const answer = await createPasskeySignIn(browser, authenticator);
      outcomes.push([remaining, (await browser.post('/session/passkey', answer)).status]);
    }
    expect(outcomes).toEqual([
      [{ passkeys: 0, linkedAccounts: 0 }, 401],
      [{ passkeys: 1, linkedAccounts: 0 }, 200],
    ]);
    const emails = await Promise.all(
      [ann, ben].map(async ({ email }) => (await findEmails(email, 'Your password was reset'))[0]?.text),
    );
    expect(emails).toEqual([
      expect.not.stringContaining('still work'),
      expect.stringContaining('Passkeys that still work: 1. Linked accounts that still work: 0.'),
    ]);
    const { body } = await node.visitor().signIn(ann.email, newPassword);
    expect(body).toMatchObject({ member: null, needs: 'two-factor' });
  });

  test('responds alike for an unknown address, and sends no email', async () => {
    const known = await server.register('Ben');
    const ask = (email: string) => node.visitor().post('/password-resets', { email });
    const [yes, no] = [await ask(known.email), await ask('nobody@example.org')];
    expect([no.status, no.body]).toEqual([yes.status, yes.body]);
    await findEmails(known.email, 'Reset your password');
    expect(post.emails.flatMap(({ recipients }) => recipients)).not.toContain('nobody@example.org');
  });

  test('sends at most four emails an hour, with the same response', async () => {
    const cat = await server.register('Cat');
    for (let time = 0; time < 6; time++) {
      expect((await node.visitor().post('/password-resets', { email: cat.email })).status).toBe(202);
      await emailServer.untilQuiet();
    }
    expect((await findEmails(cat.email, 'Reset your password')).length).toBeLessThanOrEqual(4);
  });

  test('queues an email with the time of the request', async () => {
    const del = await server.register('Del');
    await linkFor(del.email);
    const { rows } = await sql<{ requestedAt: number }>`
      select data->'requestedAt' as "requestedAt" from parley_jobs.job where data->>'email' = ${del.email}`.execute(
      server.db,
    );
    expect(Math.abs(Date.now() - (rows[0]?.requestedAt ?? 0))).toBeLessThan(10 * 60_000);
  });

  test('is sent for a request after an outage in which an earlier one failed', async () => {
    const eva = await server.register('Eva');
    await linkFor(eva.email);
    await sql`
      update parley_jobs.job set state = 'retry', start_after = now() + interval '1 hour', completed_on = null
      where data->>'email' = ${eva.email}`.execute(server.db);
    expectOk(await node.visitor().post('/password-resets', { email: eva.email }));
    await eventually(async () => (await findEmails(eva.email, 'Reset your password')).length === 2);
  });

  test('refuses a link that is an hour old, and stores no token', async () => {
    const dan = await server.register('Dan');
    const token = await linkFor(dan.email);
    const { rows } = await sql<{ text: string }>`
      select email_link::text from email_link union all select data::text from parley_jobs.job`.execute(
      server.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    await sql`update email_link set expires_at = now() - interval '1 second'`.execute(server.db);
    expect(await setPassword(token)).toMatchObject({ status: 410, kind: 'gone' });
    expect(await signsIn(dan, password)).toBe(true);
  });

  test('refers the member to the operator, who prints a link, if there is no mail server', async () => {
    const eve = await server.register('Eve');
    const refused = await server.visitor().post('/password-resets', { email: eve.email });
    expect(refused).toMatchObject({ status: 403, detail: expect.stringContaining('Ask its operator') });
    const { out } = await run(eve.email);
    const [, token = ''] = /^http:\/\/localhost\/reset-password#(\S+)\n$/.exec(out) ?? [];
    expect(await server.visitor().post('/email/password-reset', { token, newPassword })).toMatchObject({
      status: 200,
    });
    expect(await signsIn(eve, newPassword)).toBe(true);
    expect(await run('nobody@example.org')).toMatchObject({ out: '', code: 1 });
  });

  test('prints a link for a member who lost the passkeys while passwords are off, and when it works', async () => {
    const member = await server.register('Kim');
    expect((await run(member.email)).err).not.toContain('Password sign-in');
    await setPasswordSignIn(false);
    const { out, err } = await run(member.email);
    expect(err).toContain('parley settings set passwordSignIn true');
    const [, token = ''] = /#(\S+)\n$/.exec(out) ?? [];
    const reset = () => server.visitor().post('/email/password-reset', { token, newPassword });
    expect(await reset()).toMatchObject({ status: 403 });
    await setPasswordSignIn(true);
    expect(await reset()).toMatchObject({ status: 200 });
  });
});

test('emails new members to confirm their address, and restricts nothing until then', async () => {
  const visitor = node.visitor();
  const form = { displayName: 'Fay', email: 'fay@example.org', password };
  expectOk(await visitor.post('/members', form));
  const [asked] = await findEmails(form.email, 'Confirm your email address');
  expect(asked?.text).toContain(`${siteUrl}/confirm-email/`);
  expectOk(await visitor.post('/questions', { title: 'Who?', content: 'Me.' }));
});

describe('changing the email address', () => {
  async function change({ email: from }: { email: string }, email: string, given = password) {
    // With TLS the cookies have other names, so the member signs in there.
    const there = node.visitor();
    expectOk(await there.signIn(from, password));
    return there.put<OwnEmail>('/email-address', { email, password: given });
  }

  test('an address whose domain was refused meanwhile cannot be confirmed', async () => {
    const oda = await server.register('Oda');
    expectOk(await change(oda, 'oda@meanwhile.test'));
    const [email] = await findEmails('oda@meanwhile.test', 'Confirm your new email address');
    await setSiteSetting(node.db, 'refusedEmailDomains', ['meanwhile.test']);
    await node.siteSettings.refresh();
    const response = await node.visitor().post('/email/change', { token: tokenIn(email, 'change-email') });
    expect(response.status).toBe(400);
    await setSiteSetting(node.db, 'refusedEmailDomains', []);
    await node.siteSettings.refresh();
    expect(expectOk(await oda.get<OwnEmail>('/email-address')).email).toBe(oda.email);
  });

  async function changed(name: string, email: string, { isConfirmed = true } = {}) {
    const member = await server.register(name);
    await sql`update member set email_verified = ${isConfirmed} where id = ${member.id}`.execute(server.db);
    expectOk(await change(member, email));
    const token = tokenIn((await findEmails(email, 'Confirm your new email address'))[0], 'change-email');
    expectOk(await node.visitor().post('/email/change', { token }));
    const [notice] = await findEmails(member.email, 'was changed');
    // Not sent while password sign-in is off.
    expect(notice?.text).not.toContain('new password');
    const back = tokenIn(notice, 'revert-email');
    return { member, token, back };
  }

  test('takes effect when the new address is confirmed; the old one cannot be registered for a week', async () => {
    const { member, token } = await changed('Gus', 'gus@new.example');
    expect((await member.me()).email).toBe('gus@new.example');
    expect(await signsIn({ email: 'gus@new.example' }, password)).toBe(true);
    expect(await signsIn(member, password)).toBe(false);
    expect(await node.visitor().post('/email/change', { token })).toMatchObject({ status: 410 });
    const form = { displayName: 'Thief', email: member.email, password };
    expect(await node.visitor().post('/members', form)).toMatchObject({ status: 409, kind: 'email-taken' });
  });

  test('leaves an old address that was never confirmed to others, and is then not reverted', async () => {
    const { member, back } = await changed('Ike', 'ike@new.example', { isConfirmed: false });
    const owner = node.visitor();
    expectOk(await owner.post('/members', { displayName: 'Owner', email: member.email, password }));
    const revert = await node.visitor().post('/email/revert', { token: back });
    expect(revert).toMatchObject({ status: 409, kind: 'email-taken', code: 'restored-email-taken' });
    expect((await owner.get('/sessions')).status).toBe(200);
    expect((await member.me()).email).toBe('ike@new.example');
    // The link works again once the address is free.
    expectOk(await owner.post('/account-deletion', { password, posts: 'keep' }));
    expectOk(await node.visitor().post('/email/revert', { token: back }));
    expect(await signsIn({ email: 'ike@new.example' }, password)).toBe(false);
  });

  test('needs the password, and an address that is not in use', async () => {
    const [hal, ida] = [await server.register('Hal'), await server.register('Ida')];
    expect(await change(hal, 'hal@new.example', 'wrong')).toMatchObject({
      status: 400,
      errors: [{ field: 'password' }],
    });
    expect(await change(hal, ida.email)).toMatchObject({ status: 409, kind: 'email-taken' });
    expect(await change(hal, hal.email)).toMatchObject({ status: 400, errors: [{ field: 'email' }] });
    expect(expectOk(await change(hal, 'hal@new.example'))).toMatchObject({
      email: hal.email,
      pendingEmail: 'hal@new.example',
    });
    const token = tokenIn((await findEmails('hal@new.example', 'Confirm your new'))[0], 'change-email');
    expect(expectOk(await hal.delete('/email-address/change'))).toMatchObject({ pendingEmail: null });
    expect(await node.visitor().post('/email/change', { token })).toMatchObject({ status: 410 });
  });

  test('to a registered address counts as a request, so that no one can try many', async () => {
    const [hal, ida] = [await server.register('Hal'), await server.register('Ida')];
    for (const on of [node, server]) {
      await server.resetRateLimits();
      const browser = on.visitor();
      expectOk(await browser.signIn(hal.email, password));
      const codes: (string | undefined)[] = [];
      for (let n = 0; n < 6; n++) {
        const { email } = n === 0 ? ida : await server.register('Jo');
        codes.push((await browser.put('/email-address', { email, password })).code);
      }
      expect(codes).toEqual([...Array<string>(5).fill('new-email-taken'), 'too-many-email-changes']);
    }
  });

  test('is possible an hour after others named the address, however often the owner tried', async () => {
    const [ida, ivo, iris, owner] = await server.registerAll('Ida', 'Ivo', 'Iris', 'Ines');
    for (const other of [ida, ivo, iris]) expectOk(await change(other, 'ines@new.example'));
    let refused = await change(owner, 'ines@new.example');
    for (let tries = 1; tries < 6; tries++) refused = await change(owner, 'ines@new.example');
    expect(refused).toMatchObject({ status: 429, code: 'too-many-emails-to-address' });
    const waitMs = Number(refused.headers.get('retry-after')) * 1_000;
    await sql`update rate_limit set expire = expire - ${waitMs}::bigint where key like 'change-email-address:%'`.execute(
      server.db,
    );
    expectOk(await change(owner, 'ines@new.example'));
  });

  test('ends with a change of the password, which may be a reaction to it', async () => {
    const hugo = await server.register('Hugo');
    expectOk(await change(hugo, 'thief@new.example'));
    const token = tokenIn((await findEmails('thief@new.example', 'Confirm your new'))[0], 'change-email');
    expectOk(await hugo.put('/password', { currentPassword: password, newPassword }));
    expect(await node.visitor().post('/email/change', { token })).toMatchObject({ status: 410 });
    expect(await signsIn(hugo, newPassword)).toBe(true);
  });

  test('is reverted by the link to the old address, which sets a new password and ends all sessions', async () => {
    const { member, back } = await changed('Jon', 'jon@new.example');
    const thief = node.visitor();
    expectOk(await thief.signIn('jon@new.example', password));
    expectOk(await node.visitor().post('/email/revert', { token: back }));
    expect((await thief.get('/sessions')).status).toBe(401);
    expect(await signsIn({ email: 'jon@new.example' }, password)).toBe(false);
    expect(await signsIn(member, password)).toBe(false);
    const link = tokenIn((await findEmails(member.email, 'Reset your password')).at(-1), 'reset-password');
    expectOk(await setPassword(link));
    expect(await signsIn(member, newPassword)).toBe(true);
  });

  test('twice can be reverted by the first link, whatever the second one does', async () => {
    const { member, back } = await changed('Kim', 'kim@second.example');
    expectOk(await change({ email: 'kim@second.example' }, 'kim@third.example'));
    const token = tokenIn((await findEmails('kim@third.example', 'Confirm your new'))[0], 'change-email');
    expectOk(await node.visitor().post('/email/change', { token }));
    const second = tokenIn((await findEmails('kim@second.example', 'was changed'))[0], 'revert-email');
    expectOk(await node.visitor().post('/email/revert', { token: second }));
    expectOk(await node.visitor().post('/email/revert', { token: back }));
    const { rows } = await sql<{ email: string }>`select email from member where id = ${member.id}`.execute(
      server.db,
    );
    expect(rows).toEqual([{ email: member.email }]);
  });

  test('takes effect immediately without a mail server', async () => {
    const liv = await server.register('Liv');
    const to = { email: 'liv@new.example', password };
    expect(expectOk(await liv.put<OwnEmail>('/email-address', to))).toMatchObject({
      email: to.email,
      isConfirmed: false,
    });
  });
});

test('emails and logs ended sessions and password changes, by member id', async () => {
  const mia = await server.register('Mia');
  await mia.signInElsewhere();
  expectOk(await mia.delete('/sessions'));
  expectOk(await mia.put('/password', { currentPassword: password, newPassword }));
  await findEmails(mia.email, 'You were signed out');
  await findEmails(mia.email, 'Your password was changed');
  const { rows } = await sql<{ event: string; notify_email: string | null }>`
    select event, notify_email from security_event where member_id = ${mia.id} order by id`.execute(
    server.db,
  );
  expect(rows).toEqual([
    { event: 'sessions-ended', notify_email: null },
    { event: 'password-changed', notify_email: null },
  ]);
});

async function setPasswordSignIn(value: boolean): Promise<void> {
  await setSiteSetting(server.db, 'passwordSignIn', value);
  await server.siteSettings.refresh();
}

async function run(email: string): Promise<{ out: string; err: string; code: number }> {
  const result = { out: '', err: '', code: 0 };
  const program = new Command('parley').exitOverride();
  addResetPasswordCommand(program, {
    withDatabase: (work) => work(server.db, 'http://localhost'),
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['reset-password', email], { from: 'user' });
  return result;
}
