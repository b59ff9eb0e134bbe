import { reputationPoints, type VoteState } from '#shared/engagement/votes.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import type { VotedPost, VoteTarget } from './votes-queries.ts';

/** The effect of one batch of votes on one post. */
export type TalliedPost = {
  target: VoteTarget;
  /** With the new counts. */
  post: VotedPost;
  /** Changes of the counts and of the author's reputation. */
  up: number;
  down: number;
  points: number;
  /** Members whose vote changes; null means no vote. */
  votes: { memberId: number; before: VoteDirection | null; vote: VoteDirection | null }[];
  /** Members who upvoted it, even if they removed the vote later in the batch. */
  upvotedBy: number[];
};

type Entry = {
  target: VoteTarget;
  before: VotedPost;
  post: VotedPost;
  votes: Map<number, { before: VoteDirection | null; vote: VoteDirection | null }>;
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
  addVote(target: VoteTarget, memberId: number, vote: VoteDirection): void {
    this.#entries.get(keyOf(target))?.votes.set(memberId, { before: vote, vote });
  }

  getPost(target: VoteTarget): VotedPost | undefined {
    return this.#entries.get(keyOf(target))?.post;
  }

  /** Returns the member's current vote, null for none. */
  getVote(target: VoteTarget, memberId: number): VoteDirection | null {
    return this.#entries.get(keyOf(target))?.votes.get(memberId)?.vote ?? null;
  }

  /** Sets the member's vote. Returns the state for the response. */
  setVote(target: VoteTarget, memberId: number, vote: VoteDirection | null): VoteState {
    const entry = this.#entries.get(keyOf(target));
    if (entry === undefined) throw new Error(`${target.kind} ${target.id} is not in the tally`);
    const { post, votes } = entry;
    const previous = votes.get(memberId) ?? { before: null, vote: null };
    post.upvotes += Number(vote === 'up') - Number(previous.vote === 'up');
    post.downvotes += Number(vote === 'down') - Number(previous.vote === 'down');
    if (vote === 'up' && previous.vote !== 'up' && memberId !== post.author_id) entry.upvotedBy.add(memberId);
    votes.set(memberId, { ...previous, vote });
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
    .filter((each) => each.before !== each.vote);
  const pointsOf = (vote: VoteDirection | null) => (vote === null ? 0 : reputationPoints[target.kind][vote]);
  const earning = changed.filter(({ memberId }) => memberId !== post.author_id);
  return {
    target,
    post,
    up: post.upvotes - before.upvotes,
    down: post.downvotes - before.downvotes,
    points: earning.reduce((sum, each) => sum + pointsOf(each.vote) - pointsOf(each.before), 0),
    votes: changed,
    upvotedBy: [...upvotedBy],
  };
}

const keyOf = ({ kind, id }: VoteTarget) => `${kind} ${id}`;
