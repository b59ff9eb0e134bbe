import { expect, test } from 'vitest';
import { toggleVote, applyVote } from './votes.ts';

const none = { upvotes: 3, downvotes: 1, myVote: null };
const up = { upvotes: 4, downvotes: 1, myVote: 'up' as const };
const down = { upvotes: 3, downvotes: 2, myVote: 'down' as const };

test('a first press votes', () => {
  expect(toggleVote(none, 'up')).toEqual(up);
  expect(toggleVote(none, 'down')).toEqual(down);
});

test('the same choice again takes the vote back', () => {
  expect(toggleVote(up, 'up')).toEqual(none);
  expect(toggleVote(down, 'down')).toEqual(none);
});

test('the other choice switches the vote', () => {
  expect(toggleVote(up, 'down')).toEqual(down);
  expect(toggleVote(down, 'up')).toEqual(up);
});

test('a vote that waits is shown on top of what the server has, however often', () => {
  expect(applyVote(none, 'up')).toEqual(up);
  expect(applyVote(up, 'up')).toEqual(up);
  expect(applyVote(up, 'down')).toEqual(down);
  expect(applyVote(down, null)).toEqual(none);
});
