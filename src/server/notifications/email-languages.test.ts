import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { languages } from '#shared/core/languages.ts';
import { sentTexts } from '#shared/notifications/sent-texts.ts';
import { formatTime, translate, translateNotification } from './sent-texts.ts';

await loadSentTexts();
const emailServer = await startServerWithEmail();
const { post, server, node, enableEmail, sendDue } = emailServer;
afterAll(() => emailServer.stop());

let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

test("emails are in the member's language, with its plural forms", async () => {
  expectOk(await ann.put('/email-address/language', { language: 'ar' }));
  await enableEmail(ann, 'answers', 'instant');
  const id = await ann.ask({ title: 'Does bread freeze?' });
  for (let answers = 0; answers < 3; answers++) await bob.answer(id);
  await sendDue();
  const [confirmation, email] = await post.waitForEmails(ann.email, 2);
  expect(confirmation?.subject).toBe('تأكيد عنوان بريدك الإلكتروني');
  expect(email?.subject).toBe('لديك 3 إشعارات جديدة على Parley');
  expect(email?.html).toContain('<html lang="ar" dir="rtl">');
  expect(email?.text).toContain('أجاب \u2068Bob\u2069 عن سؤالك «\u2068Does bread freeze?\u2069»');
});

test('emails to members without a language are in that of the community', async () => {
  await setSiteSetting(node.db, 'language', 'fr');
  // Nodes read all settings at once.
  await setSiteSetting(node.db, 'siteName', 'Pain');
  await eventually(
    async () => (await node.visitor().get<{ siteName: string }>('/session')).body.siteName === 'Pain',
  );
  try {
    await sql`update member set language = null where id = ${ann.id}`.execute(server.db);
    await enableEmail(ann, 'answers', 'instant');
    const [confirmation] = await post.waitForEmails(ann.email, 1);
    expect(confirmation?.subject).toBe('Confirmez votre adresse e-mail');
  } finally {
    await setSiteSetting(node.db, 'language', 'en');
    await setSiteSetting(node.db, 'siteName', 'Parley');
  }
});

test.each([
  [{ 'accept-language': 'nl, de-AT;q=0.8, fr;q=0.5' }, 'de'],
  [{ cookie: 'language=ja', 'accept-language': 'de' }, 'ja'],
  [{ 'accept-language': 'nl' }, null],
])('a registration with %j stores the language %s', async (headers, language) => {
  const email = `new-${language}@example.org`;
  const password = 'bread and butter 7';
  const response = await fetch(`${server.address}/api/members`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ displayName: 'New', email, password, confirmPassword: password }),
  });
  expect(response.status).toBe(201);
  const { rows } = await sql`select language from member where email = ${email}`.execute(server.db);
  expect(rows).toEqual([{ language }]);
});

test('a language that Parley does not have is refused', async () => {
  expect((await ann.put('/email-address/language', { language: 'tlh' })).status).toBe(400);
});

test.each(languages)('every text in %s contains its values as they are', (language) => {
  const title = String.raw`C:\u0041 {name} # <b>`;
  for (const id of Object.keys(sentTexts) as (keyof typeof sentTexts)[]) {
    const values = { site: 's', siteName: 'S', link: 'l', time: 't', until: 'u', title };
    const text = translate(language, id, { ...values, count: 1_234, upvotes: 5, answers: 2 });
    expect(text).not.toMatch(/plural|\{(?!name\})|undefined|email\.\w|push\.\w/u);
    expect(text.length).toBeGreaterThan(1);
    expect(text.includes(title)).toBe(sentTexts[id].includes('{title}'));
  }
  const message = translateNotification(language, { kind: 'answer', name: 'Ann', title });
  expect(message).toContain(title);
  expect(formatTime(language, new Date('2100-01-02T03:04:00Z'))).toContain('UTC');
});

test.each([
  ['push.several', 'Du hast 2 neue Benachrichtigungen.'],
  ['chat.member.joined', 'Ann ist beigetreten.'],
  ['widget.ask', 'Frage stellen'],
] as const)('the server has the translation of %s', (id, text) => {
  expect(translate('de', id, { count: 2, member: 'Ann' })).toBe(text);
});

test.each([
  ['en', 1, '1 more notification'],
  ['en', 1_234, '1,234 more notifications'],
  ['de', 1_234, '1.234 weitere Benachrichtigungen'],
  ['fr', 0, '0 autre notification'],
  ['ar', 2, 'إشعاران آخران'],
  ['ja', 1, 'ほかの通知1件'],
] as const)('in %s, %i has its plural form', (language, count, text) => {
  expect(translate(language, 'email.more', { count })).toBe(text);
});
