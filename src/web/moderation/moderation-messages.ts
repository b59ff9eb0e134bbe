import { t } from '@lingui/core/macro';
import type {
  ModerationAction,
  PostRef,
  ReportReason,
  MemberAction,
  PostAction,
} from '#shared/moderation/moderation.ts';

/** Why a post is flagged, as one chooses it. */
export const reportReasons = (): readonly (readonly [ReportReason, string])[] => [
  ['spam', t`Spam or advertising`],
  ['rude', t`Rude or hurtful`],
  ['off_topic', t`Off topic`],
  ['duplicate', t`Asked before`],
  ['other', t`Something else`],
];

export const reportReasonLabel = (reason: ReportReason): string =>
  reportReasons().find(([each]) => each === reason)?.[1] ?? reason;

/** What can be done, as a button says it. */
export const actionLabels: Readonly<Record<PostAction | MemberAction, () => string>> = {
  dismiss: () => t`Dismiss the flags`,
  hide: () => t`Hide`,
  delete: () => t`Delete`,
  restore: () => t`Bring back`,
  lock: () => t`Lock the question`,
  unlock: () => t`Unlock the question`,
  duplicate: () => t`Mark as asked before`,
  not_duplicate: () => t`Not asked before after all`,
  warn: () => t`Warn`,
  suspend: () => t`Suspend`,
  lift: () => t`End the suspension`,
  undo: () => t`Undo everything they did`,
  undo_undo: () => t`Bring back everything they did`,
};

/** What it means, for whoever is about to do it. */
export const actionDescriptions: Readonly<Record<PostAction | MemberAction, () => string>> = {
  dismiss: () => t`The post stays as it is.`,
  hide: () => t`Nobody sees it but its author and operators, until it is brought back.`,
  delete: () => t`Nobody sees it but operators. It can be brought back for 30 days.`,
  restore: () => t`It comes back with its votes, answers and replies.`,
  lock: () => t`Nobody can answer, reply, vote or edit there.`,
  unlock: () => t`Everybody can write there again.`,
  duplicate: () => t`The question leads to the one that was asked before. Its answers stay.`,
  not_duplicate: () => t`The question stands for itself again.`,
  warn: () => t`The member sees the reason, here and by mail.`,
  suspend: () => t`The member can read but not write. They see the reason and the time.`,
  lift: () => t`The member can write again.`,
  undo: () => t`Hides all their posts and takes back all their votes. It can be undone.`,
  undo_undo: () => t`Their posts and votes come back.`,
};

/** What was done to a post of a kind, or about a member, as the log says it. */
export function logEntryText(action: ModerationAction, kind: PostRef['kind'] | null): string {
  switch (action) {
    case 'dismiss':
      return t`Flags dismissed`;
    case 'hide':
      return kind === 'question'
        ? t`Question hidden`
        : kind === 'answer'
          ? t`Answer hidden`
          : t`Reply hidden`;
    case 'delete':
      return kind === 'question'
        ? t`Question deleted by an operator`
        : kind === 'answer'
          ? t`Answer deleted by an operator`
          : t`Reply deleted by an operator`;
    case 'restore':
      return kind === 'question'
        ? t`Question brought back`
        : kind === 'answer'
          ? t`Answer brought back`
          : t`Reply brought back`;
    case 'lock':
      return t`Question locked`;
    case 'unlock':
      return t`Question unlocked`;
    case 'duplicate':
      return t`Question marked as asked before`;
    case 'not_duplicate':
      return t`Question no longer marked as asked before`;
    case 'warn':
      return t`Member warned`;
    case 'suspend':
      return t`Member suspended`;
    case 'lift':
      return t`Suspension ended`;
    case 'undo':
      return t`Everything that one account did was undone`;
    case 'undo_undo':
      return t`Everything that one account did was brought back`;
    case 'purge':
      return t`Gone for good, 30 days after it was deleted`;
    case 'approve':
      return t`Accounts approved`;
    case 'remove_activity':
      return t`All activity of several accounts removed`;
    case 'restore_activity':
      return t`All activity of several accounts restored`;
    case 'role':
      return t`Role changed on the command line`;
  }
}
