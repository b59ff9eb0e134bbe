import { projectRoot } from '#server/core/paths.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findLinkToken, siteUrl, startServerWithEmail } from '#tests/support/server-with-email.ts';
import type { ReceivedEmail } from '#tests/support/email-server.ts';
import type { Member } from '#tests/support/member.ts';
import type { NotificationPreferences } from '#shared/notifications/preferences.ts';
import { buildConfirmationEmail, buildSimpleEmail, type EmailSite } from './email-templates.ts';

const emailServer = await startServerWithEmail();
const { post, server, node, choose, enableEmail, sendDue, untilQuiet } = emailServer;
afterAll(() => emailServer.stop());

let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

/** The email about an answer to a question with this title. */
async function emailAbout(title: string, answerer = bob): Promise<ReceivedEmail> {
  const before = (await post.waitForEmails(ann.email, 1)).length;
  await answerer.answer(await ann.ask({ title }));
  await sendDue();
  const email = (await post.waitForEmails(ann.email, before + 1))[before];
  if (email === undefined) throw new Error('no email arrived');
  return email;
}

async function readEmailChoices(member: Member) {
  const { body } = await member.get<NotificationPreferences>('/notification-preferences');
  return Object.fromEntries(body.preferences.map(({ category, email }) => [category, email]));
}

const header = (email: ReceivedEmail, name: string) =>
  email.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);

