/**
 * When the rows that refer to a member are deleted after the member deletes their account:
 * - immediate: in the same transaction; everything that gives access to the account.
 * - deferred: in batches, by the job that follows.
 * - recounted: likewise, and the counts and the review queue that depend on them are updated.
 * - posts: as the member chose.
 * - retained: never, because the rows do not identify the member. Some have a time limit of their own.
 */
type DeletionStage = 'immediate' | 'deferred' | 'recounted' | 'posts' | 'retained';

/** Every column that refers to a member, as `table.column`. A test finds missing ones. */
export const memberColumns: Readonly<Record<string, DeletionStage>> = {
  'account.member_id': 'immediate',
  'email_link.member_id': 'immediate',
  'email_bounce.member_id': 'immediate',
  'passkey.member_id': 'immediate',
  'api_token.member_id': 'immediate',
  'service_account.member_id': 'immediate',
  'two_factor.member_id': 'immediate',
  'webhook_delivery.member_id': 'immediate',
  'push_subscription.member_id': 'immediate',
  'session.member_id': 'immediate',
  'sign_in.member_id': 'immediate',
  'member_note.member_id': 'immediate',
  'invited_member.member_id': 'immediate',
  'sign_up_answer.member_id': 'immediate',
  'membership_application.member_id': 'immediate',
  'profile_claim.member_id': 'immediate',
  'profile_claim.profile_id': 'immediate',
  'imported_identity.member_id': 'immediate',
  'imported_badge.member_id': 'deferred',
  'bookmark.member_id': 'deferred',
  'bookmark_list.member_id': 'deferred',
  'draft.member_id': 'deferred',
  'idempotency_key.member_id': 'deferred',
  'email_schedule.member_id': 'deferred',
  'member_last_write.member_id': 'deferred',
  'moderator_message.member_id': 'deferred',
  'held_post.member_id': 'recounted',
  'close_vote.member_id': 'deferred',
  // The versions of posts name the editor as posts name their author.
  'edit_suggestion.member_id': 'retained',
  'edit_suggestion.post_author_id': 'retained',
  'edit_suggestion.decided_by': 'retained',
  'revision.imported_editor_id': 'retained',
  'revision.imported_approver_id': 'retained',
  // A proposal belongs to its question.
  'tag_proposal_question.member_id': 'retained',
  'tag_proposal.decided_by': 'retained',
  'question_closer.member_id': 'retained',
  'base_notification.recipient_id': 'deferred',
  'notification_preference.member_id': 'deferred',
  'question_follow.member_id': 'deferred',
  'question_mute.member_id': 'deferred',
  'tag_mute.member_id': 'deferred',
  'tag_follow.member_id': 'recounted',
  'question_view.member_id': 'recounted',
  'upload.member_id': 'posts',
  'hidden_post.author_id': 'posts',
  'base_question.author_id': 'posts',
  'base_answer.author_id': 'posts',
  'base_reply.author_id': 'posts',
  // A notification names its sender as a post names its author.
  'base_notification.sender_id': 'retained',
  // The network, for 30 days, so that the limits per network also count deleted accounts, whose posts and votes stay.
  'registration.member_id': 'retained',
  // Votes on posts of others, who keep the points; docs/decisions/030.
  'vote.member_id': 'retained',
  // Statistics of the member's posts, which change when these are deleted.
  'member_daily_statistics.member_id': 'retained',
  'member_statistics.member_id': 'retained',
  // Reports and moderation actions stay until they are decided, and for the log.
  'report.member_id': 'retained',
  'report.author_id': 'retained',
  'activity_removal.member_id': 'retained',
  // What a moderator noted on other members is of the community.
  'member_note.author_id': 'retained',
  // A claim ends within minutes.
  'review_item.claimed_by': 'retained',
  'membership_application.claimed_by': 'retained',
  'membership_application.refused_by': 'retained',
  // Members who joined with the invitation have it too.
  'invitation.created_by': 'retained',
  'security_event.member_id': 'retained',
  'account_deletion.member_id': 'retained',
  // The rows of merged accounts name no member.
  'account_merge.member_id': 'retained',
  'account_merge.into_id': 'retained',
};

export type MemberColumn = { table: string; column: string };

export function listMemberColumns(stage: DeletionStage): MemberColumn[] {
  return Object.entries(memberColumns)
    .filter(([, each]) => each === stage)
    .map(([name]) => {
      const [table = '', column = ''] = name.split('.');
      return { table, column };
    });
}
