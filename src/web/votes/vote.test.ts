import { expect, test } from 'vitest';
import { afterPressing, withVote } from './vote.ts';

const none = { upvotes: 3, downvotes: 1, myVote: null };
const up = { upvotes: 4, downvotes: 1, myVote: 'up' as const };
const down = { upvotes: 3, downvotes: 2, myVote: 'down' as const };

test('a first press votes', () => {
  expect(afterPressing(none, 'up')).toEqual(up);
  expect(afterPressing(none, 'down')).toEqual(down);
});

test('the same choice again takes the vote back', () => {
  expect(afterPressing(up, 'up')).toEqual(none);
  expect(afterPressing(down, 'down')).toEqual(none);
});

test('the other choice switches the vote', () => {
  expect(afterPressing(up, 'down')).toEqual(down);
  expect(afterPressing(down, 'up')).toEqual(up);
});

test('a vote that waits is shown on top of what the server has, however often', () => {
  expect(withVote(none, 'up')).toEqual(up);
  expect(withVote(up, 'up')).toEqual(up);
  expect(withVote(up, 'down')).toEqual(down);
  expect(withVote(down, null)).toEqual(none);
});
