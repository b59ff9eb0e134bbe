import { addPointsStatement } from '#server/posts/reputation.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import {
  buildUpvoteNotifications,
  createNotifiedEvents,
  type UpvoteNotification,
} from '#server/notifications/notifications.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { runPipelined } from '#server/core/database-driver.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { createWriteBatcher, type Outcome } from '#server/core/write-batcher.ts';
import { getLockedError, lockThreadsStatement } from '#server/posts/posts-locks.ts';
import { buildProfileEvents, buildQuestionCountsEvent } from '#server/posts/posts-events.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { type TalliedPost, VoteTally } from './votes-tally.ts';
import { NetworkVoteLimits } from './votes-network-limits.ts';
import {
  changeVotesStatements,
  lockPostsStatement,
  selectVotesOfMembers,
  type VoteTarget,
} from './votes-queries.ts';

export type { VoteTarget };

export type VoteRequest = { target: VoteTarget; viewer: Pick<Viewer, 'id'>; vote: VoteDirection | null };

const kinds: readonly PostKind[] = ['question', 'answer', 'reply'];

/**
 * Sets the viewer's vote on a post: up, down or (null) none. Setting the same again changes nothing. The counts, the
 * vote and the author's reputation change together or not at all (docs/product.md 7). Votes that come
 * at the same time are stored together.
 */
export function createVoteBatcher({ db, settings }: { db: Database; settings: SiteSettings }) {
  return createWriteBatcher<VoteRequest, VoteState>({
    writeBatch: (votes, how) => castVotes(db, { votes, settings, how }),
    keyOf: ({ target }) => `${target.kind} ${target.id}`,
    maxBatchSize: 200,
  });
}

async function castVotes(
  db: Database,
  {
    votes,
    settings,
    how,
  }: { votes: readonly VoteRequest[]; settings: SiteSettings; how: { waitsForLocks: boolean } },
): Promise<Outcome<VoteState>[]> {
  return transaction(
    db,
    async (tx) => {
      const tally = await loadTally(tx, votes);
      const networks =
        settings.maxAccountsPerNetwork === 0 ? null : await loadNetworkLimits(tx, tally, votes);
      const outcomes = votes.map((wanted) => castVote(tally, { ...wanted, settings, networks }));
      await storeTally(tx, tally);
      return outcomes;
    },
    how,
  );
}

/**
 * Sets votes of one member, each up, down or (null) none, in threads that are locked as well; with all counts right.
 * Votes on posts that are not there are left out.
 */
export async function setVotesOfMember(
  tx: Tx,
  { memberId, votes }: { memberId: number; votes: readonly Pick<VoteRequest, 'target' | 'vote'>[] },
): Promise<void> {
  const viewer = { id: memberId };
  const tally = await loadTally(
    tx,
    votes.map((each) => ({ ...each, viewer })),
  );
  for (const { target, vote } of votes)
    if (tally.getPost(target) !== undefined) tally.setVote(target, memberId, vote);
  await storeTally(tx, tally);
}

/** Locks the posts that are voted on, questions first as whoever changes a thread does, and reads what votes there are. */
async function loadTally(tx: Tx, votes: readonly VoteRequest[]): Promise<VoteTally> {
  const byKind = Map.groupBy(votes, ({ target }) => target.kind);
  const idsOf = (kind: PostKind) => [...new Set(byKind.get(kind)?.map(({ target }) => target.id))];
  const voted = kinds.filter((kind) => byKind.has(kind));
  const threads = lockThreadsStatement({
    questionIds: idsOf('question'),
    answerIds: idsOf('answer'),
    replyIds: idsOf('reply'),
  });
  // Run in this order: what is read last is as it is once all locks are had.
  const { posts, votes: stored } = await runPipelined(tx, {
    threads: threads === undefined ? [] : [threads],
    posts: voted.map((kind) => lockPostsStatement({ kind, ids: idsOf(kind) })),
    votes: voted.map((kind) => selectVotesOfMembers({ kind, voters: toVoters(byKind.get(kind)) })),
  });
  const tally = new VoteTally();
  for (const [index, kind] of voted.entries()) {
    for (const post of posts[index] ?? []) tally.addPost({ kind, id: post.id }, post);
    for (const { id, memberId, vote } of stored[index] ?? []) tally.addVote({ kind, id }, memberId, vote);
  }
  return tally;
}

