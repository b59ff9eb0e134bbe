import { expect, test } from 'vitest';
import { settingCatalogue, type SettingName, type SettingValues } from '#shared/core/setting-catalogue.ts';
import { judgePost } from './spam-rules.ts';

function judge(
  text: string,
  {
    before = null,
    recentPosts = 0,
    ...changed
  }: Partial<SettingValues> & { before?: string | null; recentPosts?: number } = {},
) {
  const get = <Name extends SettingName>(name: Name) =>
    (changed[name] ?? settingCatalogue[name].default) as SettingValues[Name];
  return judgePost({ text, before, recentPosts, publicUrl: 'https://ask.example.org' }, { get }).reasons;
}

test.each([
  ['The best CASINO, today.', 'casino'],
  ['Buy  cheap\npills now', 'Cheap pills'],
  ['ｃａｓｉｎｏ', 'casino'],
  ['ca\u200Bsi\u00ADno!', 'casino'],
  ['最好的赌场在这里', '赌场'],
  ['100% free money', '100% free'],
])('finds a blocked word in %j', (text, word) => {
  expect(judge(text, { blockedWords: ['nothing', word] })).toEqual([{ rule: 'word', value: word }]);
});

test.each([
  ['casinos', 'casino'],
  ['specialist', 'cialis'],
  ['cheap good pills', 'cheap pills'],
  ['über', 'ber'],
])('finds no blocked word inside of other words: %j', (text, word) => {
  expect(judge(text, { blockedWords: [word] })).toEqual([]);
});

test.each([
  'See https://shop.spam.example/buy?x=1.',
  'spam.example',
  '[here](//SPAM.example)',
  'https://user@spam.example:8080',
  'visit www.spam.example.',
])('finds a blocked domain in %j', (text) => {
  expect(judge(text, { blockedDomains: ['spam.example'] })).toEqual([
    { rule: 'domain', value: 'spam.example' },
  ]);
});

test.each(['https://notspam.example', 'spam.example.org', 'spam'])(
  'finds no blocked domain in %j',
  (text) => {
    expect(judge(text, { blockedDomains: ['spam.example'] })).toEqual([]);
  },
);

test('compares international domains in both spellings', () => {
  expect(judge('https://bücher.example', { blockedDomains: ['xn--bcher-kva.example'] })).toHaveLength(1);
});

test('counts different links to other sites, and posts in a short time', () => {
  const links = 'https://a.example https://b.example https://a.example https://ask.example.org/question/1';
  expect(judge(links, { newMemberLinks: 2 })).toEqual([]);
  expect(judge(`${links} https://c.example`, { newMemberLinks: 2 })).toEqual([{ rule: 'links', value: '3' }]);
  expect(judge(`${links} https://c.example`, { newMemberLinks: 0 })).toEqual([]);
  expect(judge('Hello', { newMemberPosts: 2, recentPosts: 1 })).toEqual([]);
  expect(judge('Hello', { newMemberPosts: 2, recentPosts: 2 })).toEqual([{ rule: 'speed', value: '3' }]);
  expect(judge('Hello', { newMemberPosts: 0, recentPosts: 100 })).toEqual([]);
});

test('judges an edit only by what it adds', () => {
  const settings = { blockedWords: ['casino'], blockedDomains: ['spam.example'], newMemberLinks: 1 };
  const before = 'A casino at spam.example: https://a.example https://b.example';
  expect(judge(`${before} Corrected.`, { ...settings, before, recentPosts: 50 })).toEqual([]);
  expect(judge(`${before} https://c.example`, { ...settings, before })).toEqual([
    { rule: 'links', value: '3' },
  ]);
  expect(judge('Now a casino', { ...settings, before: 'Before' })).toEqual([
    { rule: 'word', value: 'casino' },
  ]);
});

test('takes time in proportion to the length of a text, with the longest lists', () => {
  const blockedWords = Array.from({ length: 1_000 }, (_, index) => `a a a word${index}`);
  const blockedDomains = Array.from({ length: 1_000 }, (_, index) => `d${index}.example`);
  // Milliseconds of processor time, whose resolution is some milliseconds.
  const cost = (text: string, runs: number) => {
    const before = process.threadCpuUsage();
    for (let run = 0; run < runs; run++) judge(text, { blockedWords, blockedDomains });
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  for (const part of ['a ', 'a.', 'a-', 'https://', 'a.b ']) {
    const parts = Math.floor(30_000 / part.length);
    const tenths = cost(part.repeat(parts / 10), 50);
    // The same if the time is proportional, 10 times if it grows with the square of the length.
    expect((cost(part.repeat(parts), 5) + 20) / (tenths + 20)).toBeLessThan(4);
  }
});