describe('member text with markup or control characters', () => {
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

  test.each(hostile)('keeps the title %j on one line of an email to a single recipient', async (words) => {
    await enableEmail(ann, 'answers', 'instant');
    const email = await emailAbout(`${words} and some more`);
    expect(email.recipients).toEqual([ann.email]);
    expect(email.to?.map(({ address }) => address)).toEqual([ann.email]);
    expect([email.cc, email.bcc]).toEqual([undefined, undefined]);
    expect(email.subject).toMatch(/^Bob answered your question "/);
    expect(email.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202E]/u);
    expect(email.headers.map(({ key }) => key).toSorted()).toEqual(usualHeaders);
    // The HTML contains only the elements of the template.
    expect(email.html?.match(/<(?!\/)[a-z!][^\s>]*/gi)).toEqual(usualMarks);
    expect(email.html).not.toMatch(/<[^>]*\son\w+=/i);
  });

  test('prevents a display name from adding headers or recipients', async () => {
    await enableEmail(ann, 'answers', 'instant');
    const eve = await node.register('Eve" <eve@example.org>, <b>');
    const email = await emailAbout('Is this safe?', eve);
    expect(email.from).toEqual({ name: 'Parley', address: 'parley@example.org' });
    expect(email.recipients).toEqual([ann.email]);
    expect(email.subject).toBe('Eve" <eve@example.org>, <b> answered your question "Is this safe?"');
    expect(email.html).toContain('Eve&quot; &lt;eve@example.org&gt;, &lt;b&gt;');
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
    'x-auto-response-suppress',
  ];
  const usualMarks =
    '<!doctype <html <head <meta <meta <meta <title <body <div <p <span <ul <li <a <p <br <a <a'.split(' ');
});

test('loads nothing from elsewhere and links only to this site', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const email = await emailAbout('Is anything fetched?');
  expect(email.html).not.toMatch(/<(img|link|script|iframe|object|style)|url\(|background=|@import/i);
  const addresses = email.html?.match(/https?:\/\/[^"<\s]+/g) ?? [];
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(new RegExp(`^${siteUrl}/`));
  expect(email.text).toContain(`Change email preferences: ${siteUrl}/settings#notifications`);
});

describe('one-click unsubscribe', () => {
  test('ends the emails of one category without a session, and no others', async () => {
    await enableEmail(ann, 'answers', 'instant');
    await choose(ann, 'votes', 'weekly');
    await choose(bob, 'answers', 'instant');
    const email = await emailAbout('Is this the last?');
    expect(header(email, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click']);
    const [address = ''] = header(email, 'List-Unsubscribe');
    const { pathname } = new URL(address.replaceAll(/^<|>$/g, ''));
    // Like an email program (RFC 8058, section 3.2): on another node, without cookies, from any origin.
    const clicked = await fetch(`${server.address}${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://mail.example.com' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(clicked.status).toBe(200);
    expect(clicked.headers.getSetCookie()).toEqual([]);
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'off', votes: 'weekly' });
    expect(await readEmailChoices(bob)).toMatchObject({ answers: 'instant' });
    await bob.answer(await ann.ask());
    await sendDue();
    await untilQuiet();
    expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
  });

  test('shows a page with a button when the link is opened, and can be repeated', async () => {
    await enableEmail(ann, 'answers', 'instant');
    const token = findLinkToken(await emailAbout('Is opening enough?'), 'unsubscribe');
    await fetch(`${server.address}/unsubscribe/${token}`);
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'instant' });
    for (let click = 0; click < 2; click++)
      expect(await server.visitor().post('/email/unsubscribe', { token })).toMatchObject({
        status: 200,
        body: { scope: 'answers' },
      });
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'off' });
  });

  test('refuses a token that was changed or made for another purpose', async () => {
    await enableEmail(ann, 'answers', 'instant');
    const [confirmation] = await post.waitForEmails(ann.email, 1);
    const token = findLinkToken(await emailAbout('Is it signed?'), 'unsubscribe');
    const [id, scope, signature = ''] = token.split('.');
    const wrong = [
      `${bob.id}.${scope}.${signature}`,
      `${id}.votes.${signature}`,
      `${id}.${scope}.${signature.slice(0, -2)}`,
      `${id}.${scope}.`,
      `${id}.${scope}`,
      findLinkToken(confirmation, 'confirm-email'),
    ];
    for (const each of wrong) {
      expect((await server.visitor().post('/email/unsubscribe', { token: each })).status).toBe(410);
      expect((await fetch(`${server.address}/unsubscribe/${each}`, { method: 'POST' })).status).toBe(410);
    }
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'instant' });
    // The token neither signs in nor confirms an address.
    expect((await server.visitor().post('/email/confirmation', { token })).status).toBe(410);
  });

  test('refuses a link that was sent to an earlier address of the member', async () => {
    await enableEmail(ann, 'answers', 'instant');
    const token = findLinkToken(await emailAbout('Does it move along?'), 'unsubscribe');
    const moveTo = (email: string) =>
      sql`update member set email = ${email} where id = ${ann.id}`.execute(server.db);
    await moveTo('moved@example.com');
    expect(await server.visitor().post('/email/unsubscribe', { token })).toMatchObject({
      status: 410,
      code: 'unsubscribe-link-not-valid',
    });
    expect((await fetch(`${server.address}/unsubscribe/${token}`, { method: 'POST' })).status).toBe(410);
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'instant' });
    await moveTo(ann.email);
    expect((await server.visitor().post('/email/unsubscribe', { token })).status).toBe(200);
  });

  test('ends all emails when the email covers several categories', async () => {
    await enableEmail(ann, 'answers', 'instant');
    await choose(ann, 'votes', 'instant');
    await choose(ann, 'replies', 'daily');
    const id = await ann.ask();
    await bob.vote('questions', id, 'up');
    await bob.answer(id);
    await sendDue();
    const [, email] = await post.waitForEmails(ann.email, 2);
    const token = findLinkToken(email, 'unsubscribe');
    expect((await server.visitor().post('/email/unsubscribe', { token })).body).toEqual({ scope: 'instant' });
    expect(await readEmailChoices(ann)).toMatchObject({ answers: 'off', votes: 'off', replies: 'daily' });
  });
});

test('uses the accent of the light theme for the button, with a readable text colour', async () => {
  const css = await readFile(path.join(projectRoot, 'src/web/app/theme.css'), 'utf8');
  const colour = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`, 'u').exec(css)?.[1];
  const write = (site: EmailSite) => [
    buildConfirmationEmail({ ...site, link: 'https://parley.example/confirm' }),
    buildSimpleEmail({
      site,
      subject: 'A subject',
      paragraphs: ['A paragraph'],
      action: { label: 'An action', link: 'https://parley.example/action' },
      small: 'The end',
    }),
  ];
  const site: EmailSite = {
    siteName: 'Parley',
    site: 'https://parley.example',
    accentColor: '',
    logo: '',
    language: 'en',
  };
  for (const { html } of write({ ...site, accentColor: '#FFD500' }))
    expect(html).toContain('background:#a38800;color:#1f1c18;');
  for (const { html } of write(site))
    expect(html).toContain(`background:${colour('accent-fill')};color:${colour('on-accent')};`);
});
