import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlug, questionPath } from './question-paths.ts';

test.each([
  ['Why does metal feel colder?', 'why-does-metal-feel-colder'],
  ["Why don't cats swim — isn’t it odd?", 'why-dont-cats-swim-isnt-it-odd'],
  ['Crème brûlée für Żółw', 'creme-brulee-fur-zołw'],
  ['Ｆｕｌｌ ｗｉｄｔｈ ﬁle ½', 'full-width-file-1-2'],
  ['İstanbul', 'istanbul'],
  ['水は何度で沸騰しますか？', '水は何度で沸騰しますか'],
  ['為什麼 C++ 編譯慢？', '為什麼-c-編譯慢'],
  ['كيف أتعلم البرمجة؟', 'كيف-أتعلم-البرمجة'],
  ['हिन्दी में कैसे लिखें', 'हिन्दी-में-कैसे-लिखें'],
  ['한국어 질문', '한국어-질문'],
  ['../../etc/passwd?a=1#b%00', 'etc-passwd-a-1-b-00'],
  ['👍🏽 !!! ---', ''],
  ['\u0301\u0301', ''],
  ['', ''],
])('makes the slug of %j', (title, slug) => expect(createSlug(title)).toBe(slug));

test('cuts a long slug between words, and a long word within it', () => {
  const words = createSlug('Eight letters and more of them in a title that never seems to come to its end');
  expect(words).toBe('eight-letters-and-more-of-them-in-a-title-that-never-seems');
  expect(createSlug('x'.repeat(200))).toBe('x'.repeat(60));
  expect(createSlug(`a ${'水'.repeat(200)}`)).toBe(`a-${'水'.repeat(58)}`);
});

test('makes a path of every title that names it again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (title) => {
      const path = questionPath(5, title);
      const url = new URL(path, 'https://ask.example.org');
      expect(url.pathname).toBe(path);
      expect(path).toMatch(/^\/question\/5(\/[^/]+)?$/u);
      const [, , , slug = ''] = path.split('/');
      expect(createSlug(decodeURIComponent(slug))).toBe(createSlug(title));
    }),
  );
});

test('is short without a title and without letters in it', () => {
  expect(questionPath(5)).toBe('/question/5');
  expect(questionPath(5, '???')).toBe('/question/5');
});
