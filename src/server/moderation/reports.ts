import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish, publishAll } from '#server/core/events.ts';
import {
  enterReviewQueue,
  leaveReviewQueue,
  lockExistingQuestions,
  lockMember,
} from '#server/posts/index.ts';
import type { Viewer } from '#server/core/http.ts';
import type { ReportDraft, ReportState } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import {
  closeReports,
  decrementOpenReports,
  deleteReport,
  findOwnReport,
  incrementOpenReports,
  insertReport,
  lockPostKey,
  updateReport,
} from './reports-queries.ts';
import { removeFromReviewQueue } from './review-queue.ts';
import { findVisiblePost } from './hidden-posts-queries.ts';

const createPostNotFound = () => new ProblemError('post-not-found');

/**
 * Returns the viewer's own report of a post.
 * @throws ProblemError 'not-found'
 */
export async function readReport(
  db: Database,
  { post, viewer }: { post: PostRef; viewer: Viewer },
): Promise<ReportState> {
  if ((await findVisiblePost(db, post)) === undefined) throw createPostNotFound();
  return getReportState(db, post, viewer);
}

/**
 * Sets or withdraws the viewer's report of another member's post, one per member and post. A handled report does not
 * change. The author is not notified.
 * @throws ProblemError 'not-found', 'not-allowed' for the viewer's own post
 */
export async function setReport(
  db: Database,
  { post, viewer, draft }: { post: PostRef; viewer: Viewer; draft: ReportDraft },
): Promise<ReportState> {
  const { reason, note } = draft;
  if (reason === 'other' && note === '') throw invalidFieldError('note', 'report-note-required');
  return transaction(db, async (tx) => {
    const location = await findVisiblePost(tx, post);
    // The lock keeps the post from being deleted or hidden meanwhile: its reports would stay open for ever.
    if (location === undefined) throw createPostNotFound();
    await lockExistingQuestions(tx, [location.question_id]);
    await lockPostKey(tx, post);
    if ((await findVisiblePost(tx, post)) === undefined) throw createPostNotFound();
    if (location.author_id === viewer.id) throw new ProblemError('own-post-report');
    // A repeated request can run on another node at the same time: one of the two is then counted.
    await lockMember(tx, viewer.id);
    const before = await findOwnReport(tx, { post, memberId: viewer.id });
    if (before?.closed === true) return { reason: null, closed: true };
    if (reason === null) {
      if (before !== undefined) {
        await deleteReport(tx, { post, memberId: viewer.id });
        await decrementOpenReports(tx, post, 1);
      }
      await leaveReviewQueue(tx);
    } else if (before === undefined) {
      const insert = async () => {
        await insertReport(tx, { post, authorId: location.author_id, memberId: viewer.id, reason, note });
        await incrementOpenReports(tx, post);
      };
      await publishAll(tx, await enterReviewQueue(tx, insert, viewer.id));
    } else {
      await updateReport(tx, { post, memberId: viewer.id, reason, note });
      await publish(tx, 'moderation', { kind: 'moderation-changed' });
    }
    return { reason, closed: false };
  });
}

/** Closes the open reports of a post, which leaves the review queue. Returns how many there were. */
export async function resolveReports(
  tx: Tx,
  { post, outcome }: { post: PostRef; outcome: 'dismissed' | 'resolved' },
): Promise<number> {
  await removeFromReviewQueue(tx, post);
  return closeReports(tx, { post, reason: null, outcome });
}

/**
 * Closes the open reports of a question as a duplicate. The question stays in the review queue if it waits there for
 * another reason. The question must be locked.
 */
export async function resolveDuplicateReports(tx: Tx, questionId: number): Promise<void> {
  const post = { kind: 'question', id: questionId } as const;
  const count = await closeReports(tx, { post, reason: 'duplicate', outcome: 'resolved' });
  if (count === 0) return;
  await decrementOpenReports(tx, post, count);
  await leaveReviewQueue(tx);
}

async function getReportState(db: Reader, post: PostRef, viewer: Viewer): Promise<ReportState> {
  const report = await findOwnReport(db, { post, memberId: viewer.id });
  if (report === undefined) return { reason: null, closed: false };
  return report.closed ? { reason: null, closed: true } : { reason: report.reason, closed: false };
}
