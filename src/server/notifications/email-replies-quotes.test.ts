import { expect, test } from 'vitest';
import { createMarkerLine, hasPrivatePart, splitAtMarkerLine } from './email-replies-quotes.ts';

const email = 'ann@example.org';
const marker = createMarkerLine('Write your reply above this line');
const addresses = { sender: 'p@example.org', others: [email, 'reply+1-a2-3.abc@example.org'] };
const split = (text: string) => splitAtMarkerLine(text, addresses);
const cutAtMarkerLine = (text: string) => split(text).top;
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
  'Outlook without the address of the sender': `Von: Parley\nGesendet: Donnerstag\nAn: Ann <${email}>\nBetreff: x`,
  'QQ Mail': `------------------ 原始邮件 ------------------\n发件人: "Parley" <p@example.org>;\n收件人: "Ann"<${email}>;`,
  'Gmail, Chinese': 'Parley <p@example.org> 于2026年11月26日周四 21:00写道：',
  'Gmail, Japanese': '2026年11月26日(木) 21:00 Parley <p@example.org>:',
  'Gmail, Arabic':
    'في الخميس، 26 نوفمبر 2026 في 9:00 م تمت كتابة ما يلي بواسطة Parley <\u200Ep@example.org\u200E>:',
  'Gmail, with a line break': 'czw., 26 lis 2026 o 21:00 Parley\n<p@example.org> napisał(a):',
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
  const fields = 'Use this:\n\nHost: db.example.net\nPort: 5432\nUser: root@db.example.net';
  expect(cutAtMarkerLine(`${fields}\n\n${marker}`)).toBe(fields);
  const restart = 'I restarted at 10:30.\nThen it printed this:';
  expect(cutAtMarkerLine(`${restart}\n\n${marker}`)).toBe(restart);
  const wrote = '2026年11月26日(木) 21:00 Parley <p@example.org>:';
  expect(cutAtMarkerLine(`${restart}\n${wrote}\n\n> ${marker}`)).toBe(restart);
  expect(cutAtMarkerLine(`Note: yes.\n${headers['QQ Mail']}\n\n> ${marker}`)).toContain('Note: yes.');
  expect(cutAtMarkerLine(`Yes. ${marker}`)).toBe('Yes.');
  expect(cutAtMarkerLine(marker)).toBe('');
  expect(cutAtMarkerLine('## Title\n\n- one')).toBe('## Title\n\n- one');
});

const signedAddresses = ['reply@example.org', 'bounce@example.org'];
const isPrivate = (text: string) => hasPrivatePart(text, { email, signedAddresses });

test('splits what the member wrote above, below and between quoted lines', () => {
  const quoted = `2026年11月26日(木) 21:00 Parley <p@example.org>:\n> ${marker}\n>\n> Which version?`;
  const rest = '\nVersion 5.2.\n\n> How did you install it?\n\nWith apt:\n\n    apt install x\n\n> --\n';
  const answers = 'Version 5.2.\n\nWith apt:\n\n    apt install x';
  expect(split(`${quoted}\n${rest}`)).toEqual({ top: '', answers, isBetween: true });
  expect(split(`Thanks, answers below.\n\n${quoted}${rest}`)).toEqual({
    top: 'Thanks, answers below.',
    answers,
    isBetween: true,
  });
  expect(split(`Thanks.\n\n${quoted}\n\n`)).toEqual({ top: 'Thanks.', answers: '', isBetween: false });
  expect(split(`${quoted}\n\nVersion 5.2.\n`)).toEqual({
    top: '',
    answers: 'Version 5.2.',
    isBetween: false,
  });
});

test('takes a link that the email program put on a line of its own for quoted', () => {
  const quoted = `> ${marker}\n> Unsubscribe:\nhttps://ask.example.org/unsubscribe/12.answers.Abc\n> --\n`;
  expect(split(`Thanks.\n\n${quoted}`)).toEqual({ top: 'Thanks.', answers: '', isBetween: false });
});

test.each([
  '-',
  ' ',
  '>',
  ':',
  '_ ',
  'a',
  '*',
  '##-',
  '< ',
  '&#',
  '%25',
  '\\',
  '\n',
  '\n> ',
  'unsubscribe1',
  'reply+a',
])('cuts a text with many repetitions of %j', (part) => {
  // Slow patterns take hours.
  const long = part.repeat(20_000);
  expect(cutAtMarkerLine(`Yes.\n\n${long}x\n\n${marker}`)).toMatch(/^Yes\./u);
  expect(cutAtMarkerLine(`Yes.\n\n${headers['QQ Mail']}${long}x:\n\n> ${marker}`)).toMatch(/^Yes\./u);
  expect(isPrivate(long)).toBe(false);
});

test.each([
  email,
  'Write to <Ann@Example.ORG>.',
  'ann\\@example.org',
  '给ann@example.org写信',
  '[x](https://x.example/?to=ann%40example.org)',
  'ann&#64;example&#x2E;org',
  'ann&commat;example.org',
  'https://gateway.example/?to=ann%2540example.org',
  'Write to ann@exam\n> ple.org.',
  'ann@exam\nple.org\n\nThanks',
  'mail me\nann@exam\nple.org',
  'https://ask.example.org/unsub\nscribe/12.answers.Abc',
  'reply+1-a2-3.abc@example.org',
  'reply+1-a2-\n> 3.abc@example.org',
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
