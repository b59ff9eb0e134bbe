import { reputationPoints, type VoteState } from '#shared/engagement/votes.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import type { EarnedPoints } from '#server/posts/index.ts';
import type { StoredVote, VoteChanges, VotedPost, VoterRow } from './votes-queries.ts';

/** A member's vote in a batch. `stored`: as before the batch; null: no vote. `castAt`: null for now. */
type TalliedVote = { stored: StoredVote | null; vote: VoteDirection | null; castAt: Date | null };

type TalliedPost = {
  before: VotedPost;
  /** With the new counts. */
  post: VotedPost;
  votes: Map<number, TalliedVote>;
  /** Members who upvoted it, even if they removed the vote later in the batch. */
  upvotedBy: Set<number>;
};

/** Applies the votes of one batch on posts of one kind one after the other, as if each had its own transaction. */
export class VoteTally {
  readonly #kind: PostKind;
  readonly #posts: ReadonlyMap<number, TalliedPost>;

  constructor(
    kind: PostKind,
    { posts, voters }: { posts: readonly VotedPost[]; voters: readonly VoterRow[] },
  ) {
    this.#kind = kind;
    this.#posts = new Map(
      posts.map((post): [number, TalliedPost] => [
        post.id,
        { before: post, post: { ...post }, votes: new Map(), upvotedBy: new Set() },
      ]),
    );
    for (const { postId, memberId, vote, castAt } of voters)
      if (vote !== null && castAt !== null)
        this.#posts.get(postId)?.votes.set(memberId, { stored: { vote, castAt }, vote, castAt });
  }

  /** The post with its counts so far. Undefined if it does not exist. */
  getPost(id: number): VotedPost | undefined {
    return this.#posts.get(id)?.post;
  }

  /** The member's current vote, null for none. */
  getVote(postId: number, memberId: number): VoteDirection | null {
    return this.#posts.get(postId)?.votes.get(memberId)?.vote ?? null;
  }

  /** Sets the member's vote on an existing post. Returns the state for the response. */
  setVote(wanted: {
    postId: number;
    memberId: number;
    vote: VoteDirection | null;
    castAt?: Date;
  }): VoteState {
    const { postId, memberId, vote, castAt = null } = wanted;
    const tallied = this.#posts.get(postId);
    if (tallied === undefined) throw new Error(`${this.#kind} ${postId} is not in the tally`);
    const { post, votes, upvotedBy } = tallied;
    const previous = votes.get(memberId) ?? { stored: null, vote: null };
    post.upvotes += Number(vote === 'up') - Number(previous.vote === 'up');
    post.downvotes += Number(vote === 'down') - Number(previous.vote === 'down');
    if (vote === 'up' && previous.vote !== 'up' && memberId !== post.author_id) upvotedBy.add(memberId);
    votes.set(memberId, { stored: previous.stored, vote, castAt });
    return { upvotes: post.upvotes, downvotes: post.downvotes, myVote: vote };
  }

  /** The posts with a changed vote or an upvote to notify of, and what changes in the database. */
  getChanges(): VoteChanges & { posts: VotedPost[] } {
    const kind = this.#kind;
    const changed = [...this.#posts.values()]
      .map((tallied) => ({ ...tallied, votes: listChangedVotes(tallied) }))
      .filter(({ votes, upvotedBy }) => votes.length + upvotedBy.size > 0);
    return {
      kind,
      posts: changed.map(({ post }) => post),
      votes: changed.flatMap(({ votes }) => votes),
      counts: changed.map(({ before, post }) => ({
        postId: post.id,
        up: post.upvotes - before.upvotes,
        down: post.downvotes - before.downvotes,
      })),
      earned: changed.flatMap(({ post, votes }) => votes.flatMap((vote) => listEarned(kind, post, vote))),
      upvotes: changed.flatMap(({ post, upvotedBy }) =>
        [...upvotedBy].map((senderId) => ({ kind, post, senderId })),
      ),
    };
  }
}

export type ChangedVote = VoteChanges['votes'][number];

const listChangedVotes = ({ post, votes }: TalliedPost): ChangedVote[] =>
  [...votes]
    .map(([memberId, vote]) => ({ postId: post.id, questionId: post.question_id, memberId, ...vote }))
    .filter(({ stored, vote }) => (stored?.vote ?? null) !== vote);

/** A vote on one's own post counts as an upvote received, but gives no points. */
function listEarned(
  kind: PostKind,
  { author_id: authorId }: VotedPost,
  changed: ChangedVote,
): EarnedPoints[] {
  if (authorId === null) return [];
  const { memberId, stored, vote, castAt } = changed;
  const earn = (direction: VoteDirection, at: Date | null, by: 1 | -1) => ({
    memberId: authorId,
    castAt: at,
    points: memberId === authorId ? 0 : by * reputationPoints[kind][direction],
    upvotes: direction === 'up' ? by : 0,
  });
  return [
    ...(stored === null ? [] : [earn(stored.vote, stored.castAt, -1)]),
    ...(vote === null ? [] : [earn(vote, castAt, 1)]),
  ];
}
