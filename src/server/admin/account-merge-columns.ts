/**
 * What a merge does with the rows that refer to the merged account:
 * - removed: deleted when the merge starts; whatever gives access to the account, and its preferences.
 * - moved: all rows get the other account.
 * - unlessTaken: moved, unless the other account has a row for the same thing.
 * - step: a step of its own, because counts or rules depend on them (account-merge-steps.ts).
 * - retained: nothing.
 */
type MergeStage = 'removed' | 'moved' | 'unlessTaken' | 'step' | 'retained';

/** Every column that refers to a member, as `table.column`. A test finds missing ones. */
export const mergeColumns: Readonly<Record<string, MergeStage>> = {
  'account.member_id': 'removed',
  'email_link.member_id': 'removed',
  'email_bounce.member_id': 'removed',
  'passkey.member_id': 'removed',
  'api_token.member_id': 'removed',
  // Service accounts are not merged.
  'service_account.member_id': 'removed',
  'webhook_delivery.member_id': 'removed',
  'two_factor.member_id': 'removed',
  'push_subscription.member_id': 'removed',
  'session.member_id': 'removed',
  'registration.member_id': 'removed',
  'email_schedule.member_id': 'removed',
  'notification_preference.member_id': 'removed',
  'idempotency_key.member_id': 'removed',
  'member_last_write.member_id': 'removed',
  'moderator_message.member_id': 'moved',
  'held_post.member_id': 'moved',
  'imported_badge.member_id': 'moved',
  'security_event.member_id': 'moved',
  'sign_in.member_id': 'moved',
  'member_note.member_id': 'moved',
  'member_note.author_id': 'moved',
  'invitation.created_by': 'moved',
  'report.author_id': 'moved',
  // Only those that were restored: a merge does not start while activity is removed.
  'activity_removal.member_id': 'moved',
  'edit_suggestion.post_author_id': 'moved',
  'edit_suggestion.decided_by': 'moved',
  'revision.imported_editor_id': 'moved',
  'revision.imported_approver_id': 'moved',
  'tag_proposal_question.member_id': 'moved',
  'tag_proposal.decided_by': 'moved',
  'close_vote.member_id': 'unlessTaken',
  'question_closer.member_id': 'unlessTaken',
  'question_follow.member_id': 'unlessTaken',
  'question_mute.member_id': 'unlessTaken',
  'draft.member_id': 'unlessTaken',
  'invited_member.member_id': 'unlessTaken',
  'base_question.author_id': 'step',
  'base_answer.author_id': 'step',
  'base_reply.author_id': 'step',
  'hidden_post.author_id': 'step',
  'base_notification.recipient_id': 'step',
  'base_notification.sender_id': 'step',
  'vote.member_id': 'step',
  'question_view.member_id': 'step',
  'tag_follow.member_id': 'step',
  'tag_mute.member_id': 'step',
  'bookmark.member_id': 'step',
  'bookmark_list.member_id': 'step',
  'report.member_id': 'step',
  'edit_suggestion.member_id': 'step',
  'upload.member_id': 'step',
  // Changed with the posts; what stays adds up to zero.
  'member_daily_statistics.member_id': 'retained',
  'member_statistics.member_id': 'retained',
  // Claims end within minutes.
  'review_item.claimed_by': 'retained',
  'membership_application.claimed_by': 'retained',
  // Only accounts of members are merged.
  'membership_application.member_id': 'removed',
  'profile_claim.member_id': 'removed',
  'profile_claim.profile_id': 'removed',
  'imported_identity.member_id': 'removed',
  'membership_application.refused_by': 'moved',
  'sign_up_answer.member_id': 'removed',
  // An account that is being deleted cannot be merged.
  'account_deletion.member_id': 'retained',
  'account_merge.member_id': 'retained',
  'account_merge.into_id': 'retained',
};

export type MergeColumn = { table: string; column: string };

export function listMergeColumns(stage: MergeStage): MergeColumn[] {
  return Object.entries(mergeColumns)
    .filter(([, each]) => each === stage)
    .map(([name]) => {
      const [table = '', column = ''] = name.split('.');
      return { table, column };
    });
}

/** The columns besides the member of the tables in the stage `unlessTaken`. */
export const copiedColumns: Readonly<Record<string, readonly string[]>> = {
  question_follow: ['question_id', 'created_at', 'question_created_at'],
  question_mute: ['question_id', 'created_at'],
  close_vote: ['question_id', 'duplicate_of', 'created_at'],
  question_closer: ['question_id'],
  draft: [
    'target',
    'version',
    'idempotency_key',
    'fields',
    'ended',
    'posted_hash',
    'client_id',
    'sequence',
    'updated_at',
  ],
  invited_member: ['invitation_id'],
};
