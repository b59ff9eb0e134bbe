import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import {
  bounceAddress,
  replyAddress,
  senderAddress,
  startServerWithEmail,
} from '#tests/support/server-with-email.ts';
import { defaultSettings } from '#tests/support/server.ts';
import type { OwnEmail } from '#shared/identity/account-recovery.ts';
import { createBounceAddress } from './email-bounces.ts';
import { createReplyAddress } from './email-replies-address.ts';

// Requests as mail providers send them, over real HTTP.
const replySecret = 'a-secret-that-only-the-provider-knows';
const emailServer = await startServerWithEmail({ replyAddress, replySecret });
const readEmailsOff = async () => expectOk(await ann.get<OwnEmail>('/email-address')).emailsOff;
const { post, server, node } = emailServer;
afterAll(() => emailServer.stop());
const { secret } = defaultSettings;

let ann: Member;
let answerId = 0;
let to = '';
beforeEach(async () => {
  await server.resetRateLimits();
  ann = await node.register('Ann');
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(server.db);
  answerId = (await ann.answer(await ann.ask())).id;
  to = createReplyAddress(
    { secret, replyAddress },
    { memberId: ann.id, email: ann.email, post: { kind: 'answer', id: answerId } },
  );
});

const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
let sent = 0;

async function compose(email: { text: string; from?: string; picture?: boolean }): Promise<Buffer> {
  const { message } = await transport.sendMail({
    from: email.from ?? ann.email,
    to,
    text: email.text,
    messageId: `<${++sent}@mail.example.com>`,
    ...(email.picture === true && {
      attachments: [{ filename: 'crumb.png', content: Buffer.from(createPngPicture()) }],
    }),
  });
  return Buffer.isBuffer(message) ? message : Buffer.from('');
}

type Body = string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams;

const bearer = { authorization: `Bearer ${replySecret}` };
const basic = { authorization: `Basic ${Buffer.from(`parley:${replySecret}`).toString('base64')}` };

async function deliver(body: Body, headers: Record<string, string> = bearer, at = node.address) {
  const response = await fetch(`${at}/api/received-emails`, { method: 'POST', headers, body });
  const { effect, code } = (await response.json()) as { effect?: string; code?: string };
  return {
    status: response.status,
    ...(effect !== undefined && { effect }),
    ...(code !== undefined && { code }),
  };
}

const readReplies = async () =>
  expectOk(await ann.get<{ items: { content: string }[] }>(`/answers/${answerId}/replies`)).items;

const bytes = (raw: Buffer) => new Uint8Array(raw);

test('posts the email of the body with its pictures, once', async () => {
  const raw = bytes(await compose({ text: 'Thank you!\n\n-- \nAnn', picture: true }));
  const headers = { ...bearer, 'content-type': 'message/rfc822' };
  expect(await deliver(raw, headers)).toEqual({ status: 200, effect: 'posted' });
  expect(await deliver(raw, headers)).toEqual({ status: 200, effect: 'posted' });
  const replies = await readReplies();
  expect(replies).toHaveLength(1);
  expect(replies[0]?.content).toMatch(/^Thank you!\n\n!\[crumb\]\(\/uploads\/[^)]+\)$/u);
});

test('refuses a wrong secret before the body has arrived', async () => {
  const { hostname, port } = new URL(node.address);
  const headers = { authorization: 'Bearer wrong', 'content-type': 'message/rfc822' };
  const sending = request({ hostname, port, path: '/api/received-emails', method: 'POST', headers });
  sending.write('From: ann@example.org\r\n');
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  sending.destroy();
});

test.each([
  ['a form of SendGrid', async (raw: Buffer) => ({ body: toForm({ email: raw.toString(), subject: 'Re' }) })],
  ['a form of Mailgun', async (raw: Buffer) => ({ body: toForm({ 'body-mime': raw.toString() }) })],
  [
    'a form with the email as a file',
    async (raw: Buffer) => ({ body: toForm({ email: new File([bytes(raw)], 'email.eml') }) }),
  ],
  [
    'an encoded form of Mailgun',
    async (raw: Buffer) => ({ body: new URLSearchParams({ 'body-mime': raw.toString() }) }),
  ],
  [
    'JSON of Postmark',
    async (raw: Buffer) => ({
      body: JSON.stringify({ RawEmail: raw.toString(), Subject: 'Re' }),
      type: 'application/json',
    }),
  ],
])('posts an email in %s, with the secret as a password', async (_, wrap: Wrap) => {
  const { body, type } = await wrap(await compose({ text: 'Grüße aus Köln' }));
  const headers = { ...basic, ...(type !== undefined && { 'content-type': type }) };
  expect(await deliver(body, headers)).toEqual({ status: 200, effect: 'posted' });
  expect(await readReplies()).toMatchObject([{ content: 'Grüße aus Köln' }]);
});

type Wrap = (raw: Buffer) => Promise<{ body: Body; type?: string }>;

