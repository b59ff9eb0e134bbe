import { expect, test } from 'vitest';
import { pickLanguage } from './languages.ts';

test.each([
  [['C'], 'en'],
  [['C', 'de-AT'], 'de'],
  [['', 'en-US@posix', 'de_DE.UTF-8', 'fr'], 'fr'],
  [['x', 'i', '*'], 'en'],
])('a browser whose languages are %j is shown %s: tags that are none are skipped', (wanted, language) => {
  expect(pickLanguage(wanted, ['de', 'en', 'fr'])).toBe(language);
});
