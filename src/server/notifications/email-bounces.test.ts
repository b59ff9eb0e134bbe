import { Command } from 'commander';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import {
  bounceAddress,
  replyAddress,
  senderAddress,
  siteUrl,
  startServerWithEmail,
} from '#tests/support/server-with-email.ts';
import { defaultSettings } from '#tests/support/server.ts';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { createBounceAddress, isPermanentFailure, takeBounceMessage } from './email-bounces.ts';
import { addEmailCommand, type ReceivingEmails } from './email-command.ts';

const emailServer = await startServerWithEmail();
const { post, server, node, enableEmail, sendDue, untilQuiet } = emailServer;
afterAll(() => emailServer.stop());
const { db } = server;
const signing = { secret: defaultSettings.secret, bounceAddress };

let ann: Member;
let bob: Member;
beforeEach(async () => {
  post.rejectWith(undefined);
  await server.resetRateLimits();
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

const readEmail = async () => expectOk(await ann.get<OwnEmail>('/email-address'));
const sentNow = () => ({ memberId: ann.id, email: ann.email, sentAtMs: Date.now() });

/** A report as mail servers send it. */
function report(
  to: string,
  { action = 'failed', status = '5.1.1', words = 'No such user' } = {},
): Uint8Array {
  return Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example.com',
      `To: <${to}>`,
      'Auto-Submitted: auto-replied',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Your email could not be delivered.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; someone@example.com',
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; 550 ${status}`,
      `  ${words}`,
      '',
      '--b--',
      '',
    ].join('\r\n'),
  );
}

const take = (raw: Uint8Array) => takeBounceMessage(db, signing, { raw });

test('a report about an email switches the address off, and emails stop until the member switches them on', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const [confirmation] = await post.waitForEmails(ann.email, 1);
  const sender = confirmation?.envelopeSender ?? '';
  expect(sender).toMatch(/^bounce\+[\da-z]+-[\da-z]+\.[\da-f]{24}@example\.org$/);
  // Some mail servers change the case.
  expect(await take(report(sender.toUpperCase()))).toBe('off');
  expect((await readEmail()).emailsOff).toEqual({
    since: expect.stringMatching(/^\d{4}-/),
    reason: '5.1.1 550 5.1.1 No such user',
  });
  const id = await ann.ask();
  await bob.answer(id);
  await sendDue();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);

  expect((await ann.put('/email-address/delivery', { enabled: false })).status).toBe(400);
  expectOk(await ann.put('/email-address/delivery', { enabled: true }));
  expect((await readEmail()).emailsOff).toBeNull();
  expect(await take(report(sender))).toBe('ignored');
  await bob.answer(id);
  await sendDue();
  await post.waitForEmails(ann.email, 2);
  for (let attempts = 0; attempts < 2; attempts++)
    expectOk(await ann.put('/email-address/delivery', { enabled: true }));
  expect((await ann.put('/email-address/delivery', { enabled: true })).kind).toBe('too-many');
});

test('a password reset is sent although emails are off, and its link switches them on', async () => {
  const sent = sentNow();
  // The clock of the database can have fractions of milliseconds.
  const sender = createBounceAddress(signing, { ...sent, sentAtMs: sent.sentAtMs + 0.5 });
  expect(await take(report(sender))).toBe('off');
  expect((await node.visitor().post('/password-resets', { email: ann.email })).status).toBe(202);
  const [email] = await post.waitForEmails(ann.email, 1);
  const token = /reset-password#(\S+)/.exec(email?.text ?? '')?.[1] ?? '';
  const newPassword = 'bread and butter 8';
  expectOk(await node.visitor().post('/email/password-reset', { token, newPassword }));
  const { rows } = await sql`select email_off_at as off, (
      select count(*)::int from email_bounce where member_id = member.id and not is_settled
    ) as counted from member where id = ${ann.id}`.execute(db);
  expect(rows).toEqual([{ off: null, counted: 0 }]);
});

test.each([
  ['a delay', (to: string) => report(to, { action: 'delayed', status: '4.4.1' })],
  ['a success', (to: string) => report(to, { action: 'delivered', status: '2.0.0' })],
  [
    'an automatic reply',
    (to: string) =>
      Buffer.from(`To: ${to}\r\nAuto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nStatus: 5.1.1\r\n`),
  ],
  ['no message', () => Buffer.from([0, 255, 10, 13])],
  ['a report about another address', () => report('someone@example.org')],
  ['a changed token', (to: string) => report(to.replace(/\w@/, (end) => (end === '0@' ? '1@' : '0@')))],
])('%s changes nothing', async (_, write) => {
  expect(await take(write(createBounceAddress(signing, sentNow())))).toBe('ignored');
  expect((await readEmail()).emailsOff).toBeNull();
});

test.each([
  [
    'signed with another secret',
    () => createBounceAddress({ ...signing, secret: 'x'.repeat(40) }, sentNow()),
  ],
  [
    'of another address of the member',
    () => createBounceAddress(signing, { ...sentNow(), email: 'old@example.org' }),
  ],
  ['of another member', () => createBounceAddress(signing, { ...sentNow(), memberId: bob.id })],
  [
    'that is too old',
    () => createBounceAddress(signing, { ...sentNow(), sentAtMs: Date.now() - 15 * 86_400_000 }),
  ],
])('a token %s changes nothing', async (_, write) => {
  expect(await take(report(write()))).toBe('ignored');
  expect((await readEmail()).emailsOff).toBeNull();
});

test('temporary failures switch the address off on the third day, each email once', async () => {
  for (const day of [1, 2, 3]) {
    const to = createBounceAddress(signing, { ...sentNow(), sentAtMs: Date.now() + day });
    const soft = report(to, { status: '4.2.2', words: 'Mailbox full' });
    expect(await take(soft)).toBe(day === 3 ? 'off' : 'counted');
    expect(await take(soft)).toBe('ignored');
    await sql`update email_bounce set created_at = created_at - interval '1 day'`.execute(db);
  }
});

test.each([
  [550, 'not now', true],
  [550, '5.1.1 No such user', true],
  [550, '5.7.1 Your server is on a list', false],
  [554, 'no thanks', false],
])('a refusal with %i %s at delivery switches the address off: %s', async (code, words, isOff) => {
  await enableEmail(ann, 'answers', 'instant');
  post.rejectWith(code, words);
  await bob.answer(await ann.ask());
  await sendDue();
  await eventually(async () => {
    const { rows } = await sql`select from email_bounce where member_id = ${ann.id}`.execute(db);
    return rows.length > 0;
  });
  expect((await readEmail()).emailsOff !== null).toBe(isOff);
  const { rows } = await sql`select from email_failure where reason = ${String(code)}`.execute(db);
  expect(rows).toHaveLength(1);
});

test.each([
  ['5.1.1', true],
  ['5.2.1', true],
  ['5.1.8', false],
  ['5.2.2', false],
  ['5.7.1', false],
  ['4.1.1', false],
  ['550', true],
  ['552', false],
  ['451', false],
])('%s concerns the address for good: %s', (status, isPermanent) => {
  expect(isPermanentFailure(status)).toBe(isPermanent);
});

const receiving = (address: string | undefined): ReceivingEmails => ({
  secret: signing.secret,
  email: { url: post.url, from: senderAddress, bounceAddress: address, replyAddress },
  server: node.address,
  site: { site: siteUrl, siteName: 'Parley', accentColor: '', logo: '', language: 'en' },
});

test.each([
  ['a report', 'bounce', true, 'Counted. Emails to this member are off now.\n', 0],
  ['a report without BOUNCE_ADDRESS', 'bounce', false, '', 1],
  ['a report like a reply', 'reply', true, 'Counted. Emails to this member are off now.\n', 0],
])('the command line takes %s', async (_, command, isSet, printed, code) => {
  let [out, exitCode] = ['', 0];
  const program = new Command('parley').exitOverride();
  addEmailCommand(program, {
    withReceivedEmails: (work) => work(db, receiving(isSet ? bounceAddress : undefined)),
    input: (async function* input() {
      yield report('postmaster@example.org');
    })(),
    out: { write: (text) => (out += text) },
    err: { write: () => {} },
    exitWith: (given) => (exitCode = given),
  });
  await program.parseAsync(['email', command, createBounceAddress(signing, sentNow())], { from: 'user' });
  expect([out, exitCode]).toEqual([printed, code]);
});

test('a database that does not respond makes the mail server try again', async () => {
  let exitCode = 0;
  const program = new Command('parley').exitOverride();
  addEmailCommand(program, {
    withReceivedEmails: () => Promise.reject(new Error('no connection')),
    input: (async function* input() {
      yield report('x@example.org');
    })(),
    out: { write: () => {} },
    err: { write: () => {} },
    exitWith: (given) => (exitCode = given),
  });
  await program.parseAsync(['email', 'bounce'], { from: 'user' });
  expect(exitCode).toBe(75);
});
