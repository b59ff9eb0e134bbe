import type { VoteDirection } from '#shared/core/fields.ts';
import type { VoteState } from '#shared/engagement/votes.ts';

/**
 * docs/product.md 7.1: the same choice again takes the vote back, the other choice switches it.
 * @returns the state as it will be, with the counts moved accordingly.
 */
export function toggleVote(state: VoteState, pressed: VoteDirection): VoteState {
  return applyVote(state, state.myVote === pressed ? null : pressed);
}

/** The state with the given vote instead of the member's own. */
export function applyVote(state: VoteState, myVote: VoteDirection | null): VoteState {
  return {
    upvotes: state.upvotes + countChange(state.myVote, myVote, 'up'),
    downvotes: state.downvotes + countChange(state.myVote, myVote, 'down'),
    myVote,
  };
}

function countChange(
  before: VoteDirection | null,
  after: VoteDirection | null,
  direction: VoteDirection,
): number {
  return (after === direction ? 1 : 0) - (before === direction ? 1 : 0);
}
