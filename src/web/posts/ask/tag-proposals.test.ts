import { expect, test } from 'vitest';
import { changeTagProposals, parseTagProposals, splitTags } from './tag-proposals.ts';

test('separates proposed tags from the others, also typed in another case', () => {
  const proposals = changeTagProposals(changeTagProposals('', 'Rye', ' A grain. '), 'salt', '');
  expect(splitTags({ tags: 'flour, rye, oven', proposals })).toEqual({
    tags: ['flour', 'oven'],
    proposedTags: [{ name: 'rye', reason: 'A grain.' }],
  });
  expect(splitTags({ tags: 'flour', proposals })).toEqual({ tags: ['flour'] });
});

test('a proposal that ends leaves nothing in the draft', () => {
  const proposals = changeTagProposals('', 'Rye', 'A grain.');
  expect(changeTagProposals(proposals, 'RYE', null)).toBe('');
  for (const text of ['', 'null', '"rye"', '{', '{"rye":1}']) expect(parseTagProposals(text)).toEqual({});
});
