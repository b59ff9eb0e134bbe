import { tellOfUpvote } from '#server/notifications/notifications.ts';
import { type Database, type Tx, transaction } from '#server/platform/database.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { Settings } from '#server/platform/settings.ts';
import { keepQuestionOf } from '#server/posts/thread.ts';
import { profilesChanged, questionCounted } from '#server/posts/told.ts';
import type { Direction } from '#shared/fields.ts';
import { reputationPoints, type VoteState } from '#shared/votes.ts';
import {
  changeReputation,
  changeVoteCounts,
  deleteVotes,
  type DoomedPosts,
  lockTarget,
  ownVote,
  resetReplyCounts,
  takePoints,
  type VoteTarget,
  type VoteCounts,
  writeVote,
} from './queries.ts';

export type { VoteTarget };

const missing = { question: 'Question not found', answer: 'Answer not found', reply: 'Reply not found' };

/**
 * Sets the viewer's vote on a post: up, down or (null) none. Setting the same again changes nothing. The counts, the
 * vote and the author's reputation change together or not at all (SPEC section 4, DECISIONS section 3).
 */
export async function setVote(
  db: Database,
  wanted: { target: VoteTarget; viewer: Viewer; vote: Direction | null; settings: Settings },
): Promise<VoteState> {
  const { target, viewer, vote, settings } = wanted;
  return transaction(db, async (tx) => {
    if (target.kind !== 'question') await keepQuestionOf(tx, { kind: target.kind, id: target.id });
    const post = await lockTarget(tx, target);
    if (post === undefined) throw new ProblemError('not-found', missing[target.kind]);
    const own = post.author_id === viewer.id;
    // One from before this was switched off can be taken back.
    if (own && vote !== null && !settings.selfVotes)
      throw new ProblemError('not-allowed', 'You cannot vote on your own posts here.');
    const before = await ownVote(tx, { target, memberId: viewer.id });
    if (before === vote) return { upvotes: post.upvotes, downvotes: post.downvotes, myVote: vote };
    await writeVote(tx, { target, memberId: viewer.id, vote });
    const events: StreamedEvent[] = [];
    const counts = await changeVoteCounts(tx, {
      target,
      up: Number(vote === 'up') - Number(before === 'up'),
      down: Number(vote === 'down') - Number(before === 'down'),
    });
    if (post.author_id !== null && !own) {
      const points = pointsFor(target, vote) - pointsFor(target, before);
      await changeReputation(tx, { memberId: post.author_id, points });
      if (vote === 'up') {
        const place = { questionId: post.question_id, answerId: post.answer_id, replyId: post.reply_id };
        const news = { kind: target.kind, authorId: post.author_id, senderId: viewer.id, place };
        events.push(...(await tellOfUpvote(tx, news)));
      }
    }
    const { upvotes, downvotes } = counts;
    events.push(...voted({ target, questionId: post.question_id, authorId: post.author_id, counts }));
    await publishAll(tx, events);
    return { upvotes, downvotes, myVote: vote };
  });
}

/** Before posts are deleted: takes their votes, and the points the authors have by them. */
export async function removeVotes(tx: Tx, posts: DoomedPosts): Promise<void> {
  await takePoints(tx, await deleteVotes(tx, posts));
  await resetReplyCounts(tx, posts.replyIds);
}

function voted(vote: {
  target: VoteTarget;
  questionId: number;
  authorId: number | null;
  counts: VoteCounts;
}): StreamedEvent[] {
  const { target, questionId, authorId, counts } = vote;
  const { upvotes, downvotes } = counts;
  const { kind, id } = target;
  const events: StreamedEvent[] = [
    { topic: `question:${questionId}`, event: { kind: 'voted', post: kind, id, upvotes, downvotes } },
  ];
  if (counts.question !== null) events.push(questionCounted(id, counts.question));
  if (kind === 'answer')
    events.push({ topic: 'answers', event: { kind: 'answer-counted', answerId: id, upvotes, downvotes } });
  return [...events, ...profilesChanged([authorId])];
}

function pointsFor(target: VoteTarget, vote: Direction | null): number {
  return vote === null ? 0 : reputationPoints[target.kind][vote];
}
