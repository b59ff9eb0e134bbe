/**
 * What becomes of the rows that name a member when they leave:
 * - at once: in the transaction in which they leave; everything that could let somebody in.
 * - soon: bit by bit, by the job that follows.
 * - counted: likewise, with the counts that hang on them kept right.
 * - posts: as the member chose.
 * - stays: it says nothing about who it was.
 */
type DeletionStage = 'at once' | 'soon' | 'counted' | 'posts' | 'stays';

/** Every column that refers to a member, as `table.column`; a test finds one that is missing. */
export const memberColumns: Readonly<Record<string, DeletionStage>> = {
  'account.member_id': 'at once',
  'account_token.member_id': 'at once',
  'passkey.member_id': 'at once',
  'two_factor.member_id': 'at once',
  'push_subscription.member_id': 'at once',
  'session.member_id': 'at once',
  'registration.member_id': 'at once',
  'bookmark.member_id': 'soon',
  'bookmark_list.member_id': 'soon',
  'draft.member_id': 'soon',
  'idempotency_key.member_id': 'soon',
  'email_schedule.member_id': 'soon',
  'member_last_write.member_id': 'soon',
  'moderator_message.member_id': 'soon',
  'notification.recipient_id': 'soon',
  'notification_preference.member_id': 'soon',
  'question_follow.member_id': 'soon',
  'question_mute.member_id': 'soon',
  'tag_mute.member_id': 'soon',
  'tag_follow.member_id': 'counted',
  'question_view.member_id': 'counted',
  'hidden_post.author_id': 'posts',
  'question.author_id': 'posts',
  'answer.author_id': 'posts',
  'reply.author_id': 'posts',
  // What others were told: it names its sender as posts do.
  'notification.sender_id': 'stays',
  // Judgements on what others wrote, whose points they have; docs/decisions/030.
  'vote.member_id': 'stays',
  // Sums of what they wrote, which go with it.
  'member_daily_statistics.member_id': 'stays',
  'member_statistics.member_id': 'stays',
  // What they said of posts, and what operators did: decided by then, or still to be.
  'report.member_id': 'stays',
  'activity_removal.member_id': 'stays',
  'security_event.member_id': 'stays',
  'account_deletion.member_id': 'stays',
};

export type MemberColumn = { table: string; column: string };

export function listMemberColumns(fate: DeletionStage): MemberColumn[] {
  return Object.entries(memberColumns)
    .filter(([, each]) => each === fate)
    .map(([name]) => {
      const [table = '', column = ''] = name.split('.');
      return { table, column };
    });
}
