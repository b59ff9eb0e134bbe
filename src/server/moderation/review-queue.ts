import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import { estimatePosts, leaveReviewQueue } from '#server/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import {
  maxReviewCount,
  type ReviewCause,
  type ReviewCounts,
  type ReviewItem,
  type ReviewQueue,
} from '#shared/moderation/moderation.ts';
import type { SpamEstimate } from '#shared/moderation/spam.ts';
import type { TagProposal } from '#shared/moderation/tag-proposals.ts';
import type { Moderator } from './moderator.ts';
import {
  type Claim,
  countReviewItems,
  deleteReviewItem,
  listReviewItems,
  lockClaim,
  releaseReviewItem,
  type ReviewItemRow,
  setClaim,
} from './review-queue-queries.ts';

/** Returns how many posts wait for a moderator, in total and by cause, each up to `maxReviewCount`. */
export async function readReviewCounts(db: Reader): Promise<ReviewCounts> {
  const counts = await countReviewItems(db);
  const sum = counts.reduce((total, { count }) => total + count, 0);
  return { open: Math.min(sum, maxReviewCount), causes: counts };
}

/** Takes a post out of the review queue, if it is there. */
export async function removeFromReviewQueue(tx: Tx, post: PostRef): Promise<void> {
  if (await deleteReviewItem(tx, post)) await leaveReviewQueue(tx);
}

/** Posts per page. */
const pageSize = 20;

/** Returns posts that wait for a moderator, most reports first, then the latest. */
export async function readReviewQueue(
  db: Reader,
  { cause, cursor }: { cause?: ReviewCause | undefined; cursor?: string | undefined },
): Promise<ReviewQueue> {
  const position = decodeCursor(cursor);
  const afterCursor = position === null ? null : { openReports: position.after, id: position.id };
  const rows = await listReviewItems(db, { cause: cause ?? null, afterCursor, limit: pageSize + 1 });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({ after: row.open_reports, id: row.id }));
  const estimates = await estimatePosts(
    db,
    items.map((row) => ({ kind: row.post_kind, id: row.post_id })),
  );
  return {
    items: items.map((row, index) =>
      toReviewItem(row, row.tag_proposal === null ? (estimates[index] ?? null) : null),
    ),
    nextCursor,
  };
}

/**
 * Claims a post of the review queue for `reviewClaimMinutes`, so that other moderators leave it alone. Claiming it again
 * prolongs the claim.
 * @throws ProblemError 'already-handled' if the post no longer waits, or if another moderator works on it and `takeOver`
 * is false
 */
export async function claimItem(
  db: Database,
  { id, moderator, takeOver }: { id: number; moderator: Moderator; takeOver: boolean },
): Promise<void> {
  await transaction(db, async (tx) => {
    const claim = await lockClaim(tx, { column: 'id', id });
    if (claim === undefined) throw new ProblemError('handled-already');
    if (!takeOver) refuseOthersClaim(claim, moderator);
    await setClaim(tx, { id, moderatorId: moderator.id });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

/**
 * Ends the moderator's own claim, if there is one.
 * @throws ProblemError 'already-handled' if the post no longer waits
 */
export async function releaseItem(
  db: Database,
  { id, moderator }: { id: number; moderator: Moderator },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await releaseReviewItem(tx, { id, moderatorId: moderator.id })))
      throw new ProblemError('handled-already');
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

/** @throws ProblemError 'already-handled' if another moderator works on the post */
export function refuseOthersClaim(
  { claimed_by: id, claimed_by_name: name }: Claim,
  moderator: Moderator,
): void {
  if (id !== null && id !== moderator.id)
    throw new ProblemError('claimed-by-moderator', { params: { name: name ?? '' } });
}

/** PostgreSQL writes times of JSON in another format. */
function toTagProposal(proposal: TagProposal): TagProposal {
  const questions = proposal.questions.map((question) => ({
    ...question,
    createdAt: new Date(question.createdAt).toISOString(),
  }));
  return { ...proposal, questions };
}

function toReviewItem(row: ReviewItemRow, spamEstimate: SpamEstimate | null): ReviewItem {
  return {
    id: row.id,
    cause: row.cause,
    kind: row.post_kind,
    postId: row.post_id,
    questionId: row.question_id,
    title: row.title,
    content: row.content,
    authorId: row.author_id,
    authorName: row.author_name,
    author:
      row.author === null
        ? null
        : { ...row.author, registeredAt: new Date(row.author.registeredAt).toISOString() },
    createdAt: row.created_at.toISOString(),
    editedAt: row.edited_at?.toISOString() ?? null,
    held: row.held,
    reportsCount: row.open_reports,
    firstAt: row.waiting_since.toISOString(),
    reasons: row.reasons,
    notes: row.notes,
    matchedRules: row.matched_rules ?? [],
    spamEstimate,
    locked: row.locked,
    tagProposal: row.tag_proposal && toTagProposal(row.tag_proposal),
    objection: row.objection === null ? null : { text: row.objection, reason: row.removal_reason ?? '' },
    claim:
      row.claimed_by === null || row.claimed_until === null
        ? null
        : {
            memberId: row.claimed_by,
            name: row.claimed_by_name ?? '',
            until: row.claimed_until.toISOString(),
          },
  };
}
