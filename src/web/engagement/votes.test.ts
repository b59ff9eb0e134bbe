import { expect, test } from 'vitest';
import { toggleVote, applyVote } from './votes.ts';

const none = { upvotes: 3, downvotes: 1, myVote: null };
const up = { upvotes: 4, downvotes: 1, myVote: 'up' as const };
const down = { upvotes: 3, downvotes: 2, myVote: 'down' as const };

test('votes on the first press', () => {
  expect(toggleVote(none, 'up')).toEqual(up);
  expect(toggleVote(none, 'down')).toEqual(down);
});

test('removes the vote when the same button is pressed again', () => {
  expect(toggleVote(up, 'up')).toEqual(none);
  expect(toggleVote(down, 'down')).toEqual(none);
});

test('switches the vote when the other button is pressed', () => {
  expect(toggleVote(up, 'down')).toEqual(down);
  expect(toggleVote(down, 'up')).toEqual(up);
});

test("applies a queued vote to the server's state any number of times", () => {
  expect(applyVote(none, 'up')).toEqual(up);
  expect(applyVote(up, 'up')).toEqual(up);
  expect(applyVote(up, 'down')).toEqual(down);
  expect(applyVote(down, null)).toEqual(none);
});
