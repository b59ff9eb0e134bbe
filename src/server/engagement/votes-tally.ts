import { reputationPoints, type VoteState } from '#shared/engagement/votes.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import type { EarnedPoints } from '#server/posts/index.ts';
import type { StoredVote, VotedPost, VoteTarget } from './votes-queries.ts';

/** The effect of one batch of votes on one post. */
export type TalliedPost = {
  target: VoteTarget;
  /** With the new counts. */
  post: VotedPost;
  /** Changes of the counts. */
  up: number;
  down: number;
  /** What its author gains or loses; empty without an author. */
  earned: EarnedPoints[];
  /** Members whose vote changes; null means no vote. */
  votes: (ChangedVote & { memberId: number })[];
  /** Members who upvoted it, even if they removed the vote later in the batch. */
  upvotedBy: number[];
};

/** `castAt`: null for now. */
type ChangedVote = { before: StoredVote | null; vote: VoteDirection | null; castAt: Date | null };

type Entry = {
  target: VoteTarget;
  before: VotedPost;
  post: VotedPost;
  votes: Map<number, ChangedVote>;
  upvotedBy: Set<number>;
};

/** Applies the votes of one transaction one after the other, as if each had its own transaction. */
export class VoteTally {
  readonly #entries = new Map<string, Entry>();

  addPost(target: VoteTarget, post: VotedPost): void {
    const entry = { target, before: post, post: { ...post }, votes: new Map(), upvotedBy: new Set<number>() };
    this.#entries.set(keyOf(target), entry);
  }

  /** Adds a vote that is already stored. */
  addVote(target: VoteTarget, memberId: number, stored: StoredVote): void {
    const { vote } = stored;
    this.#entries.get(keyOf(target))?.votes.set(memberId, { before: stored, vote, castAt: null });
  }

  getPost(target: VoteTarget): VotedPost | undefined {
    return this.#entries.get(keyOf(target))?.post;
  }

  /** Returns the member's current vote, null for none. */
  getVote(target: VoteTarget, memberId: number): VoteDirection | null {
    return this.#entries.get(keyOf(target))?.votes.get(memberId)?.vote ?? null;
  }

  /**
   * Sets the member's vote. Returns the state for the response.
   * @param castAt when it was cast; null for now
   */
  setVote(
    target: VoteTarget,
    memberId: number,
    { vote, castAt = null }: { vote: VoteDirection | null; castAt?: Date | null },
  ): VoteState {
    const entry = this.#entries.get(keyOf(target));
    if (entry === undefined) throw new Error(`${target.kind} ${target.id} is not in the tally`);
    const { post, votes } = entry;
    const previous = votes.get(memberId) ?? { before: null, vote: null };
    post.upvotes += Number(vote === 'up') - Number(previous.vote === 'up');
    post.downvotes += Number(vote === 'down') - Number(previous.vote === 'down');
    if (vote === 'up' && previous.vote !== 'up' && memberId !== post.author_id) entry.upvotedBy.add(memberId);
    votes.set(memberId, { before: previous.before, vote, castAt });
    return { upvotes: post.upvotes, downvotes: post.downvotes, myVote: vote };
  }

  /** Returns the posts with a changed vote or an upvote to notify of, in no particular order. */
  listChanged(): TalliedPost[] {
    return [...this.#entries.values()]
      .map(summarize)
      .filter((each) => each.votes.length + each.upvotedBy.length > 0);
  }
}

function summarize({ target, before, post, votes, upvotedBy }: Entry): TalliedPost {
  const changed = [...votes]
    .map(([memberId, vote]) => ({ memberId, ...vote }))
    .filter((each) => (each.before?.vote ?? null) !== each.vote);
  return {
    target,
    post,
    up: post.upvotes - before.upvotes,
    down: post.downvotes - before.downvotes,
    earned: post.author_id === null ? [] : listEarned(target.kind, post.author_id, changed),
    votes: changed,
    upvotedBy: [...upvotedBy],
  };
}

/** A vote on one's own post gives upvotes, but no points. */
function listEarned(kind: PostKind, authorId: number, votes: TalliedPost['votes']): EarnedPoints[] {
  return votes.flatMap(({ memberId, before, vote, castAt }) => {
    const earn = (direction: VoteDirection, at: Date | null, by: 1 | -1) => ({
      memberId: authorId,
      castAt: at,
      points: memberId === authorId ? 0 : by * reputationPoints[kind][direction],
      upvotes: direction === 'up' ? by : 0,
    });
    return [
      ...(before === null ? [] : [earn(before.vote, before.castAt, -1)]),
      ...(vote === null ? [] : [earn(vote, castAt, 1)]),
    ];
  });
}

const keyOf = ({ kind, id }: VoteTarget) => `${kind} ${id}`;
