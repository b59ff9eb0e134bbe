import { expect, test } from 'vitest';
import { createMarkerLine, cutAtMarkerLine, hasPrivatePart } from './email-replies-quotes.ts';

const email = 'ann@example.org';
const marker = createMarkerLine('Write your reply above this line');
const written = 'Thank you!\n\nNote: it works.\nAnd: so does this.';

// What email programs put before the quoted email, in languages that email-reply-parser does not know.
const headers = {
  'Outlook, Chinese': `发件人: Parley <p@example.org>\n发送时间: 2026年11月26日 21:00\n收件人: Ann <${email}>\n主题: x`,
  'Outlook, Japanese': `差出人: Parley <p@example.org>\n送信日時: 2026年11月26日 21:00\n宛先: Ann <${email}>\n件名: x`,
  'Outlook, Arabic': `من: Parley <p@example.org>\nتم الإرسال: 26 نوفمبر 2026\nإلى: Ann <${email}>\nالموضوع: x`,
  'Outlook, Polish': `Od: Parley <p@example.org>\nWysłano: 26 listopada 2026\nDo: Ann <${email}>\nTemat: x`,
  'Outlook, Turkish': `________________________________\nGönderen: Parley <p@example.org>\nKime: Ann <${email}>\nKonu: x`,
  'Outlook, Finnish': `Lähettäjä: Parley <p@example.org>\nVastaanottaja: Ann <${email}>\nAihe: x`,
  'Outlook in bold': `*From:* Parley <p@example.org>\n*Sent:* Thursday\n*To:* Ann <${email}>\n*Subject:* x`,
  'Outlook from HTML': `***\n\n**From:** Parley\\\n**Sent:** Thursday 9:00 PM\\\n**To:** ann\\@example.org\\\n**Subject:** x`,
  'QQ Mail': `------------------ 原始邮件 ------------------\n发件人: "Parley" <p@example.org>;\n收件人: "Ann"<${email}>;`,
  'Gmail, Chinese': 'Parley <p@example.org> 于2026年11月26日周四 21:00写道：',
  'Gmail, Japanese': '2026年11月26日(木) 21:00 Parley <p@example.org>:',
  'Gmail, Arabic':
    'في الخميس، 26 نوفمبر 2026 في 9:00 م تمت كتابة ما يلي بواسطة Parley <\u200Ep@example.org\u200E>:',
};

test.each(Object.entries(headers))('cuts at the marker line, with what is before it: %s', (_, header) => {
  for (const quoted of [
    `${marker}\n\nHi`,
    `> ${marker}\n> Hi`,
    `\\${marker}`,
    `> ${marker.replace(' above', '\n> above')}`,
  ])
    expect(cutAtMarkerLine(`${written}\n\n${header}\n\n${quoted}`)).toBe(written);
});

test('keeps what the member wrote before the marker line', () => {
  expect(cutAtMarkerLine(`${written}\n\n${marker}`)).toBe(written);
  expect(cutAtMarkerLine(`I would do this:\n\n${marker}`)).toBe('I would do this:');
  expect(cutAtMarkerLine(`Yes. ${marker}`)).toBe('Yes.');
  expect(cutAtMarkerLine(marker)).toBe('');
  expect(cutAtMarkerLine('## Title\n\n- one')).toBe('## Title\n\n- one');
});

const signedAddresses = ['reply@example.org', 'bounce@example.org'];
const isPrivate = (text: string) => hasPrivatePart(text, { email, signedAddresses });

test.each([
  email,
  'Write to <Ann@Example.ORG>.',
  'ann\\@example.org',
  '给ann@example.org写信',
  '[x](https://x.example/?to=ann%40example.org)',
  'reply+1-a2-3.abc@example.org',
  'mailto:REPLY%2B1-a2-3.abc%40example.org',
  'bounce+1-2.abc@example.org',
  '[Unsubscribe](https://ask.example.org/unsubscribe/12.answers.A-b\\_c)',
  'https://gateway.example/?url=https%3A%2F%2Fask.example.org%2Funsubscribe%2F12.answers.Abc',
])('finds a private part of the quoted email: %s', (text) => {
  expect(isPrivate(text)).toBe(true);
});

test.each([
  'joann@example.org',
  'ann@example.org.uk',
  'ann@mail.example.org',
  'reply@example.org',
  'How do I unsubscribe? By 12.30.',
  'https://ask.example.org/unsubscribe',
])('allows other addresses and links: %s', (text) => {
  expect(isPrivate(text)).toBe(false);
});
