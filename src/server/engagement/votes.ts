import { buildProfileEvents, buildQuestionCountsEvent, getLockedError } from '#server/posts/index.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import { selectNotifiedEvents } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publishWithChanges, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { createWriteBatcher, type Outcome } from '#server/core/write-batcher.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { type ChangedVote, VoteTally } from './votes-tally.ts';
import { NetworkVoteLimits } from './votes-network-limits.ts';
import { changeVotes, lockVotedPosts, type VotedPost, type VoteTarget } from './votes-queries.ts';

export type { VoteTarget };

export type VoteRequest = { target: VoteTarget; viewer: Pick<Viewer, 'id'>; vote: VoteDirection | null };

/** A member's vote on a post of a known kind; null for none. */
type Vote = { postId: number; memberId: number; vote: VoteDirection | null };

/**
 * Creates the function that sets a vote: up, down or (null) none. Setting the same vote again changes nothing. Votes on
 * posts of one kind that arrive at the same time are one batch: one transaction.
 */
export function createVoteBatcher({ db, settings }: { db: Database; settings: OperatorSettings }) {
  const createBatcher = (kind: PostKind) =>
    createWriteBatcher<Vote, VoteState>({
      writeBatch: (votes, lockOptions) =>
        transaction(db, (tx) => castVotes(tx, { kind, votes, settings }), lockOptions),
      keyOf: ({ postId }) => postId,
      maxBatchSize: 200,
    });
  const batchers = {
    question: createBatcher('question'),
    answer: createBatcher('answer'),
    reply: createBatcher('reply'),
  };
  return ({ target, viewer, vote }: VoteRequest): Promise<VoteState> =>
    batchers[target.kind]({ postId: target.id, memberId: viewer.id, vote });
}

/**
 * Casts votes on posts of one kind, each decided as if it came alone (docs/product.md 7). Locks the posts, then stores
 * everything that changes in one statement with the commit.
 */
async function castVotes(
  tx: Tx,
  { kind, votes, settings }: { kind: PostKind; votes: readonly Vote[]; settings: OperatorSettings },
): Promise<Outcome<VoteState>[]> {
  const { posts, voters } = await lockVotedPosts(tx, { kind, voters: votes });
  const tally = new VoteTally(kind, { posts, voters });
  const networkLimits =
    settings.maxAccountsPerNetwork === 0
      ? null
      : await NetworkVoteLimits.load(tx, { kind, candidates: listNewVotes(tally, votes), voters });
  const outcomes = votes.map(
    (vote) => findRefusal(kind, { vote, tally, settings, networkLimits }) ?? tally.setVote(vote),
  );
  await storeTally(tx, tally);
  return outcomes;
}

/**
 * Sets the votes of one member on posts of one kind, each up, down or (null) none, also in locked threads, with all
 * counts. Leaves out votes on posts that do not exist.
 * @param votes with the time when each was cast, if not now
 */
export async function setVotesOfMember(
  tx: Tx,
  wanted: {
    kind: PostKind;
    memberId: number;
    votes: readonly { id: number; vote: VoteDirection | null; castAt?: Date }[];
  },
): Promise<void> {
  const { kind, memberId } = wanted;
  const votes = wanted.votes.map(({ id: postId, ...vote }) => ({ postId, memberId, ...vote }));
  const tally = new VoteTally(kind, await lockVotedPosts(tx, { kind, voters: votes }));
  for (const vote of votes) if (tally.getPost(vote.postId) !== undefined) tally.setVote(vote);
  await storeTally(tx, tally);
}

/** Only new votes count towards the limits per network. Switched and removed votes were counted when they were cast. */
function listNewVotes(tally: VoteTally, votes: readonly Vote[]) {
  return votes.flatMap(({ postId, memberId, vote }) => {
    const post = tally.getPost(postId);
    const isNew = vote !== null && tally.getVote(postId, memberId) === null;
    return post === undefined || !isNew ? [] : [{ post, voterId: memberId }];
  });
}

const notFoundCodes = {
  question: 'question-not-found',
  answer: 'answer-not-found',
  reply: 'reply-not-found',
} as const;

function findRefusal(
  kind: PostKind,
  {
    vote: { postId, memberId, vote },
    tally,
    settings,
    networkLimits,
  }: { vote: Vote; tally: VoteTally; settings: OperatorSettings; networkLimits: NetworkVoteLimits | null },
): ProblemError | null {
  const post = tally.getPost(postId);
  if (post === undefined) return new ProblemError(notFoundCodes[kind]);
  const locked = getLockedError(post.lock_reason);
  if (locked !== null) return locked;
  // A vote from before the setting was switched off can be removed.
  if (post.author_id === memberId && vote !== null && !settings.allowsSelfVotes)
    return new ProblemError('own-post-vote');
  const isNew = vote !== null && tally.getVote(postId, memberId) === null;
  return isNew ? (networkLimits?.consume({ post, voterId: memberId }) ?? null) : null;
}

/** Stores the changed votes with the counts, reputation, statistics, notifications and events. */
async function storeTally(tx: Tx, tally: VoteTally): Promise<void> {
  const { posts, ...changes } = tally.getChanges();
  if (posts.length === 0) return;
  await publishWithChanges(tx, {
    changes: changeVotes(changes),
    events: [
      ...posts.flatMap((post) => buildVoteEvents(changes.kind, post)),
      ...changes.votes.map((vote) => buildOwnVoteEvent(changes.kind, vote)),
      ...buildProfileEvents(posts.map((post) => post.author_id)),
    ],
    more: selectNotifiedEvents('notified'),
  });
}

function buildVoteEvents(kind: PostKind, post: VotedPost): TopicEvent[] {
  const { id, upvotes, downvotes } = post;
  const events: TopicEvent[] = [
    { topic: `question:${post.question_id}`, event: { kind: 'voted', post: kind, id, upvotes, downvotes } },
  ];
  if (kind === 'question') events.push(buildQuestionCountsEvent('vote', id, post));
  if (kind === 'answer')
    events.push({ topic: 'answers', event: { kind: 'answer-counted', answerId: id, upvotes, downvotes } });
  return events;
}

/** Only the voter's own pages receive whose vote it is. */
const buildOwnVoteEvent = (
  kind: PostKind,
  { postId: id, questionId, memberId, vote }: ChangedVote,
): TopicEvent => ({
  topic: `member:${memberId}`,
  event: { kind: 'vote-changed', questionId, post: kind, id, vote },
});
