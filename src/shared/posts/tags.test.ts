import { expect, test } from 'vitest';
import { normalizeTags } from './tags.ts';

test('names of one or two dots, which no address of a page can contain, are no tags', () => {
  expect(normalizeTags(['.', ' # .. ', '...', '.net'])).toEqual(['...', '.net']);
});
