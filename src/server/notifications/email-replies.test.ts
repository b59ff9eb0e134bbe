import { Command } from 'commander';
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import type { ReceivedEmail } from '#tests/support/email-server.ts';
import {
  bounceAddress,
  replyAddress,
  senderAddress,
  siteUrl,
  startServerWithEmail,
} from '#tests/support/server-with-email.ts';
import { defaultSettings } from '#tests/support/server.ts';
import { setRole } from '#server/admin/roles.ts';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { addEmailCommand, type EmailCommandDeps, type ReceivingEmails } from './email-command.ts';
import { createEmailPostingToken } from './email-posting-token.ts';
import { createReplyAddress, parseReplyAddress } from './email-replies-address.ts';
import { parseReplyMessage } from './email-replies-message.ts';
import { takeReceivedMessage } from './email-replies.ts';

await loadSentTexts();
const emailServer = await startServerWithEmail({ replyAddress });
const { post, server, node, enableEmail, sendDue, untilQuiet } = emailServer;
afterAll(() => emailServer.stop());
const { db } = server;
const { secret } = defaultSettings;

let ann: Member;
let bob: Member;
const moderator = await node.register('Olga');
await setRole(db, { email: moderator.email, role: 'moderator' });
let refusals: { to: string; subject: string; text: string; id: string }[] = [];
beforeEach(async () => {
  await server.resetRateLimits();
  refusals = [];
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

const site = { site: siteUrl, siteName: 'Parley', accentColor: '#0b6e4f', logo: '', language: 'en' } as const;
const deps = () => ({
  db,
  secret,
  sender: 'Parley <parley@example.org>',
  replyAddress,
  bounceAddress: undefined,
  server: node.address,
  site,
  send: async (message: (typeof refusals)[number]) => void refusals.push(message),
});
const take = (raw: Uint8Array) => takeReceivedMessage(deps(), { raw });

let sent = 0;
const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });

type Composed = NonNullable<Parameters<typeof transport.sendMail>[0]>;

/** A reply as email programs send it. */
async function compose(email: Composed): Promise<Buffer> {
  const { message } = await transport.sendMail({ messageId: `<${++sent}@mail.example.com>`, ...email });
  return Buffer.isBuffer(message) ? message : Buffer.from('');
}

const quoted = (email: ReceivedEmail) =>
  `\n\nOn Thu, Nov 26, 2026 at 9:00 PM Parley <parley@example.org> wrote:\n\n${(email.text ?? '').replaceAll(/^/gmu, '> ')}`;

/** Posts an answer of Bob and returns the email that Ann gets. */
async function notifyAnn(): Promise<{
  questionId: number;
  answerId: number;
  email: ReceivedEmail;
  to: string;
}> {
  await enableEmail(ann, 'answers', 'instant');
  const questionId = await ann.ask({ title: 'How long does bread rise?' });
  const { id: answerId } = await bob.answer(
    questionId,
    'Until it is **twice** as large.\n\n<b>Not longer</b>',
  );
  await sendDue();
  const [, email] = await post.waitForEmails(ann.email, 2);
  if (email === undefined) throw new Error('There is no email.');
  return { questionId, answerId, email, to: email.replyTo?.[0]?.address ?? '' };
}

const readReplies = async (answerId: number) =>
  expectOk(
    await ann.get<{ items: { content: string; authorName: string }[] }>(`/answers/${answerId}/replies`),
  ).items;

test('an email about one answer shows its text, and a reply to it becomes a comment, once', async () => {
  const { answerId, email, to } = await notifyAnn();
  expect(to).toMatch(/^reply\+[\da-z-]+\.[\da-f]{24}@example\.org$/u);
  expect(to.split('@')[0]?.length).toBeLessThanOrEqual(64);
  expect(email.text).toContain('> Until it is **twice** as large.\n> \n> <b>Not longer</b>');
  expect(email.text).toContain('Reply to this email to comment.');
  expect(email.html).toContain(
    '<p>Until it is <strong>twice</strong> as large.</p><p>&#x3C;b>Not longer&#x3C;/b></p>',
  );
  const raw = await compose({
    from: `Ann <${ann.email.toUpperCase()}>`,
    to,
    text: `Thank you!\n\nHow warm should it be?${quoted(email)}\n\n-- \nAnn\nSent from my phone`,
  });
  expect(await take(raw)).toBe('posted');
  expect(await take(raw)).toBe('posted');
  expect(await readReplies(answerId)).toMatchObject([
    { authorName: 'Ann', content: 'Thank you!\n\nHow warm should it be?' },
  ]);
  expect(refusals).toEqual([]);
});