const toVoters = (votes: readonly VoteRequest[] = []) =>
  votes.map(({ target, viewer }) => ({ id: target.id, memberId: viewer.id }));

const missing = { question: 'Question not found', answer: 'Answer not found', reply: 'Reply not found' };

/** Of the votes that are new: what is turned or taken back is counted already. */
async function loadNetworkLimits(
  tx: Tx,
  tally: VoteTally,
  votes: readonly VoteRequest[],
): Promise<NetworkVoteLimits> {
  const candidates = votes.flatMap(({ target, viewer, vote }) => {
    const post = tally.getPost(target);
    const isAdded = vote !== null && tally.getVote(target, viewer.id) === null;
    return post === undefined || !isAdded ? [] : [{ target, post, voterId: viewer.id }];
  });
  return NetworkVoteLimits.load(tx, candidates);
}

function castVote(
  tally: VoteTally,
  {
    target,
    viewer,
    vote,
    settings,
    networks,
  }: VoteRequest & { settings: SiteSettings; networks: NetworkVoteLimits | null },
): Outcome<VoteState> {
  const post = tally.getPost(target);
  if (post === undefined) return new ProblemError('not-found', missing[target.kind]);
  const locked = getLockedError(post.lock_reason);
  if (locked !== null) return locked;
  // One from before this was switched off can be taken back.
  if (post.author_id === viewer.id && vote !== null && !settings.allowsSelfVotes)
    return new ProblemError('not-allowed', 'You cannot vote on your own posts here.');
  if (networks !== null && vote !== null && tally.getVote(target, viewer.id) === null) {
    const refused = networks.take({ target, post, voterId: viewer.id });
    if (refused !== null) return refused;
  }
  return tally.setVote(target, viewer.id, vote);
}

async function storeTally(tx: Tx, tally: VoteTally): Promise<void> {
  const voted = tally.listChanged();
  if (voted.length === 0) return;
  const points = new Map<number, number>();
  const upvotes: UpvoteNotification[] = [];
  for (const post of voted) {
    const { author_id: authorId } = post.post;
    if (authorId === null) continue;
    points.set(authorId, (points.get(authorId) ?? 0) + post.points);
    upvotes.push(...post.upvotedBy.map((senderId) => toUpvote(post, { authorId, senderId })));
  }
  const earned = [...points]
    .map(([memberId, more]) => ({ memberId, points: more }))
    .filter((each) => each.points !== 0);
  const { told: recipients } = await runPipelined(tx, {
    changes: [...Map.groupBy(voted, (each) => each.target.kind)].flatMap(([kind, posts]) =>
      changeVotesStatements({
        kind,
        votes: posts.flatMap(({ target, votes }) => votes.map((vote) => ({ ...vote, id: target.id }))),
        posts: posts.map(({ target, up, down }) => ({ id: target.id, up, down })),
      }),
    ),
    points: earned.length === 0 ? [] : [addPointsStatement(earned)],
    told: buildUpvoteNotifications(upvotes),
  });
  await publishAll(tx, [
    ...createNotifiedEvents(recipients.flat()),
    ...voted.flatMap(buildVoteEvents),
    ...buildProfileEvents(voted.map(({ post }) => post.author_id)),
  ]);
}

function toUpvote(
  { target, post }: TalliedPost,
  { authorId, senderId }: { authorId: number; senderId: number },
): UpvoteNotification {
  const location = { questionId: post.question_id, answerId: post.answer_id, replyId: post.reply_id };
  return { kind: target.kind, authorId, senderId, post: location };
}

function buildVoteEvents({ target: { kind, id }, post }: TalliedPost): TopicEvent[] {
  const { upvotes, downvotes } = post;
  const events: TopicEvent[] = [
    { topic: `question:${post.question_id}`, event: { kind: 'voted', post: kind, id, upvotes, downvotes } },
  ];
  if (kind === 'question') events.push(buildQuestionCountsEvent('vote', id, post));
  if (kind === 'answer')
    events.push({ topic: 'answers', event: { kind: 'answer-counted', answerId: id, upvotes, downvotes } });
  return events;
}