function toForm(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

test.each([
  ['none', {}],
  ['another one', { authorization: 'Bearer another-secret-of-the-same-length-as-it' }],
  ['another password', { authorization: `Basic ${Buffer.from('parley:wrong').toString('base64')}` }],
  ['the secret as the name', { authorization: `Basic ${Buffer.from(`${replySecret}:`).toString('base64')}` }],
  ['another scheme', { authorization: `Digest ${replySecret}` }],
])('refuses a delivery with a wrong secret (%s)', async (_, headers: Record<string, string>) => {
  const raw = await compose({ text: 'No' });
  expect(await deliver(bytes(raw), headers)).toEqual({ status: 401, code: 'reply-secret-not-valid' });
  expect(await readReplies()).toEqual([]);
});

test('tells the member why an email was not posted, and ignores emails of others', async () => {
  expect(await deliver(bytes(await compose({ text: 'Buy this', from: 'eve@example.com' })))).toEqual({
    status: 200,
    effect: 'refused',
  });
  const [refusal] = await post.waitForEmails(ann.email, 1);
  expect(refusal?.subject).toBe('Your email was not posted');
  to = 'info@example.org';
  expect(await deliver(bytes(await compose({ text: 'Hello' })))).toEqual({ status: 200, effect: 'ignored' });
  expect(await readReplies()).toEqual([]);
});

test('an email that cannot be posted now, or read at all, gets a response that says so', async () => {
  // As if the member had written as much as a new one may.
  await sql`update rate_limit set points = 60 where key = ${memberRateLimitKey('write', ann.id)}`.execute(
    server.db,
  );
  expect(await deliver(bytes(await compose({ text: 'Later' })))).toEqual({ status: 503, code: 'busy' });
  expect(await deliver(bytes(await compose({ text: '20'.repeat(45_000) })))).toEqual({
    status: 200,
    effect: 'unreadable',
  });
});

test('refuses bodies without an email, and those that are too long', async () => {
  const missing = { status: 400, code: 'received-email-missing' };
  expect(await deliver('')).toEqual(missing);
  expect(await deliver(toForm({ text: 'No raw email' }))).toEqual(missing);
  const json = { ...bearer, 'content-type': 'application/json' };
  for (const body of ['{', '[]', '{"RawEmail":7}', '{"TextBody":"x"}'])
    expect(await deliver(body, json)).toEqual(missing);
  expect(await deliver('x', { ...bearer, 'content-type': 'multipart/form-data; boundary=b' })).toEqual(
    missing,
  );
  const tooLarge = { status: 413, code: 'request-too-large' };
  expect(await deliver(new Uint8Array(15_000_001).fill(97))).toEqual(tooLarge);
  expect(await deliver(new Uint8Array(19_000_000).fill(97))).toEqual(tooLarge);
});

test('counts a report of a failed delivery once, and only at an address that was signed for the member', async () => {
  const { id: memberId, email } = ann;
  const write = (recipient: string) =>
    [
      `To: ${recipient}`,
      'Auto-Submitted: auto-replied',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.com\r\n',
      `Final-Recipient: rfc822; ${email}`,
      'Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 No such user\r\n\r\n--b--\r\n',
    ].join('\r\n');
  const signed = createBounceAddress({ secret, bounceAddress }, { memberId, email, sentAtMs: Date.now() });
  const another = createBounceAddress(
    { secret: 'x'.repeat(40), bounceAddress },
    { memberId, email, sentAtMs: Date.now() },
  );
  for (const recipient of [another, to, 'info@example.org'])
    expect(await deliver(write(recipient))).toEqual({ status: 200, effect: 'ignored' });
  expect(await readEmailsOff()).toBeNull();
  const form = toForm({ email: write(signed) });
  expect(await deliver(form)).toEqual({ status: 200, effect: 'bounced-off' });
  expect((await readEmailsOff())?.reason).toBe('5.1.1 550 No such user');
  expect(await deliver(write(signed))).toEqual({ status: 200, effect: 'ignored' });
});

test('more emails at once than a node can read are refused, and can be sent again', async () => {
  const raw = await Promise.all(Array.from({ length: 30 }, (_, n) => compose({ text: `Comment ${n}` })));
  const results = await Promise.all(raw.map((each) => deliver(bytes(each))));
  const refused = raw.filter((_, n) => results[n]?.status === 503);
  expect(results.filter(({ effect }) => effect === 'posted').length).toBe(30 - refused.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const each of refused) expect(await deliver(bytes(each))).toMatchObject({ effect: 'posted' });
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from reply where answer_id = ${answerId}`.execute(server.db);
  expect(rows[0]?.count).toBe(30);
});

test('without REPLY_SECRET nothing is accepted, also not an empty secret', async () => {
  const other = await server.startSecondNode(
    {},
    { email: { url: post.url, from: senderAddress, replyAddress } },
  );
  for (const headers of [bearer, { authorization: 'Bearer ' }])
    expect(await deliver(bytes(await compose({ text: 'No' })), headers, other.address)).toEqual({
      status: 403,
      code: 'received-emails-disabled',
    });
  await other.stop();
});