test('a reply about a comment becomes a reply to it, and one about a question an answer', async () => {
  const questionId = await ann.ask();
  const comment = await bob.replyToQuestion(questionId, { content: 'Which flour?' });
  const addressOf = (kind: 'question' | 'reply', id: number) =>
    createReplyAddress({ secret, replyAddress }, { memberId: ann.id, email: ann.email, post: { kind, id } });
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(db);
  const write = async (to: string, text: string) => take(await compose({ from: ann.email, to, text }));
  expect(await write(addressOf('reply', comment.id), 'Rye.')).toBe('posted');
  const other = await bob.ask();
  expect(await write(addressOf('question', other), 'Three days.')).toBe('posted');
  const { rows } = await sql<{ parent: number; content: string }>`
    select parent_reply_id as parent, content from reply where author_id = ${ann.id}`.execute(db);
  expect(rows).toEqual([{ parent: comment.id, content: 'Rye.' }]);
  expect((await ann.read(other)).answers.items).toMatchObject([{ content: 'Three days.', authorId: ann.id }]);
});

test('below the deepest level, a reply follows the comment above', async () => {
  const questionId = await ann.ask();
  let parent = await bob.replyToQuestion(questionId);
  const ids = [parent.id];
  for (let level = 1; level < 4; level++) {
    parent = await bob.replyToQuestion(questionId, { to: parent });
    ids.push(parent.id);
  }
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(db);
  const to = createReplyAddress(
    { secret, replyAddress },
    { memberId: ann.id, email: ann.email, post: { kind: 'reply', id: ids[3] ?? 0 } },
  );
  expect(await take(await compose({ from: ann.email, to, text: 'I see.' }))).toBe('posted');
  const { rows } = await sql<{ parent: number }>`
    select parent_reply_id as parent from reply where author_id = ${ann.id}`.execute(db);
  expect(rows).toEqual([{ parent: ids[2] }]);
});

test('attached pictures are uploaded; those of a signature or of the quoted email are left out', async () => {
  const { answerId, to } = await notifyAnn();
  const picture = () => Buffer.from(createPngPicture());
  const raw = await compose({
    from: ann.email,
    to,
    text: 'It looks like this: [image: crumb.png]\n\nAnd outside:',
    html: '<p>It looks like this: <img src="cid:1"></p><p>And outside:</p><p>-- <img src="cid:2"></p>',
    attachments: [
      { filename: 'crumb.png', content: picture(), cid: '1' },
      { filename: 'logo.png', content: picture(), cid: '2' },
      { filename: 'the [crust].png', content: picture() },
      { filename: 'notes.txt', content: 'Not a picture' },
    ],
  });
  expect(await take(raw)).toBe('posted');
  const [reply] = await readReplies(answerId);
  expect(reply?.content).toMatch(
    /^It looks like this: !\[crumb\]\(\/uploads\/[^)]+\)\n\nAnd outside:\n\n!\[the crust\]\(\/uploads\/[^)]+\)$/u,
  );
  const [, path = ''] = /crumb\]\(([^)]+)\)/u.exec(reply?.content ?? '') ?? [];
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(node.address + path, { headers: { cookie } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
});

