import { bellsOf, type UpvoteNews, upvotesTold } from '#server/notifications/notifications.ts';
import { type Database, type Tx, transaction } from '#server/platform/database.ts';
import { inOneGo } from '#server/platform/driver.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { Settings } from '#server/platform/settings.ts';
import { type Outcome, together } from '#server/platform/together.ts';
import type { PostKind } from '#server/posts/post.ts';
import { lockedProblem, questionsKept } from '#server/posts/thread.ts';
import { profilesChanged, questionCounted } from '#server/posts/told.ts';
import type { Direction } from '#shared/fields.ts';
import type { VoteState } from '#shared/votes.ts';
import { VoteBook, type Voted } from './book.ts';
import { NetworkVotes } from './networks.ts';
import {
  addPoints,
  changesBy,
  deleteVotes,
  type DoomedPosts,
  lockedPosts,
  ownVotes,
  pointsAdded,
  resetReplyCounts,
  type VoteTarget,
} from './queries.ts';

export type { VoteTarget };

export type WantedVote = { target: VoteTarget; viewer: Pick<Viewer, 'id'>; vote: Direction | null };

const kinds: readonly PostKind[] = ['question', 'answer', 'reply'];

/**
 * Sets the viewer's vote on a post: up, down or (null) none. Setting the same again changes nothing. The counts, the
 * vote and the author's reputation change together or not at all (docs/product.md 7). Votes that come
 * at the same time are stored together.
 */
export function createVoting({ db, settings }: { db: Database; settings: Settings }) {
  return together<WantedVote, VoteState>({
    write: (votes, how) => setVotes(db, { votes, settings, how }),
    about: ({ target }) => `${target.kind} ${target.id}`,
    most: 200,
  });
}

async function setVotes(
  db: Database,
  { votes, settings, how }: { votes: readonly WantedVote[]; settings: Settings; how: { patient: boolean } },
): Promise<Outcome<VoteState>[]> {
  return transaction(
    db,
    async (tx) => {
      const book = await openBook(tx, votes);
      const networks = settings.accountsPerNetwork === 0 ? null : await openNetworks(tx, book, votes);
      const outcomes = votes.map((wanted) => decide(book, { ...wanted, settings, networks }));
      await write(tx, book);
      return outcomes;
    },
    how,
  );
}

/** Before posts are deleted: takes their votes, and the points the authors have by them. */
export async function removeVotes(tx: Tx, posts: DoomedPosts): Promise<void> {
  const earned = await deleteVotes(tx, posts);
  await addPoints(
    tx,
    earned.map(({ memberId, points }) => ({ memberId, points: -points })),
  );
  await resetReplyCounts(tx, posts.replyIds);
}

/** Posts came back with their votes: their authors have the points again. */
export async function earnPoints(tx: Tx, earned: readonly { memberId: number; points: number }[]) {
  await addPoints(tx, earned);
}

/**
 * Sets votes of one member, each up, down or (null) none, in threads that are locked as well; with all counts right.
 * Votes on posts that are not there are left out.
 */
export async function changeVotesOf(
  tx: Tx,
  { memberId, votes }: { memberId: number; votes: readonly Pick<WantedVote, 'target' | 'vote'>[] },
): Promise<void> {
  const viewer = { id: memberId };
  const book = await openBook(
    tx,
    votes.map((each) => ({ ...each, viewer })),
  );
  for (const { target, vote } of votes)
    if (book.postOf(target) !== undefined) book.set(target, memberId, vote);
  await write(tx, book);
}

/** Locks the posts that are voted on, questions first as whoever changes a thread does, and reads what votes there are. */
async function openBook(tx: Tx, votes: readonly WantedVote[]): Promise<VoteBook> {
  const byKind = Map.groupBy(votes, ({ target }) => target.kind);
  const idsOf = (kind: PostKind) => [...new Set(byKind.get(kind)?.map(({ target }) => target.id))];
  const voted = kinds.filter((kind) => byKind.has(kind));
  const threads = questionsKept({
    questionIds: idsOf('question'),
    answerIds: idsOf('answer'),
    replyIds: idsOf('reply'),
  });
  // Run in this order: what is read last is as it is once all locks are had.
  const { posts, votes: known } = await inOneGo(tx, {
    threads: threads === undefined ? [] : [threads],
    posts: voted.map((kind) => lockedPosts({ kind, ids: idsOf(kind) })),
    votes: voted.map((kind) => ownVotes({ kind, voters: votersIn(byKind.get(kind)) })),
  });
  const book = new VoteBook();
  for (const [index, kind] of voted.entries()) {
    for (const post of posts[index] ?? []) book.addPost({ kind, id: post.id }, post);
    for (const { id, memberId, vote } of known[index] ?? []) book.addVote({ kind, id }, memberId, vote);
  }
  return book;
}

