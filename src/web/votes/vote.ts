import type { Direction } from '#shared/fields.ts';
import type { VoteState } from '#shared/votes.ts';

/**
 * docs/product.md 7.1: the same choice again takes the vote back, the other choice switches it.
 * @returns the state as it will be, with the counts moved accordingly.
 */
export function afterPressing(state: VoteState, pressed: Direction): VoteState {
  return withVote(state, state.myVote === pressed ? null : pressed);
}

/** The state with the given vote instead of the member's own. */
export function withVote(state: VoteState, myVote: Direction | null): VoteState {
  return {
    upvotes: state.upvotes + moved(state.myVote, myVote, 'up'),
    downvotes: state.downvotes + moved(state.myVote, myVote, 'down'),
    myVote,
  };
}

function moved(before: Direction | null, after: Direction | null, direction: Direction): number {
  return (after === direction ? 1 : 0) - (before === direction ? 1 : 0);
}