test('a refused reply returns to its author with the reason and the text, in their language', async () => {
  const { answerId, to } = await notifyAnn();
  expectOk(await ann.put('/email-address/language', { language: 'de' }));
  expect(await take(await compose({ from: ann.email, to, text: 'x'.repeat(1_001) }))).toBe('refused');
  expect(await take(await compose({ from: 'eve@example.com', to, text: 'Buy this' }))).toBe('refused');
  expect(await take(await compose({ from: ann.email, to, text: '> only a quote' }))).toBe('refused');
  expectOk(await actOnPost(moderator, 'hide', 'answer', answerId));
  expect(await take(await compose({ from: ann.email, to, text: 'Late' }))).toBe('refused');
  expect(refusals.map(({ to: address }) => address)).toEqual(Array.from({ length: 4 }, () => ann.email));
  const [tooLong, sender, empty, gone] = refusals.map(({ text }) => text);
  expect(tooLong).toContain('1.000');
  expect(tooLong).toContain(`> ${'x'.repeat(1_001)}`);
  expect(tooLong).toContain(`${siteUrl}/question/`);
  expect(sender).toContain('E-Mail-Adresse deines Kontos');
  expect(sender).not.toContain('Buy this');
  expect(empty).not.toContain('> ');
  expect(gone).toContain('> Late');
  expect(await readReplies(answerId).catch(() => [])).toEqual([]);
});

test.each([
  ['two From headers', (own: string) => `${own}\r\nFrom: eve@example.com`],
  ['the same From header twice', (own: string) => `${own}\r\nFrom: ${own}`],
  ['two addresses in From', (own: string) => `${own}, eve@example.com`],
  ['a group in From', (own: string) => `Team: ${own}, eve@example.com;`],
  ['a group of one address in From', (own: string) => `Team: ${own};`],
  ['two addresses in brackets in From', (own: string) => `<${own}> <eve@example.com>`],
])('an email with %s is refused, whichever is the member’s', async (_, write) => {
  const { answerId, to } = await notifyAnn();
  const send = (from: string) =>
    take(Buffer.from(`From: ${from}\r\nTo: ${to}\r\nMessage-ID: <${++sent}@x>\r\n\r\nBuy this`));
  expect(await send(write(ann.email))).toBe('refused');
  expect(refusals.map(({ text }) => text)).toEqual([
    expect.stringContaining('It was not sent from the email address of your account.'),
  ]);
  expect(await readReplies(answerId)).toEqual([]);
  expect(await send(`"Ann, of <Parley>" <${ann.email}>`)).toBe('posted');
});

test('the emails about refusals are limited, so that a forwarded address cannot flood a mailbox', async () => {
  const { to } = await notifyAnn();
  const raw = await compose({ from: 'eve@example.com', to, text: 'Again' });
  for (let n = 0; n < 12; n++) expect(await take(raw)).toBe('refused');
  expect(refusals).toHaveLength(10);
  const own = await compose({ from: ann.email, to, text: 'own '.repeat(300) });
  for (let n = 0; n < 12; n++) expect(await take(own)).toBe('refused');
  expect(refusals).toHaveLength(20);
  expect(refusals.at(10)?.text).toContain('> own own');
});

test('suspended members and those whose address changed cannot post by email', async () => {
  const { answerId, to } = await notifyAnn();
  await sql`
    update member set suspended_until = now() + interval '1 day', suspension_reason = 'Rude' where id = ${ann.id}`.execute(
    db,
  );
  expect(await take(await compose({ from: ann.email, to, text: 'Now' }))).toBe('refused');
  expect(refusals[0]?.text).toContain('suspended');
  await sql`update member set suspended_until = null, suspension_reason = null where id = ${ann.id}`.execute(
    db,
  );
  await sql`update member set email = 'moved@example.com' where id = ${ann.id}`.execute(db);
  expect(await take(await compose({ from: 'moved@example.com', to, text: 'Now' }))).toBe('ignored');
  expect(await readReplies(answerId)).toEqual([]);
});

