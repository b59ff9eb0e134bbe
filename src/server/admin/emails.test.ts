import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectOk, type Member } from '#tests/support/member.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { emailKind, type EmailOverview, type TestEmailOutcome } from '#shared/admin/emails.ts';
import { languages } from '#shared/core/languages.ts';
import { getTextDirection } from '#shared/core/text.ts';
import { buildSampleEmail } from './email-samples.ts';
import { setRole } from './roles.ts';

await loadSentTexts();
const emailServer = await startServerWithEmail();
const { post, server, node } = emailServer;
afterAll(() => emailServer.stop());

const siteName = '</title><img src=x onerror=alert(1)> & "Bcc: a@b.example"';
const site = {
  siteName,
  site: 'https://ask.example.org',
  accentColor: '#FFD500',
  logo: `${'a'.repeat(22)}-100x50`,
};

const translations = languages.filter((language) => language !== 'en');

test.each(translations)('every email in %s is translated, subject and text', (language) => {
  for (const kind of emailKind.options) {
    const [email, english] = [
      buildSampleEmail(kind, { ...site, language }),
      buildSampleEmail(kind, { ...site, language: 'en' }),
    ];
    expect(email.subject).not.toBe(english.subject);
    const words = (text: string) => text.split('\n').filter((line) => /[a-z] [a-z]+ [a-z]/u.test(line));
    const member = /Does bread freeze|flour|starter|crust|link to your sources/u;
    const same = words(email.text).filter((line) => words(english.text).includes(line) && !member.test(line));
    expect(same).toEqual([]);
  }
});

describe.each(languages)('every email in %s', (language) => {
  const emails = emailKind.options.map((kind) => ({
    kind,
    email: buildSampleEmail(kind, { ...site, language }),
  }));

  test('has every value and the direction of its language', () => {
    for (const { email } of emails) {
      const { subject, text, html } = email;
      expect(`${subject}${text}`).not.toMatch(/\{|plural|undefined|\bemail\.\w/u);
      expect(html).toContain(`<html lang="${language}" dir="${getTextDirection(language)}">`);
    }
  });

  test('escapes the name of the site, and has the logo as its only picture', () => {
    for (const { email } of emails) {
      expect(email.html).toContain('&lt;/title&gt;&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Bcc');
      expect(email.html.match(/<img\s[^>]*>/gu)).toEqual([expect.stringContaining('src="cid:logo-')]);
      expect(email.html).toMatch(/width="56"\s+height="28"/u);
    }
  });
});

describe('the admin page', () => {
  let ann: Member;
  let ben: Member;
  beforeAll(async () => {
    [ann, ben] = [await node.register('Ann Sends'), await node.register('Ben Member')];
    await setRole(server.db, { email: ann.email, role: 'admin' });
  });
  beforeEach(() => server.resetRateLimits());

  test('lists all kinds by their subjects and says from where emails are sent', async () => {
    const overview = expectOk(await ann.get<EmailOverview>('/admin/emails?language=de'));
    expect(overview.kinds.map(({ kind }) => kind)).toEqual(emailKind.options);
    expect(overview.kinds[0]?.subject).toBe('Bestätige deine E-Mail-Adresse');
    expect(overview).toMatchObject({
      sender: 'Parley <parley@example.org>',
      bounceAddress: 'bounce@example.org',
      replyAddress: null,
      membersOff: 0,
    });
  });

  test('shows the HTML in a frame that can do nothing', async () => {
    const path = '/api/admin/emails/weekly-digest/html?language=ar&theme=dark';
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(node.address + path, { headers: { cookie } });
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain('<meta name="color-scheme" content="dark" />');
    expect(html).toContain('dir="rtl"');
    const policy = response.headers.get('content-security-policy');
    for (const part of [
      "default-src 'none'",
      'sandbox',
      "style-src 'unsafe-inline'",
      "frame-ancestors 'self'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('script-src');
    expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  test('sends a test email to the admin, with the answer of the mail server', async () => {
    const draft = { kind: 'suspension', language: 'fr' };
    const sent = expectOk(await ann.post<TestEmailOutcome>('/admin/emails/tests', draft));
    expect(sent).toEqual({ outcome: 'accepted', answer: expect.stringMatching(/^250 /) });
    const [email] = await post.waitForEmails(ann.email, 1);
    expect(email?.subject).toBe('Votre compte sur Parley est suspendu');
    post.rejectWith(550, '5.1.1 No such user');
    const refused = expectOk(await ann.post<TestEmailOutcome>('/admin/emails/tests', draft));
    expect(refused).toMatchObject({ outcome: 'refused', answer: expect.stringContaining('No such user') });
    await post.goDown();
    const lost = expectOk(await ann.post<TestEmailOutcome>('/admin/emails/tests', draft));
    expect(lost.outcome).toBe('unreachable');
    await post.start();
    post.rejectWith(undefined);
  });

  test('is for admins only', async () => {
    for (const path of ['/admin/emails', '/admin/emails/test', '/admin/emails/test/html'])
      expect((await ben.get(path)).status).toBe(404);
    expect((await ben.post('/admin/emails/tests', { kind: 'test', language: 'en' })).status).toBe(404);
  });
});
