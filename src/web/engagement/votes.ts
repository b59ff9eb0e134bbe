import type { VoteDirection } from '#shared/core/fields.ts';
import type { VoteState } from '#shared/engagement/votes.ts';

/**
 * docs/product.md 7.1: pressing the same button again removes the vote, the other button switches it.
 * @returns the new state with adjusted counts.
 */
export function toggleVote(state: VoteState, pressed: VoteDirection): VoteState {
  return applyVote(state, state.myVote === pressed ? null : pressed);
}

/** The state with the given vote in place of the member's current one. */
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