test.each([
  ['an automatic reply', { headers: { 'Auto-Submitted': 'auto-replied' } }],
  ['an automatic reply of Exchange', { headers: { 'X-Auto-Response-Suppress': 'DR, OOF, AutoReply' } }],
  ['a generated reply', { headers: { 'X-Autogenerated': 'Reply' } }],
  ['an automatic reply by its preference', { headers: { Preference: 'auto_reply' } }],
  ['a vacation message', { headers: { 'X-Mailer': 'vacation' } }],
  ['a message of a list', { headers: { 'List-Id': '<bread.example.org>' } }],
  ['bulk mail', { headers: { Precedence: 'bulk' } }],
  ['a report', { from: 'MAILER-DAEMON@mx.example.com' }],
  ['an empty return path', { headers: { 'Return-Path': '<>' } }],
])('%s is ignored', async (_, email) => {
  const { answerId, to } = await notifyAnn();
  expect(await take(await compose({ from: ann.email, to, text: 'I am away.', ...email }))).toBe('ignored');
  expect(await readReplies(answerId)).toEqual([]);
});

test('changed, foreign and expired addresses are ignored', async () => {
  const { to } = await notifyAnn();
  const write = async (address: string) =>
    take(await compose({ from: ann.email, to: address, text: 'Hello' }));
  expect(await write(to.replace(/\.[\da-f]/u, (end) => (end === '.0' ? '.1' : '.0')))).toBe('ignored');
  expect(await write(to.replace(/-a/u, '-q'))).toBe('ignored');
  expect(await write('reply@example.org')).toBe('ignored');
  expect(await write(to.replace('example.org', 'example.com'))).toBe('ignored');
  const old = to.replace(
    /-([\da-z]+)\./u,
    () => `-${(Math.floor(Date.now() / 86_400_000) - 92).toString(36)}.`,
  );
  expect(parseReplyAddress(replyAddress, old)).toBeNull();
  expect(await take(Buffer.from(''))).toBe('ignored');
  expect(await take(Buffer.from('\u0000\u00FF'.repeat(2_000)))).toBe('ignored');
});

test('votes and several notifications have no address for replies', async () => {
  await enableEmail(ann, 'votes', 'instant');
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  await sendDue();
  const [, email] = await post.waitForEmails(ann.email, 2);
  expect(email?.replyTo ?? []).toEqual([]);
  expect(email?.text).not.toContain('Reply to this email');
  await untilQuiet();
});

