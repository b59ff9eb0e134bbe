import { projectRoot } from '#server/core/paths.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findLinkToken, siteUrl, startServerWithEmail } from '#tests/support/server-with-email.ts';
import type { ReceivedEmail } from '#tests/support/email-server.ts';
import type { Member } from '#tests/support/member.ts';
import type { NotificationPreferences } from '#shared/notifications/preferences.ts';
import { buildConfirmationEmail, buildSimpleEmail } from './email-templates.ts';

const mailing = await startServerWithEmail();
const { post, server, node, choose, mailed, sendDue, untilQuiet } = mailing;
afterAll(() => mailing.stop());

let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

/** The mail about an answer to a question with this title. */
async function mailAbout(title: string, answerer = bob): Promise<ReceivedEmail> {
  const before = (await post.waitForEmails(ann.email, 1)).length;
  await answerer.answer(await ann.ask({ title }));
  await sendDue();
  const mail = (await post.waitForEmails(ann.email, before + 1))[before];
  if (mail === undefined) throw new Error('no mail arrived');
  return mail;
}

async function mailChoices(member: Member) {
  const { body } = await member.get<NotificationPreferences>('/notification-settings');
  return Object.fromEntries(body.preferences.map(({ category, email }) => [category, email]));
}

const header = (mail: ReceivedEmail, name: string) =>
  mail.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);

describe('words of members that try to be more than words', () => {
  const hostile = [
    'A\u2028Bcc: everyone@example.org',
    'Title?= =?utf-8?q?Bcc=3A_everyone?=',
    '\u202Etxet desrever a si siht',
    '<img src=x onerror=alert(1)>',
    '</a></li><script>alert(1)</script>',
    '" onmouseover="alert(1)',
    '&lt;b&gt; already escaped',
    '=?UTF-8?B?QmNjOiBldmVyeW9uZUBleGFtcGxlLm9yZw==?=',
    'To: everyone@example.org, "x" <y@example.org>;',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🏳️‍🌈 עברית',
    '.',
  ];

  test.each(hostile)('the title %j stays one line of a mail to its reader alone', async (words) => {
    await mailed(ann, 'answers', 'at_once');
    const mail = await mailAbout(`${words} and some more`);
    expect(mail.recipients).toEqual([ann.email]);
    expect(mail.to?.map(({ address }) => address)).toEqual([ann.email]);
    expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
    expect(mail.subject).toMatch(/^Bob answered your question "/);
    expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202E]/u);
    expect(mail.headers.map(({ key }) => key).toSorted()).toEqual(usualHeaders);
    // The page of the mail has the marks that were put there, and no others.
    expect(mail.html?.match(/<(?!\/)[a-z!][^\s>]*/gi)).toEqual(usualMarks);
    expect(mail.html).not.toMatch(/<[^>]*\son\w+=/i);
  });

  test('a display name cannot add headers or recipients', async () => {
    await mailed(ann, 'answers', 'at_once');
    const eve = await node.register('Eve" <eve@example.org>, <b>');
    const mail = await mailAbout('Is this safe?', eve);
    expect(mail.from).toEqual({ name: 'Parley', address: 'parley@example.org' });
    expect(mail.recipients).toEqual([ann.email]);
    expect(mail.subject).toBe('Eve" <eve@example.org>, <b> answered your question "Is this safe?"');
    expect(mail.html).toContain('Eve&quot; &lt;eve@example.org&gt;, &lt;b&gt;');
  });

  const usualHeaders = [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'list-unsubscribe',
    'list-unsubscribe-post',
    'message-id',
    'mime-version',
    'subject',
    'to',
  ];
  const usualMarks =
    '<!doctype <html <head <meta <meta <meta <title <body <div <p <ul <li <a <p <br <a <a'.split(' ');
});

