import { expect, test } from 'vitest';
import { pickLanguage } from './languages.ts';

test.each([
  [['C'], 'en'],
  [['C', 'de-AT'], 'de'],
  [['', 'en-US@posix', 'de_DE.UTF-8', 'fr'], 'fr'],
  [['x', 'i', '*'], 'en'],
])('resolves the browser languages %j to %s, skipping invalid tags', (wanted, language) => {
  expect(pickLanguage(wanted, ['de', 'en', 'fr'])).toBe(language);
});
