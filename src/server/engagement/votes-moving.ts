import type { Tx } from '#server/core/database.ts';
import { setVotesOfMember } from './votes.ts';
import {
  listSomeVotedPosts,
  lockMovedVotes,
  type MovedVote,
  removeVotesOnHiddenPosts,
  setVoter,
} from './votes-moving-queries.ts';

/**
 * Gives some votes of a member to another one, who has the posts of both already. A vote on a post that both voted on is
 * removed. A vote on what is now the member's own post earns no points, and is removed if such votes are switched off
 * (docs/product.md 7.3). Returns how many votes are done, 0 if none is left.
 */
export async function moveSomeVotes(
  tx: Tx,
  wanted: { fromId: number; intoId: number; limit: number; allowsSelfVotes: boolean },
): Promise<number> {
  const { fromId, intoId, limit, allowsSelfVotes } = wanted;
  const found = await listSomeVotedPosts(tx, { memberId: fromId, limit });
  if (found === undefined) return 0;
  const { kind } = found;
  const votes = await lockMovedVotes(tx, { ...found, fromId, intoId });
  const isOwn = ({ authorId }: MovedVote) => authorId === intoId;
  const isRemoved = (vote: MovedVote) => vote.isDouble || (isOwn(vote) && !allowsSelfVotes);
  // The points of a vote on a hidden post are counted when the post is restored.
  const isRecast = (vote: MovedVote) => isOwn(vote) && !vote.isHidden && !isRemoved(vote);
  const idsOf = (matches: (vote: MovedVote) => boolean) => votes.filter(matches).map(({ id }) => id);
  await setVoter(tx, {
    kind,
    fromId,
    intoId,
    ids: idsOf((vote) => !isRemoved(vote) && !isRecast(vote)),
  });
  await removeVotesOnHiddenPosts(tx, {
    kind,
    memberId: fromId,
    ids: idsOf((vote) => vote.isHidden && isRemoved(vote)),
  });
  const changed = votes.filter((vote) => !vote.isHidden && (isRemoved(vote) || isRecast(vote)));
  await setVotesOfMember(tx, {
    kind,
    memberId: fromId,
    votes: changed.map(({ id }) => ({ id, vote: null })),
  });
  await setVotesOfMember(tx, {
    kind,
    memberId: intoId,
    votes: changed.filter(isRecast).map(({ id, vote, castAt }) => ({ id, vote, castAt })),
  });
  return found.ids.length;
}