test('the token of the command posts, and nothing else', async () => {
  const id = await ann.ask();
  const send = (method: string, path: string, token: string, body?: unknown) =>
    fetch(`${node.address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const token = createEmailPostingToken(secret, ann.id);
  expect((await send('GET', '/notifications', token)).status).toBe(403);
  expect((await send('POST', '/questions', token, { title: 'x', content: 'y', tags: [] })).status).toBe(403);
  const answers = `/questions/${id}/answers`;
  const other = createEmailPostingToken('another secret of some length', ann.id);
  expect((await send('POST', answers, other, { content: 'No' })).status).toBe(401);
  expect(
    (await send('POST', answers, token.replace(/-(\d+)-/u, `-${bob.id}-`), { content: 'No' })).status,
  ).toBe(401);
  expect((await send('POST', answers, token, { content: 'Yes' })).status).toBe(201);
});

async function* stream(raw: Uint8Array) {
  yield raw;
}

async function runCommand(args: string[], raw: Uint8Array, receiving: Partial<ReceivingEmails> = {}) {
  let [out, err, code] = ['', '', 0];
  const email = { url: post.url, from: senderAddress, bounceAddress, replyAddress };
  const program = new Command('parley').exitOverride();
  const parts: EmailCommandDeps = {
    withReceivedEmails: (work) => work(db, { secret, email, server: node.address, site, ...receiving }),
    input: stream(raw),
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
    exitWith: (given) => (code = given),
  };
  addEmailCommand(program, parts);
  await program.parseAsync(['email', 'reply', ...args], { from: 'user' });
  return { out, err, code };
}

test('the command line posts, sends refusals, and exits so that the mail server tries again', async () => {
  const { answerId, to } = await notifyAnn();
  const raw = await compose({ from: ann.email, to: 'reply@example.org', text: 'By the command' });
  expect(await runCommand([to], raw)).toEqual({ out: 'Posted.\n', err: '', code: 0 });
  expect(await readReplies(answerId)).toHaveLength(1);

  const refused = await compose({ from: 'eve@example.com', to, text: 'Buy this' });
  expect(await runCommand([], refused)).toMatchObject({ code: 0 });
  const [, , refusal] = await post.waitForEmails(ann.email, 3);
  expect(refusal?.subject).toBe('Your email was not posted');
  expect(refusal?.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );

  const again = await compose({ from: ann.email, to, text: 'Later' });
  expect(await runCommand(['--server', 'http://127.0.0.1:9'], again)).toMatchObject({ code: 75 });
  expect(await runCommand([], again, { email: undefined })).toEqual({
    out: '',
    err: 'REPLY_ADDRESS is not set.\n',
    code: 1,
  });
  expect(await runCommand([], Buffer.alloc(15_000_001, 'a'))).toMatchObject({ code: 69 });
  const hostile = await compose({ from: ann.email, to, text: '20'.repeat(45_000) });
  expect(await runCommand([], hostile)).toEqual({ out: '', err: 'The email could not be read.\n', code: 69 });
  expect(await readReplies(answerId)).toHaveLength(1);
});

test('too many posts make the mail server try again later', async () => {
  const { answerId, to } = await notifyAnn();
  expect((await ann.replyToAnswer(answerId)).id).toBeGreaterThan(0);
  // As if the member had written almost as much as a new one may.
  await sql`update rate_limit set points = 59 where key = ${memberRateLimitKey('write', ann.id)}`.execute(db);
  const write = async (text: string) => runCommand([], await compose({ from: ann.email, to, text }));
  const codes = [await write('One'), await write('Two'), await write('Three')].map(({ code }) => code);
  expect(codes).toContain(75);
  expect(refusals).toEqual([]);
});

test('the marker line is in the language of the member; text and HTML of a reply are cut there', async () => {
  expectOk(await ann.put('/email-address/language', { language: 'ja' }));
  const { answerId, email, to } = await notifyAnn();
  const marker = '##- この行より上に返信を書いてください -##';
  expect(email.text?.startsWith(`${marker}\n\n`)).toBe(true);
  expect(email.html).toContain(marker);
  const fields = ['差出人: Parley', '送信日時: 2026年11月26日', `宛先: Ann &lt;${ann.email}&gt;`, '件名: x'];
  const html = `<div>Thank you!</div><hr><div>${fields.join('<br>')}</div>${email.html ?? ''}`;
  expect(await take(await compose({ from: ann.email, to, html }))).toBe('posted');
  const text = `And more!\n\n${fields.join('\n')}\n\n${email.text ?? ''}`;
  expect(await take(await compose({ from: ann.email, to, text }))).toBe('posted');
  expect((await readReplies(answerId)).map(({ content }) => content)).toEqual(['Thank you!', 'And more!']);
});

test('posts answers below and between the quoted lines', async () => {
  const { answerId, email, to } = await notifyAnn();
  const header = '2026年11月26日(木) 21:00 Parley <parley@example.org>:';
  const quote = (email.text ?? '').replaceAll(/^/gmu, '> ').split('\n');
  const [top, rest] = [quote.slice(0, 4).join('\n'), quote.slice(4).join('\n')];
  const text = `Answers below.\n\n${header}\n${top}\nVersion 5.2.\n${rest}\n\nWith apt.\n\n-- \nAnn`;
  expect(await take(await compose({ from: ann.email, to, text }))).toBe('posted');
  expect((await readReplies(answerId)).map(({ content }) => content)).toEqual([
    'Answers below.\n\nVersion 5.2.\n\nWith apt.',
  ]);
});

test.each([
  ['with a sign-off above the quoted email', 'See below.\n\nSent from my iPhone\n\n', 'See below.\n\n'],
  ['with a header that has no address', 'See below.\n\nOn 11/26/26 21:00, Parley wrote:\n', 'See below.\n\n'],
  ['with a header only', 'On 11/26/26 21:00, Parley wrote:\n', ''],
])('posts answers between the quoted lines of an email %s', async (_, above, posted) => {
  const { answerId, email, to } = await notifyAnn();
  const quote = (email.text ?? '').replaceAll(/^/gmu, '> ').split('\n');
  const text = `${above}${quote.slice(0, 4).join('\n')}\n\nVersion 5.2.\n\n${quote.slice(4).join('\n')}`;
  expect(await take(await compose({ from: ann.email, to, text }))).toBe('posted');
  expect((await readReplies(answerId)).map(({ content }) => content)).toEqual([`${posted}Version 5.2.`]);
});

test('posts what is only below the quoted email if nothing is above it', async () => {
  const { answerId, email, to } = await notifyAnn();
  const quote = `${(email.text ?? '').replaceAll(/^/gmu, '> ')}\n\n`;
  const footer = 'Example Ltd, 1 Example Street';
  expect(await take(await compose({ from: ann.email, to, text: `${quote}Thank you!` }))).toBe('posted');
  expect(await take(await compose({ from: ann.email, to, text: `Thanks!\n\n${quote}${footer}` }))).toBe(
    'posted',
  );
  expect((await readReplies(answerId)).map(({ content }) => content)).toEqual(['Thank you!', 'Thanks!']);
});

test('refuses a reply with a part of the quoted email that must stay private', async () => {
  const { answerId, email, to } = await notifyAnn();
  const [unsubscribe = ''] = /\S+\/unsubscribe\/\S+/u.exec(email.text ?? '') ?? [];
  expect(unsubscribe).toContain(siteUrl);
  for (const part of [`收件人: Ann <${ann.email}>`, `To: ${to}`, unsubscribe])
    expect(await take(await compose({ from: ann.email, to, text: `Thank you!\n\n${part}` }))).toBe('refused');
  expect(await readReplies(answerId)).toEqual([]);
  for (const { text } of refusals) {
    expect(text).toContain('It contains your own email address, or an address or a link from our email');
    expect(text).toContain('> Thank you!');
  }
  expect(refusals).toHaveLength(3);
});

test.each([
  [
    'French',
    'Merci !\n\nLe jeu. 26 nov. 2026 à 21:00, Parley <p@example.org> a écrit :\n\n> Bonjour',
    'Merci !',
  ],
  ['German', 'Danke!\n\nAm 26.11.2026 um 21:00 schrieb Parley:\n> Hallo', 'Danke!'],
  [
    'Outlook',
    'Thanks\n\n-----Original Message-----\nFrom: Parley <p@example.org>\nSent: Thursday\nTo: Ann\nSubject: x\n\nHi',
    'Thanks',
  ],
  ['Markdown', '# Title\n\n- one\n- two\n\n```\na < b\n```', '# Title\n\n- one\n- two\n\n```\na < b\n```'],
])('cuts the quoted email of a reply (%s)', async (_, text, expected) => {
  const message = await parseReplyMessage(
    await compose({ from: 'a@example.com', to: 'b@example.com', text }),
    'p@example.org',
  );
  expect(message?.text).toBe(expected);
});

test('a reply without a text part is read from its HTML', async () => {
  const html = '<div>Thanks <b>a lot</b></div><div>Bye</div><blockquote>An answer</blockquote>';
  const read = async (given: string) =>
    (
      await parseReplyMessage(
        await compose({ from: 'a@example.com', to: 'b@example.com', html: given }),
        'p@example.org',
      )
    )?.text;
  expect(await read(html)).toBe('Thanks **a lot**\n\nBye');
  expect(await read('<b><i>'.repeat(20_000))).toBe('');
  const fields = '<b>From:</b> Parley<br><b>To:</b> ann@example.org';
  for (const quote of [
    `<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">${fields}</div><div>Hi</div>`,
    `<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p>${fields}</p></div></div><p>Hi</p>`,
    '<div class="gmail_quote gmail_quote_container"><div>Parley 于2026年写道：</div><p>Hi</p></div>',
    '<div class="moz-cite-prefix">Parley kirjoitti:</div><blockquote type="cite"><p>Hi</p></blockquote>',
  ])
    expect(await read(`<p>Thank you!</p>${quote}`)).toBe('Thank you!');
});
