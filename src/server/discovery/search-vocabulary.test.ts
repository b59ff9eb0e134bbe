import { expect, test } from 'vitest';
import { createCommonWords } from './search-vocabulary.ts';

const words = ['tax', 'the', 'taxes', 'syntax', 'taxi', 'attack', 'überall', 'tax'];
const often = createCommonWords(words.map((word, place) => ({ word, uses: 100 - place })));
const found = (some: readonly { word: string }[]) => some.map(({ word }) => word);

test('lists words that contain a part, most used first, without the part itself', () => {
  expect(found(often.containing('ta', 9))).toEqual(['tax', 'taxes', 'syntax', 'taxi', 'attack', 'tax']);
  expect(found(often.containing('tax', 9))).toEqual(['taxes', 'syntax', 'taxi']);
  expect(found(often.containing('tax', 2))).toEqual(['taxes', 'syntax']);
  expect(often.containing('syn', 9)).toEqual([{ word: 'syntax', uses: 97 }]);
});

test('distinguishes words that begin with a part from those that end with it', () => {
  expect(found(often.beginning('tax', 9))).toEqual(['taxes', 'taxi']);
  expect(found(often.ending('tax', 9))).toEqual(['syntax']);
  expect(found(often.beginning('über', 9))).toEqual(['überall']);
  expect(found(often.ending('zz', 9))).toEqual([]);
});
