import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findLanguage, languageNames, languages } from '#shared/core/languages.ts';

test.each([
  [['C'], null],
  [['C', 'de-AT'], 'de'],
  [['', 'en-US@posix', 'de_DE.UTF-8', 'fr'], 'fr'],
  [['x', 'i', '*'], null],
  [['nl', 'zh-Hant-TW'], 'zh'],
])('resolves the browser languages %j to %s, skipping invalid tags', (wanted, language) => {
  expect(findLanguage(wanted)).toBe(language);
});

test('every language with a name has a file, and the other way round', () => {
  const files = readdirSync(import.meta.dirname).flatMap((name) => /^([\w-]+)\.po$/u.exec(name)?.[1] ?? []);
  expect(files.toSorted()).toEqual(languages.toSorted());
});

test.each(languages)('has the own name of %s', (language) => {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? '';
  expect(languageNames[language]).toBe(name.charAt(0).toLocaleUpperCase(language) + name.slice(1));
});