const votersIn = (votes: readonly WantedVote[] = []) =>
  votes.map(({ target, viewer }) => ({ id: target.id, memberId: viewer.id }));

const missing = { question: 'Question not found', answer: 'Answer not found', reply: 'Reply not found' };

/** Of the votes that are new: what is turned or taken back is counted already. */
async function openNetworks(tx: Tx, book: VoteBook, votes: readonly WantedVote[]): Promise<NetworkVotes> {
  const asked = votes.flatMap(({ target, viewer, vote }) => {
    const post = book.postOf(target);
    const isAdded = vote !== null && book.voteOf(target, viewer.id) === null;
    return post === undefined || !isAdded ? [] : [{ target, post, voterId: viewer.id }];
  });
  return NetworkVotes.open(tx, asked);
}

function decide(
  book: VoteBook,
  {
    target,
    viewer,
    vote,
    settings,
    networks,
  }: WantedVote & { settings: Settings; networks: NetworkVotes | null },
): Outcome<VoteState> {
  const post = book.postOf(target);
  if (post === undefined) return new ProblemError('not-found', missing[target.kind]);
  const locked = lockedProblem(post.lock_reason);
  if (locked !== null) return locked;
  // One from before this was switched off can be taken back.
  if (post.author_id === viewer.id && vote !== null && !settings.selfVotes)
    return new ProblemError('not-allowed', 'You cannot vote on your own posts here.');
  if (networks !== null && vote !== null && book.voteOf(target, viewer.id) === null) {
    const refused = networks.take({ target, post, voterId: viewer.id });
    if (refused !== null) return refused;
  }
  return book.set(target, viewer.id, vote);
}

async function write(tx: Tx, book: VoteBook): Promise<void> {
  const voted = book.voted();
  if (voted.length === 0) return;
  const points = new Map<number, number>();
  const news: UpvoteNews[] = [];
  for (const post of voted) {
    const { author_id: authorId } = post.post;
    if (authorId === null) continue;
    points.set(authorId, (points.get(authorId) ?? 0) + post.points);
    news.push(...post.praisedBy.map((senderId) => newsOf(post, { authorId, senderId })));
  }
  const earned = [...points]
    .map(([memberId, more]) => ({ memberId, points: more }))
    .filter((each) => each.points !== 0);
  const { told } = await inOneGo(tx, {
    changes: [...Map.groupBy(voted, (each) => each.target.kind)].flatMap(([kind, posts]) =>
      changesBy({
        kind,
        votes: posts.flatMap(({ target, votes }) => votes.map((vote) => ({ ...vote, id: target.id }))),
        posts: posts.map(({ target, up, down }) => ({ id: target.id, up, down })),
      }),
    ),
    points: earned.length === 0 ? [] : [pointsAdded(earned)],
    told: upvotesTold(news),
  });
  await publishAll(tx, [
    ...bellsOf(told.flat()),
    ...voted.flatMap(toldOf),
    ...profilesChanged(voted.map(({ post }) => post.author_id)),
  ]);
}

function newsOf(
  { target, post }: Voted,
  { authorId, senderId }: { authorId: number; senderId: number },
): UpvoteNews {
  const place = { questionId: post.question_id, answerId: post.answer_id, replyId: post.reply_id };
  return { kind: target.kind, authorId, senderId, place };
}

function toldOf({ target: { kind, id }, post }: Voted): StreamedEvent[] {
  const { upvotes, downvotes } = post;
  const events: StreamedEvent[] = [
    { topic: `question:${post.question_id}`, event: { kind: 'voted', post: kind, id, upvotes, downvotes } },
  ];
  if (kind === 'question') events.push(questionCounted('vote', id, post));
  if (kind === 'answer')
    events.push({ topic: 'answers', event: { kind: 'answer-counted', answerId: id, upvotes, downvotes } });
  return events;
}
