import { reputationPoints, type VoteState } from '#shared/votes.ts';
import type { Direction } from '#shared/fields.ts';
import type { VotedPost, VoteTarget } from './queries.ts';

/** What the votes of one batch make of one post. */
export type Voted = {
  target: VoteTarget;
  /** With its counts as they become. */
  post: VotedPost;
  /** By how much the counts change, and the author's points. */
  up: number;
  down: number;
  points: number;
  /** Members whose vote becomes another one; null stands for none. */
  votes: { memberId: number; before: Direction | null; vote: Direction | null }[];
  /** Members who voted it up, be it for a moment. */
  praisedBy: number[];
};

type Entry = {
  target: VoteTarget;
  before: VotedPost;
  post: VotedPost;
  votes: Map<number, { before: Direction | null; vote: Direction | null }>;
  praisedBy: Set<number>;
};

/** Keeps the books of the votes in one transaction: each is counted after the other, as if it came alone. */
export class VoteBook {
  readonly #entries = new Map<string, Entry>();

  addPost(target: VoteTarget, post: VotedPost): void {
    const entry = { target, before: post, post: { ...post }, votes: new Map(), praisedBy: new Set<number>() };
    this.#entries.set(keyOf(target), entry);
  }

  /** A vote that is stored. */
  addVote(target: VoteTarget, memberId: number, vote: Direction): void {
    this.#entries.get(keyOf(target))?.votes.set(memberId, { before: vote, vote });
  }

  postOf(target: VoteTarget): VotedPost | undefined {
    return this.#entries.get(keyOf(target))?.post;
  }

  /** The member's vote as it is by now; null for none. */
  voteOf(target: VoteTarget, memberId: number): Direction | null {
    return this.#entries.get(keyOf(target))?.votes.get(memberId)?.vote ?? null;
  }

  /** Makes `vote` the member's; what they are told of it. */
  set(target: VoteTarget, memberId: number, vote: Direction | null): VoteState {
    const entry = this.#entries.get(keyOf(target));
    if (entry === undefined) throw new Error(`${target.kind} ${target.id} is not in the book`);
    const { post, votes } = entry;
    const known = votes.get(memberId) ?? { before: null, vote: null };
    post.upvotes += Number(vote === 'up') - Number(known.vote === 'up');
    post.downvotes += Number(vote === 'down') - Number(known.vote === 'down');
    if (vote === 'up' && known.vote !== 'up' && memberId !== post.author_id) entry.praisedBy.add(memberId);
    votes.set(memberId, { ...known, vote });
    return { upvotes: post.upvotes, downvotes: post.downvotes, myVote: vote };
  }

  /** The posts on which a vote changes or tells anybody, in no order. */
  voted(): Voted[] {
    return [...this.#entries.values()]
      .map(summary)
      .filter((each) => each.votes.length + each.praisedBy.length > 0);
  }
}

function summary({ target, before, post, votes, praisedBy }: Entry): Voted {
  const changed = [...votes]
    .map(([memberId, vote]) => ({ memberId, ...vote }))
    .filter((each) => each.before !== each.vote);
  const pointsOf = (vote: Direction | null) => (vote === null ? 0 : reputationPoints[target.kind][vote]);
  const earning = changed.filter(({ memberId }) => memberId !== post.author_id);
  return {
    target,
    post,
    up: post.upvotes - before.upvotes,
    down: post.downvotes - before.downvotes,
    points: earning.reduce((sum, each) => sum + pointsOf(each.vote) - pointsOf(each.before), 0),
    votes: changed,
    praisedBy: [...praisedBy],
  };
}

const keyOf = ({ kind, id }: VoteTarget) => `${kind} ${id}`;
