import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  deleteOwnHeldPost,
  type LockedHeldPost,
  leaveReviewQueue,
  postHeldPost,
  setHeldPostRejected,
} from '#server/posts/index.ts';
import type { PostActionDraft } from '#shared/moderation/moderation.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import { insertModeratorMessage } from './moderator-messages-queries.ts';
import type { Moderator } from './moderator.ts';
import { deleteReviewItem } from './review-queue-queries.ts';

/** What a new post needs. */
export type Posting = { publicUrl: string | null; settings: Pick<SiteSettings, 'get'> };

type Decision = { row: LockedHeldPost; moderator: Moderator; draft: PostActionDraft };

/**
 * Posts a held post, also one that was rejected before.
 * @throws ProblemError as a new post does, for example because its question was deleted or locked meanwhile
 */
export async function approveHeldPost(tx: Tx, decision: Decision, posting: Posting): Promise<void> {
  const { row, moderator } = decision;
  await deleteReviewItem(tx, { kind: row.post_kind, id: row.post_id });
  await recordDecision(tx, decision, { kind: 'approved', reason: '' });
  await postHeldPost(tx, { row, moderator, ...posting });
}

/**
 * Rejects a held post. Its author and moderators can read it for 30 days.
 * @throws ProblemError 'already-handled' if it is rejected already
 */
export async function rejectHeldPost(tx: Tx, decision: Decision): Promise<void> {
  const { row, draft } = decision;
  if (!(await setHeldPostRejected(tx, { id: row.id, reason: draft.reason })))
    throw new ProblemError('handled-already');
  await recordDecision(tx, decision, { kind: 'rejected', reason: draft.reason });
}

/**
 * Deletes a held post of the member.
 * @throws ProblemError 'not-found' if it does not exist, or is no longer held
 */
export async function withdrawHeldPost(
  db: Database,
  { id, memberId }: { id: number; memberId: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await deleteOwnHeldPost(tx, { id, memberId }))) throw new ProblemError('post-deleted');
    await leaveReviewQueue(tx);
    await publish(tx, `member:${memberId}`, { kind: 'member-changed' });
  });
}

async function recordDecision(
  tx: Tx,
  { row, moderator, draft }: Decision,
  { kind, reason }: { kind: 'approved' | 'rejected'; reason: string },
): Promise<void> {
  const { post_kind: postKind, post_id: id, member_id: memberId } = row;
  await leaveReviewQueue(tx);
  await insertModeratorMessage(tx, {
    memberId,
    kind,
    reason,
    until: null,
    title: row.thread_title,
    questionId: row.question_id,
  });
  await insertLogEntry(tx, {
    moderatorId: moderator.id,
    action: kind === 'approved' ? 'approve' : 'reject',
    reason: draft.reason,
    post: { kind: postKind, id, questionId: row.question_id ?? id },
    memberId,
    before: { status: row.rejection_reason === null ? 'held' : 'rejected' },
  });
  await publish(tx, `member:${memberId}`, { kind: 'member-changed' });
}
