import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publish } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { PostRef, ReportDraft, ReportState } from '#shared/care.ts';
import {
  incrementOpenReports,
  closeReports,
  deleteReport,
  insertReport,
  lockQuestionKey,
  findOwnReport,
  deleteReportedPost,
  decrementOpenReports,
  updateReport,
} from './flag-queries.ts';
import { findVisiblePost } from './put-away-queries.ts';

const createPostNotFound = () => new ProblemError('not-found', 'There is no such post.');

/** The viewer's own flag on a post. @throws ProblemError 'not-found' */
export async function readReport(
  db: Database,
  { post, viewer }: { post: PostRef; viewer: Viewer },
): Promise<ReportState> {
  if ((await findVisiblePost(db, post)) === undefined) throw createPostNotFound();
  return getReportState(db, post, viewer);
}

/**
 * Sets the viewer's flag on a post of somebody else, once a member and post, or takes it back. A flag that was looked at
 * stays as it is. The author is never told.
 * @throws ProblemError 'not-found', 'not-allowed' for an own post
 */
export async function setReport(
  db: Database,
  { post, viewer, draft }: { post: PostRef; viewer: Viewer; draft: ReportDraft },
): Promise<ReportState> {
  const { reason, note } = draft;
  if (reason === 'other' && note === '')
    throw new ProblemError('invalid', 'Say in a few words what is wrong.', {
      errors: [{ field: 'note', message: 'Say in a few words what is wrong.' }],
    });
  return transaction(db, async (tx) => {
    const location = await findVisiblePost(tx, post);
    // Kept from being deleted or put away meanwhile: its flags would never be looked at.
    if (location === undefined || !(await lockQuestionKey(tx, location.question_id)))
      throw createPostNotFound();
    if ((await findVisiblePost(tx, post)) === undefined) throw createPostNotFound();
    if (location.author_id === viewer.id)
      throw new ProblemError('not-allowed', 'You cannot flag your own posts; you can edit or delete them.');
    const before = await findOwnReport(tx, { post, memberId: viewer.id });
    if (before?.closed === true) return { reason: null, closed: true };
    if (reason === null && before !== undefined) {
      await deleteReport(tx, { post, memberId: viewer.id });
      await decrementOpenReports(tx, post);
    }
    if (reason !== null && before === undefined) {
      await insertReport(tx, { post, memberId: viewer.id, reason, note });
      await incrementOpenReports(tx, post);
    }
    if (reason !== null && before !== undefined)
      await updateReport(tx, { post, memberId: viewer.id, reason, note });
    await publish(tx, 'care', { kind: 'care-changed' });
    return { reason, closed: false };
  });
}

/** An operator has looked at the flags of a post. Returns how many there were. */
export async function resolveReports(
  tx: Tx,
  { post, outcome }: { post: PostRef; outcome: 'dismissed' | 'acted' },
): Promise<number> {
  await deleteReportedPost(tx, post);
  return closeReports(tx, { post, outcome });
}

async function getReportState(db: Reader, post: PostRef, viewer: Viewer): Promise<ReportState> {
  const report = await findOwnReport(db, { post, memberId: viewer.id });
  if (report === undefined) return { reason: null, closed: false };
  return report.closed ? { reason: null, closed: true } : { reason: report.reason, closed: false };
}
