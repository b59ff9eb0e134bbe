import { removeAvatarOf } from '#server/posts/index.ts';
import { getMemberSuspension } from '#server/identity/index.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { canModerate } from '#shared/identity/roles.ts';
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

/** Work that belongs to the same transaction: an email to the member, and the job that removes activity. */
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
 * Warns or suspends a member, lifts a suspension, removes the avatar, removes all activity of an account or restores
 * it. Writes the action and its reason to the moderation log.
 * @throws ProblemError 'not-found', 'not-allowed' for moderators, 'invalid', 'already-handled'
 */
export async function actOnMember(
  db: Database,
  { moderator, draft, deps }: { moderator: Moderator; draft: MemberActionDraft; deps: ModerationDeps },
): Promise<void> {
  const { action, memberId, reason } = draft;
  if (reason === '') throw invalidFieldError('reason', 'reason-required');
  await transaction(db, async (tx) => {
    const member = await lockModeratedMember(tx, memberId);
    if (member === undefined) throw new ProblemError('user-not-found');
    if (canModerate(member.role)) throw new ProblemError('member-is-moderator');
    const before = await actionHandlers[action](tx, { moderator, draft, member, deps });
    await insertLogEntry(tx, { moderatorId: moderator.id, action, reason, post: null, memberId, before });
    await publishAll(tx, [
      { topic: `member:${memberId}`, event: { kind: 'member-status-changed' } },
      { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ]);
  });
}

/** Each handler returns the state before the action, for the log. */
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
      throw invalidFieldError('until', 'suspension-end-past');
    // Another moderator may have suspended them meanwhile, for longer.
    if (getMemberSuspension(member) !== null) throw new ProblemError('already-suspended');
    await setSuspension(tx, { memberId: member.id, until, reason: draft.reason });
    await sendModeratorMessage(tx, deps, {
      memberId: member.id,
      kind: 'suspension',
      reason: draft.reason,
      until,
    });
    return toSuspensionEntry(member);
  },
  lift_suspension: async (tx, { member }) => {
    if (getMemberSuspension(member) === null) throw new ProblemError('not-suspended');
    await setSuspension(tx, { memberId: member.id, until: null, reason: null });
    return toSuspensionEntry(member);
  },
  remove_avatar: async (tx, { member }) => {
    if (!(await removeAvatarOf(tx, member.id))) throw new ProblemError('no-avatar');
    return {};
  },
  remove_activity: async (tx, { moderator, draft, member, deps }) => {
    const activityRemovalId = await startActivityRemoval(tx, {
      memberId: member.id,
      moderatorId: moderator.id,
      reason: draft.reason,
    });
    await deps.queueWork?.(tx);
    return { activityRemovalId };
  },
  restore_activity: async (tx, { member, deps }) => {
    const activityRemovalId = await startActivityRestoration(tx, member.id);
    await deps.queueWork?.(tx);
    return { activityRemovalId };
  },
};

/**
 * Returns a member as moderators see them. Only admins see the email address.
 * @throws ProblemError 'not-found'
 */
export async function readModeratedMember(
  db: Reader,
  { id, moderator }: { id: number; moderator: Moderator },
): Promise<ModeratedMember> {
  const member = await findModeratedMember(db, id);
  if (member === undefined) throw new ProblemError('user-not-found');
  const isAdmin = moderator.memberStatus.role === 'admin';
  return {
    id,
    displayName: member.name,
    avatar: member.avatar,
    role: member.role,
    suspended: getMemberSuspension(member),
    warnings: member.warnings,
    hiddenPosts: member.hidden_posts,
    activityRemoval: await getLatestActivityRemoval(db, id),
    invitedBy: member.invited_by,
    invitationNote: member.invitation_note,
    email: isAdmin ? member.email : null,
    emailConfirmed: member.email_verified,
    emailsOff:
      member.email_off_at === null
        ? null
        : {
            since: member.email_off_at.toISOString(),
            // The words of a mail server can contain the address.
            reason: isAdmin ? member.email_off_reason : null,
          },
    canSignIn: member.email !== null,
    registeredAt: member.created_at.toISOString(),
    pendingStep: member.pending_step,
    application: member.application,
    refusalReason: member.application === 'refused' ? member.refusal_reason : '',
    signUpAnswers: member.sign_up_answers,
    reputation: Math.max(0, member.reputation),
    questions: member.questions_count,
    answers: member.answers_count,
    signInMethods: member.sign_in_methods,
    merge: member.merge,
  };
}

async function sendModeratorMessage(
  tx: Tx,
  { queueEmail }: ModerationDeps,
  message: Omit<EmailedMessage, 'id'>,
): Promise<void> {
  const id = await insertModeratorMessage(tx, { ...message, title: null, questionId: null });
  await queueEmail?.(tx, { ...message, id });
}

const toSuspensionEntry = (member: ModeratedMemberRow) => ({
  suspendedUntil: member.suspended_until?.toISOString() ?? null,
  suspendedFor: member.suspension_reason,
});
