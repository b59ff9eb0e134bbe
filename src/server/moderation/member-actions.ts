import { getMemberSuspension } from '#server/identity/accounts.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { ModeratedMember, MemberAction, MemberActionDraft } from '#shared/moderation/moderation.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import {
  type ModeratedMemberRow,
  lockModeratedMember,
  findModeratedMember,
  setSuspension,
} from './member-actions-queries.ts';
import { insertModeratorMessage } from './moderator-messages-queries.ts';
import type { Moderator } from './moderator.ts';
import {
  startActivityRestoration,
  startActivityRemoval,
  getLatestActivityRemoval,
} from './activity-removal.ts';

/** What is to follow in the same transaction: a mail to the member, and the work of undoing. */
export type ModerationDeps = {
  queueEmail: ((tx: Tx, notice: EmailedMessage) => Promise<void>) | undefined;
  queueWork: ((tx: Tx) => Promise<void>) | undefined;
};

export type EmailedMessage = {
  id: number;
  memberId: number;
  kind: 'warning' | 'suspension';
  reason: string;
  until: Date | null;
};

type MemberActionContext = {
  moderator: Moderator;
  draft: MemberActionDraft;
  member: ModeratedMemberRow;
  deps: ModerationDeps;
};

/**
 * Warns or suspends a member, lifts that, undoes everything their account did, or takes that back; written down with the
 * reason.
 * @throws ProblemError 'not-found', 'not-allowed' for operators, 'invalid', 'done-meanwhile'
 */
export async function actOnMember(
  db: Database,
  { moderator, draft, deps }: { moderator: Moderator; draft: MemberActionDraft; deps: ModerationDeps },
): Promise<void> {
  const { action, memberId, reason } = draft;
  if (reason === '') throw invalidFieldError('reason', 'Say why in a few words');
  await transaction(db, async (tx) => {
    const member = await lockModeratedMember(tx, memberId);
    if (member === undefined) throw new ProblemError('not-found', 'User not found');
    if (member.role === 'operator')
      throw new ProblemError(
        'not-allowed',
        'Operators answer to whoever runs this Parley, not to each other.',
      );
    const before = await actionHandlers[action](tx, { moderator, draft, member, deps });
    await insertLogEntry(tx, { moderatorId: moderator.id, action, reason, post: null, memberId, before });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'standing-changed' } },
      { topic: 'care', event: { kind: 'care-changed' } },
    ]);
  });
}

/** Each gives how it was before. */
const actionHandlers: Readonly<
  Record<MemberAction, (tx: Tx, step: MemberActionContext) => Promise<Record<string, string | number | null>>>
> = {
  warn: async (tx, { draft, member, deps }) => {
    await sendModeratorMessage(tx, deps, {
      memberId: member.id,
      kind: 'warning',
      reason: draft.reason,
      until: null,
    });
    return { warnings: member.warnings };
  },
  suspend: async (tx, { draft, member, deps }) => {
    const until = draft.until === null ? null : new Date(draft.until);
    if (until === null || until.getTime() <= databaseNowMs())
      throw invalidFieldError('until', 'Name a time that is still to come.');
    await setSuspension(tx, { memberId: member.id, until, reason: draft.reason });
    await sendModeratorMessage(tx, deps, {
      memberId: member.id,
      kind: 'suspension',
      reason: draft.reason,
      until,
    });
    return toSuspensionEntry(member);
  },
  lift: async (tx, { member }) => {
    if (getMemberSuspension(member) === null)
      throw new ProblemError('done-meanwhile', 'This member is not suspended any more.');
    await setSuspension(tx, { memberId: member.id, until: null, reason: null });
    return toSuspensionEntry(member);
  },
  undo: async (tx, { moderator, draft, member, deps }) => {
    const activityRemovalId = await startActivityRemoval(tx, {
      memberId: member.id,
      operatorId: moderator.id,
      reason: draft.reason,
    });
    await deps.queueWork?.(tx);
    return { undoingId: activityRemovalId };
  },
  undo_undo: async (tx, { member, deps }) => {
    const activityRemovalId = await startActivityRestoration(tx, member.id);
    await deps.queueWork?.(tx);
    return { undoingId: activityRemovalId };
  },
};

/** A member as operators see them. @throws ProblemError 'not-found' */
export async function readModeratedMember(db: Reader, id: number): Promise<ModeratedMember> {
  const member = await findModeratedMember(db, id);
  if (member === undefined) throw new ProblemError('not-found', 'User not found');
  return {
    id,
    displayName: member.name,
    role: member.role,
    suspended: getMemberSuspension(member),
    warnings: member.warnings,
    hiddenPosts: member.hidden_posts,
    activityRemoval: await getLatestActivityRemoval(db, id),
  };
}

async function sendModeratorMessage(
  tx: Tx,
  { queueEmail }: ModerationDeps,
  message: Omit<EmailedMessage, 'id'>,
): Promise<void> {
  const id = await insertModeratorMessage(tx, { ...message, title: null });
  await queueEmail?.(tx, { ...message, id });
}

const toSuspensionEntry = (member: ModeratedMemberRow) => ({
  suspendedUntil: member.suspended_until?.toISOString() ?? null,
  suspendedFor: member.suspension_reason,
});
