import {
  addPointsStatement,
  appendPointsStatement,
  buildProfileEvents,
  buildQuestionCountsEvent,
  getLockedError,
  lockThreadsStatement,
} from '#server/posts/index.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';
import {
  buildUpvoteNotifications,
  createNotifiedEvents,
  type UpvoteNotification,
} from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { runPipelined } from '#server/core/database-driver.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { createWriteBatcher, type Outcome } from '#server/core/write-batcher.ts';
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
 * Creates the batcher that sets votes: up, down or (null) none. Setting the same vote again changes nothing. The vote,
 * the counts and the author's reputation change in one transaction (docs/product.md 7). Votes that arrive at the same
 * time are stored in one batch.
 */
export function createVoteBatcher({ db, settings }: { db: Database; settings: SiteSettings }) {
  return createWriteBatcher<VoteRequest, VoteState>({
    writeBatch: (votes, lockOptions) => castVotes(db, { votes, settings, lockOptions }),
    keyOf: ({ target }) => `${target.kind} ${target.id}`,
    maxBatchSize: 200,
  });
}

async function castVotes(
  db: Database,
  {
    votes,
    settings,
    lockOptions,
  }: { votes: readonly VoteRequest[]; settings: SiteSettings; lockOptions: { waitsForLocks: boolean } },
): Promise<Outcome<VoteState>[]> {
  return transaction(
    db,
    async (tx) => {
      const tally = await loadTally(tx, votes);
      const networkLimits =
        settings.maxAccountsPerNetwork === 0 ? null : await loadNetworkLimits(tx, tally, votes);
      const outcomes = votes.map((wanted) => castVote(tally, { ...wanted, settings, networkLimits }));
      await storeTally(tx, tally);
      return outcomes;
    },
    lockOptions,
  );
}

/**
 * Sets the votes of one member, each up, down or (null) none, also in locked threads, with all counts. Leaves out votes
 * on posts that do not exist.
 * @param votes with the time when each was cast, if not now
 */
export async function setVotesOfMember(
  tx: Tx,
  {
    memberId,
    votes,
  }: { memberId: number; votes: readonly (Pick<VoteRequest, 'target' | 'vote'> & { castAt?: Date })[] },
): Promise<void> {
  const viewer = { id: memberId };
  const tally = await loadTally(
    tx,
    votes.map((each) => ({ ...each, viewer })),
  );
  for (const { target, ...vote } of votes)
    if (tally.getPost(target) !== undefined) tally.setVote(target, memberId, vote);
  await storeTally(tx, tally);
}

/** Locks the posts that are voted on, questions first as every change of a thread does, and reads the stored votes. */
async function loadTally(tx: Tx, votes: readonly VoteRequest[]): Promise<VoteTally> {
  const byKind = Map.groupBy(votes, ({ target }) => target.kind);
  const idsOf = (kind: PostKind) => [...new Set(byKind.get(kind)?.map(({ target }) => target.id))];
  const voted = kinds.filter((kind) => byKind.has(kind));
  const lockThreads = lockThreadsStatement({
    questionIds: idsOf('question'),
    answerIds: idsOf('answer'),
    replyIds: idsOf('reply'),
  });
  // The order matters: the votes are read after all locks are taken.
  const { posts, votes: stored } = await runPipelined(tx, {
    lockThreads: lockThreads === undefined ? [] : [lockThreads],
    posts: voted.map((kind) => lockPostsStatement({ kind, ids: idsOf(kind) })),
    votes: voted.map((kind) => selectVotesOfMembers({ kind, voters: toVoters(byKind.get(kind)) })),
  });
  const tally = new VoteTally();
  for (const [index, kind] of voted.entries()) {
    for (const post of posts[index] ?? []) tally.addPost({ kind, id: post.id }, post);
    for (const { id, memberId, ...vote } of stored[index] ?? []) tally.addVote({ kind, id }, memberId, vote);
  }
  return tally;
}

const toVoters = (votes: readonly VoteRequest[] = []) =>
  votes.map(({ target, viewer }) => ({ id: target.id, memberId: viewer.id }));

const missing = {
  question: 'question-not-found',
  answer: 'answer-not-found',
  reply: 'reply-not-found',
} as const;

/** Only new votes count. Switched and removed votes were counted when they were cast. */
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
    networkLimits,
  }: VoteRequest & { settings: SiteSettings; networkLimits: NetworkVoteLimits | null },
): Outcome<VoteState> {
  const post = tally.getPost(target);
  if (post === undefined) return new ProblemError(missing[target.kind]);
  const locked = getLockedError(post.lock_reason);
  if (locked !== null) return locked;
  // A vote from before the setting was switched off can be removed.
  if (post.author_id === viewer.id && vote !== null && !settings.allowsSelfVotes)
    return new ProblemError('own-post-vote');
  if (networkLimits !== null && vote !== null && tally.getVote(target, viewer.id) === null) {
    const refused = networkLimits.consume({ target, post, voterId: viewer.id });
    if (refused !== null) return refused;
  }
  return tally.setVote(target, viewer.id, { vote });
}

async function storeTally(tx: Tx, tally: VoteTally): Promise<void> {
  const voted = tally.listChanged();
  if (voted.length === 0) return;
  const points = new Map<number, number>();
  const upvotes: UpvoteNotification[] = [];
  for (const post of voted) {
    const { author_id: authorId } = post.post;
    if (authorId === null) continue;
    for (const each of post.earned) points.set(authorId, (points.get(authorId) ?? 0) + each.points);
    upvotes.push(...post.upvotedBy.map((senderId) => toUpvote(post, { authorId, senderId })));
  }
  const earned = [...points]
    .map(([memberId, more]) => ({ memberId, points: more }))
    .filter((each) => each.points !== 0);
  const { notified: recipients } = await runPipelined(tx, {
    changes: [...Map.groupBy(voted, (each) => each.target.kind)].flatMap(([kind, posts]) =>
      changeVotesStatements({
        kind,
        votes: posts.flatMap(({ target, votes }) => votes.map((vote) => ({ ...vote, id: target.id }))),
        posts: posts.map(({ target, up, down }) => ({ id: target.id, up, down })),
      }),
    ),
    points: earned.length === 0 ? [] : [addPointsStatement(earned)],
    statistics: [appendPointsStatement(voted.flatMap((post) => post.earned))],
    notified: buildUpvoteNotifications(upvotes),
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