test('a mail fetches nothing: every address in it is a link of this site', async () => {
  await mailed(ann, 'answers', 'at_once');
  const mail = await mailAbout('Is anything fetched?');
  expect(mail.html).not.toMatch(/<(img|link|script|iframe|object|style)|url\(|background=|@import/i);
  const addresses = mail.html?.match(/https?:\/\/[^"<\s]+/g) ?? [];
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(new RegExp(`^${siteUrl}/`));
  expect(mail.text).toContain(`Change what we mail you: ${siteUrl}/settings#notifications`);
});

describe('one click in a mail', () => {
  test('ends the mails about one thing, signed out, and no others', async () => {
    await mailed(ann, 'answers', 'at_once');
    await choose(ann, 'votes', 'weekly');
    await choose(bob, 'answers', 'at_once');
    const mail = await mailAbout('Is this the last?');
    expect(header(mail, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click']);
    const [address = ''] = header(mail, 'List-Unsubscribe');
    const { pathname } = new URL(address.replaceAll(/^<|>$/g, ''));
    // As a mail program does it (RFC 8058, section 3.2): at another node, without cookies, from anywhere.
    const clicked = await fetch(`${server.address}${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://mail.example.com' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(clicked.status).toBe(200);
    expect(clicked.headers.getSetCookie()).toEqual([]);
    expect(await mailChoices(ann)).toMatchObject({ answers: 'off', votes: 'weekly' });
    expect(await mailChoices(bob)).toMatchObject({ answers: 'at_once' });
    await bob.answer(await ann.ask());
    await sendDue();
    await untilQuiet();
    expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
  });

  test('is only a page with a button when the address is opened, and may be pressed twice', async () => {
    await mailed(ann, 'answers', 'at_once');
    const token = findLinkToken(await mailAbout('Is opening enough?'), 'unsubscribe');
    await fetch(`${server.address}/unsubscribe/${token}`);
    expect(await mailChoices(ann)).toMatchObject({ answers: 'at_once' });
    for (let click = 0; click < 2; click++)
      expect(await server.visitor().post('/mail/unsubscribe', { token })).toMatchObject({
        status: 200,
        body: { scope: 'answers' },
      });
    expect(await mailChoices(ann)).toMatchObject({ answers: 'off' });
  });

  test('works with no token that was changed, or made for something else', async () => {
    await mailed(ann, 'answers', 'at_once');
    const [confirmation] = await post.waitForEmails(ann.email, 1);
    const token = findLinkToken(await mailAbout('Is it signed?'), 'unsubscribe');
    const [id, scope, signature = ''] = token.split('.');
    const wrong = [
      `${bob.id}.${scope}.${signature}`,
      `${id}.votes.${signature}`,
      `${id}.${scope}.${signature.slice(0, -2)}`,
      `${id}.${scope}.`,
      `${id}.${scope}`,
      findLinkToken(confirmation, 'confirm-mail'),
    ];
    for (const each of wrong) {
      expect((await server.visitor().post('/mail/unsubscribe', { token: each })).status).toBe(410);
      expect((await fetch(`${server.address}/unsubscribe/${each}`, { method: 'POST' })).status).toBe(410);
    }
    expect(await mailChoices(ann)).toMatchObject({ answers: 'at_once' });
    // It signs nobody in, and confirms nothing.
    expect((await server.visitor().post('/mail/confirmation', { token })).status).toBe(410);
  });

  test('in a mail about several things ends all mails at once', async () => {
    await mailed(ann, 'answers', 'at_once');
    await choose(ann, 'votes', 'at_once');
    await choose(ann, 'replies', 'daily');
    const id = await ann.ask();
    await bob.vote('questions', id, 'up');
    await bob.answer(id);
    await sendDue();
    const [, mail] = await post.waitForEmails(ann.email, 2);
    const token = findLinkToken(mail, 'unsubscribe');
    expect((await server.visitor().post('/mail/unsubscribe', { token })).body).toEqual({ scope: 'at_once' });
    expect(await mailChoices(ann)).toMatchObject({ answers: 'off', votes: 'off', replies: 'daily' });
  });
});

test('the button of an email has the accent of the light theme, and its text the colour that is read on it', async () => {
  const css = await readFile(path.join(projectRoot, 'src/web/app/theme.css'), 'utf8');
  const colour = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`, 'u').exec(css)?.[1];
  const letters = [
    buildConfirmationEmail({ link: 'https://parley.example/confirm', site: 'https://parley.example' }),
    buildSimpleEmail({
      subject: 'A subject',
      paragraphs: ['A paragraph'],
      action: { label: 'An action', link: 'https://parley.example/action' },
      small: 'The end',
    }),
  ];
  for (const { html } of letters)
    expect(html).toContain(`background:${colour('accent-fill')};color:${colour('on-accent')};`);
});
