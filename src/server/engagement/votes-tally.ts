import { reputationPoints, type VoteState } from '#shared/engagement/votes.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import type { VotedPost, VoteTarget } from './votes-queries.ts';

/** What the votes of one batch make of one post. */
export type TalliedPost = {
  target: VoteTarget;
  /** With its counts as they become. */
  post: VotedPost;
  /** By how much the counts change, and the author's points. */
  up: number;
  down: number;
  points: number;
  /** Members whose vote becomes another one; null stands for none. */
  votes: { memberId: number; before: VoteDirection | null; vote: VoteDirection | null }[];
  /** Members who voted it up, be it for a moment. */
  upvotedBy: number[];
};

type Entry = {
  target: VoteTarget;
  before: VotedPost;
  post: VotedPost;
  votes: Map<number, { before: VoteDirection | null; vote: VoteDirection | null }>;
  upvotedBy: Set<number>;
};

/** Keeps the books of the votes in one transaction: each is counted after the other, as if it came alone. */
export class VoteTally {
  readonly #entries = new Map<string, Entry>();

  addPost(target: VoteTarget, post: VotedPost): void {
    const entry = { target, before: post, post: { ...post }, votes: new Map(), upvotedBy: new Set<number>() };
    this.#entries.set(keyOf(target), entry);
  }

  /** A vote that is stored. */
  addVote(target: VoteTarget, memberId: number, vote: VoteDirection): void {
    this.#entries.get(keyOf(target))?.votes.set(memberId, { before: vote, vote });
  }

  getPost(target: VoteTarget): VotedPost | undefined {
    return this.#entries.get(keyOf(target))?.post;
  }

  /** The member's vote as it is by now; null for none. */
  getVote(target: VoteTarget, memberId: number): VoteDirection | null {
    return this.#entries.get(keyOf(target))?.votes.get(memberId)?.vote ?? null;
  }

  /** Makes `vote` the member's; what they are told of it. */
  setVote(target: VoteTarget, memberId: number, vote: VoteDirection | null): VoteState {
    const entry = this.#entries.get(keyOf(target));
    if (entry === undefined) throw new Error(`${target.kind} ${target.id} is not in the book`);
    const { post, votes } = entry;
    const previous = votes.get(memberId) ?? { before: null, vote: null };
    post.upvotes += Number(vote === 'up') - Number(previous.vote === 'up');
    post.downvotes += Number(vote === 'down') - Number(previous.vote === 'down');
    if (vote === 'up' && previous.vote !== 'up' && memberId !== post.author_id) entry.upvotedBy.add(memberId);
    votes.set(memberId, { ...previous, vote });
    return { upvotes: post.upvotes, downvotes: post.downvotes, myVote: vote };
  }

  /** The posts on which a vote changes or tells anybody, in no order. */
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
