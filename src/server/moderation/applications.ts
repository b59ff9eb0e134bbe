import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish, publishAll } from '#server/core/events.ts';
import { type AccountEmails, approveAccounts, lockApplication } from '#server/identity/index.ts';
import { endQueueNotifications } from '#server/notifications/index.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { Application, ApplicationDecision, Applications } from '#shared/moderation/applications.ts';
import {
  type ApplicationRow,
  countApplications,
  endApplicationClaim,
  findApplicationClaim,
  listApplications,
  setApplicationClaim,
  setApproved,
  setRefused,
} from './applications-queries.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import type { Moderator } from './moderator.ts';
import { refuseOthersClaim } from './review-queue.ts';

/** Accounts per page. */
const pageSize = 20;

/** Returns the accounts that wait, the oldest first, or those that were refused, the latest first. */
export async function readApplications(
  db: Reader,
  { status, cursor }: { status: ApplicationStatus; cursor: string | undefined },
): Promise<Applications> {
  const afterId = decodeCursor(cursor)?.id ?? null;
  const rows = await listApplications(db, { status, afterId, limit: pageSize + 1 });
  const { items, nextCursor } = paginate(rows, pageSize, ({ id }) => ({ after: 0, id }));
  return { items: items.map(toApplication), nextCursor };
}

/** Returns how many accounts wait, up to `maxReviewCount`. */
export async function readApplicationCount(db: Reader): Promise<{ waiting: number }> {
  return { waiting: await countApplications(db) };
}

/**
 * Approves an account, also one that was refused, or refuses one that waits. Each account is decided once: of two
 * moderators at the same time, the second gets an error.
 * @throws ProblemError 'already-handled' if it no longer waits, or if another moderator has claimed it; 'invalid' to
 * refuse without a reason
 */
export async function decideApplication(
  db: Database,
  {
    memberId,
    moderator,
    draft: { decision, reason },
    emails,
  }: {
    memberId: number;
    moderator: Moderator;
    draft: ApplicationDecision;
    emails: AccountEmails | undefined;
  },
): Promise<void> {
  if (decision === 'refuse' && reason === '') throw invalidFieldError('reason', 'reason-required');
  await transaction(db, async (tx) => {
    const status = await lockApplication(tx, memberId);
    if (status === null || (decision === 'refuse' && status === 'refused'))
      throw new ProblemError('handled-already');
    refuseOthersClaim(await findApplicationClaim(tx, memberId), moderator);
    if (decision === 'approve') await approveApplicant(tx, memberId);
    else await setRefused(tx, { memberId, moderatorId: moderator.id, reason });
    await insertLogEntry(tx, {
      moderatorId: moderator.id,
      action: decision === 'approve' ? 'approve_account' : 'refuse_account',
      // Every member can read the log. The reason is for the applicant.
      reason: '',
      post: null,
      memberId,
      before: { application: status },
    });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'member-status-changed' } },
      { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ]);
    await publishAll(tx, await endQueueNotifications(tx, 'application'));
    await emails?.sendApplicationDecision(tx, { memberId, decision, reason });
  });
}

/**
 * Makes an account that waits, or was refused, a member's. A moderator or admin has looked at it, so it need not do more
 * before it can post. The account must be locked.
 */
export async function approveApplicant(tx: Tx, memberId: number): Promise<void> {
  await setApproved(tx, memberId);
  await approveAccounts(tx, [memberId]);
}

/**
 * Claims an account for `reviewClaimMinutes`, so that other moderators leave it alone. Claiming it again prolongs the
 * claim.
 * @throws ProblemError 'already-handled' if it no longer waits, or if another moderator has claimed it and `takeOver` is
 * false
 */
export async function claimApplication(
  db: Database,
  { memberId, moderator, takeOver }: { memberId: number; moderator: Moderator; takeOver: boolean },
): Promise<void> {
  await transaction(db, async (tx) => {
    if ((await lockApplication(tx, memberId)) !== 'waiting') throw new ProblemError('handled-already');
    if (!takeOver) refuseOthersClaim(await findApplicationClaim(tx, memberId), moderator);
    await setApplicationClaim(tx, { memberId, moderatorId: moderator.id });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

/**
 * Ends the moderator's own claim, if there is one.
 * @throws ProblemError 'already-handled' if the account no longer waits
 */
export async function releaseApplication(
  db: Database,
  { memberId, moderator }: { memberId: number; moderator: Moderator },
): Promise<void> {
  await transaction(db, async (tx) => {
    if ((await lockApplication(tx, memberId)) !== 'waiting') throw new ProblemError('handled-already');
    await endApplicationClaim(tx, { memberId, moderatorId: moderator.id });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

function toApplication(row: ApplicationRow): Application {
  const { claimedBy, claimedByName, claimedUntil, refusedAt, refusedByName, reason, ...shown } = row;
  return {
    ...shown,
    appliedAt: row.appliedAt.toISOString(),
    claim:
      claimedBy === null || claimedUntil === null
        ? null
        : { memberId: claimedBy, name: claimedByName ?? '', until: claimedUntil.toISOString() },
    refusal:
      refusedAt === null ? null : { name: refusedByName, at: refusedAt.toISOString(), reason: reason ?? '' },
  };
}
