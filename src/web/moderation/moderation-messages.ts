import { plural, t } from '@lingui/core/macro';
import type {
  ModerationAction,
  ReportReason,
  ReviewCause,
  MemberAction,
  PostAction,
} from '#shared/moderation/moderation.ts';
import type { MatchedRule } from '#shared/moderation/spam.ts';
import type { Role } from '#shared/identity/roles.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** The reasons for a report, as options. */
export const reportReasons = (): readonly (readonly [ReportReason, string])[] => [
  ['spam', t`Spam or advertising`],
  ['rude', t`Rude or abusive`],
  ['off_topic', t`Off topic`],
  ['duplicate', t`Duplicate`],
  ['other', t`Something else`],
];

export const reportReasonLabel = (reason: ReportReason): string =>
  reportReasons().find(([each]) => each === reason)?.[1] ?? reason;

/** Why a post waits for review. */
export const causeLabels: Readonly<Record<ReviewCause, () => string>> = {
  report: () => t`Reports`,
  spam_rule: () => t`Spam rules`,
  first_post: () => t`First posts`,
  links: () => t`Links of new members`,
  objection: () => t`Objections`,
  tag_proposal: () => t`Proposed topics`,
};

/** What a post matched. */
export const matchedRuleLabels: Readonly<Record<MatchedRule['rule'], (value: string) => string>> = {
  word: (value) => t`Blocked word: ${value}`,
  domain: (value) => t`Blocked domain: ${value}`,
  links: (value) => plural(Number(value), { one: '# link', other: '# links' }),
  speed: (value) =>
    plural(Number(value), { one: '# post in a short time', other: '# posts in a short time' }),
  probability: (value) => t`Spam probability when it was written: ${value}%`,
};

/** A feature of a post that the spam estimate is based on. */
export function describeSpamToken(token: string): string {
  const at = token.indexOf(':');
  const [feature, value] = [token.slice(0, at), token.slice(at + 1)];
  if (feature === 'links')
    return value === '4' ? t`4 or more links` : plural(Number(value), { one: '# link', other: '# links' });
  if (feature === 'account') return accountAges[value]?.() ?? value;
  if (feature === 'posts')
    return value === '0'
      ? t`First post`
      : t`Earlier posts: ${value === '10' ? '10+' : value === '3' ? '3–9' : '1–2'}`;
  if (feature === 'kind')
    return value === 'question' || value === 'answer' || value === 'reply' ? postKindLabels[value]() : value;
  return value;
}

const accountAges: Readonly<Record<string, () => string>> = {
  hour: () => t`Account younger than an hour`,
  day: () => t`Account younger than a day`,
  month: () => t`Account younger than 30 days`,
  older: () => t`Account older than 30 days`,
};

export const postKindLabels: Readonly<Record<PostRef['kind'], () => string>> = {
  question: () => t`Question`,
  answer: () => t`Answer`,
  reply: () => t`Reply or comment`,
};

export const roleLabels: Readonly<Record<Role, () => string>> = {
  member: () => t`Member`,
  moderator: () => t`Moderator`,
  admin: () => t`Admin`,
};

/** What a role allows. */
export const roleDescriptions: Readonly<Record<Role, () => string>> = {
  member: () => t`Asks, answers, votes and reports.`,
  moderator: () => t`Handles reports, hides posts, and warns or suspends members.`,
  admin: () => t`Changes site settings and roles, and does everything that moderators do.`,
};

/** The button labels of the actions. */
export const actionLabels: Readonly<Record<PostAction | MemberAction, () => string>> = {
  dismiss: () => t`Dismiss reports`,
  approve: () => t`Approve`,
  reject: () => t`Reject`,
  hide: () => t`Hide`,
  delete: () => t`Delete`,
  spam: () => t`Delete as spam`,
  decline_objection: () => t`Decline objection`,
  restore: () => t`Restore`,
  lock: () => t`Lock question`,
  unlock: () => t`Unlock question`,
  duplicate: () => t`Mark as duplicate`,
  not_duplicate: () => t`Not a duplicate`,
  warn: () => t`Warn`,
  suspend: () => t`Suspend`,
  lift_suspension: () => t`End suspension`,
  remove_avatar: () => t`Remove picture`,
  remove_activity: () => t`Remove all activity`,
  restore_activity: () => t`Restore all activity`,
};

/** What each action does, for the moderator who is about to perform it. */
export const actionDescriptions: Readonly<Record<PostAction | MemberAction, () => string>> = {
  dismiss: () => t`The post stays unchanged.`,
  approve: () => t`Everyone sees the post, and it leaves the review queue.`,
  reject: () => t`The post is not shown. The author sees the reason, and can read the text for 30 days.`,
  hide: () => t`Only the author and moderators can see the post until it is restored.`,
  delete: () => t`Only moderators can see the post. It can be restored for 30 days.`,
  spam: () => t`Only moderators can see the post. It can be restored for 30 days.`,
  decline_objection: () => t`The post stays removed. The author sees your reason and cannot object again.`,
  restore: () => t`Restores the post with its votes, answers and replies.`,
  lock: () => t`Stops new answers, replies, votes and edits.`,
  unlock: () => t`Allows answers, replies, votes and edits again.`,
  duplicate: () => t`Links this question to the original. Its answers stay.`,
  not_duplicate: () => t`Removes the link to the original question.`,
  warn: () => t`The member sees the reason here and by email.`,
  suspend: () => t`The member can read but not post. They see the reason and the end date.`,
  lift_suspension: () => t`The member can post again.`,
  remove_avatar: () => t`Deletes the profile picture. This cannot be undone.`,
  remove_activity: () => t`Hides all posts and removes all votes of this member. This can be undone.`,
  restore_activity: () => t`Restores all posts and votes of this member.`,
};

/** The text of an action in the moderation log. */
export function logEntryText(action: ModerationAction, kind: PostRef['kind'] | null): string {
  switch (action) {
    case 'decline_objection':
      return t`Objection declined`;
    case 'dismiss':
      return t`Reports dismissed`;
    case 'reject':
      return t`Post rejected`;
    case 'hide':
      return kind === 'question'
        ? t`Question hidden`
        : kind === 'answer'
          ? t`Answer hidden`
          : t`Reply hidden`;
    case 'delete':
      return kind === 'question'
        ? t`Question deleted by a moderator`
        : kind === 'answer'
          ? t`Answer deleted by a moderator`
          : t`Reply deleted by a moderator`;
    case 'restore':
      return kind === 'question'
        ? t`Question restored`
        : kind === 'answer'
          ? t`Answer restored`
          : t`Reply restored`;
    case 'lock':
      return t`Question locked`;
    case 'unlock':
      return t`Question unlocked`;
    case 'duplicate':
      return t`Question marked as duplicate`;
    case 'not_duplicate':
      return t`Question no longer marked as duplicate`;
    case 'warn':
      return t`Member warned`;
    case 'suspend':
      return t`Member suspended`;
    case 'lift_suspension':
      return t`Suspension ended`;
    case 'remove_avatar':
      return t`Profile picture removed`;
    case 'remove_activity':
      return t`All activity of an account removed`;
    case 'restore_activity':
      return t`All activity of an account restored`;
    case 'purge':
      return t`Permanently deleted after 30 days`;
    case 'approve':
      return kind === null ? t`Accounts approved` : t`Post approved`;
    case 'bulk_remove_activity':
      return t`All activity of several accounts removed`;
    case 'bulk_restore_activity':
      return t`All activity of several accounts restored`;
    case 'approve_edit':
      return t`Suggested edit approved`;
    case 'reject_edit':
      return t`Suggested edit rejected`;
    case 'approve_tag':
      return t`Proposed topic approved`;
    case 'reject_tag':
      return t`Proposed topic rejected`;
    case 'tag_texts':
      return t`Topic described`;
    case 'tag_synonym':
      return t`Other name of a topic changed`;
    case 'tag_merge':
      return t`Topic merged`;
    case 'tag_rename':
      return t`Topic renamed`;
    case 'announce':
      return t`Announcement posted`;
    case 'end_announcement':
      return t`Announcement ended`;
    case 'pin':
      return t`Question pinned`;
    case 'unpin':
      return t`Question unpinned`;
    case 'role':
      return t`Role changed`;
    case 'merge_account':
      return t`Accounts merged`;
    case 'reset_two_factor':
      return t`Two-factor authentication reset`;
    case 'approve_account':
      return t`Account approved`;
    case 'refuse_account':
      return t`Account refused`;
    case 'add_sign_in_provider':
      return t`Sign-in provider added`;
    case 'change_sign_in_provider':
      return t`Sign-in provider changed`;
    case 'delete_sign_in_provider':
      return t`Sign-in provider deleted`;
    case 'order_sign_in_providers':
      return t`Order of sign-in providers changed`;
    case 'add_webhook':
      return t`Web hook added`;
    case 'change_webhook':
      return t`Web hook changed`;
    case 'replace_webhook_secret':
      return t`Secret of a web hook replaced`;
    case 'delete_webhook':
      return t`Web hook deleted`;
    case 'add_service_account':
      return t`Service account created`;
    case 'change_service_account':
      return t`Service account changed`;
    case 'delete_service_account':
      return t`Service account deleted`;
    case 'add_service_account_token':
      return t`API token of a service account created`;
    case 'revoke_service_account_token':
      return t`API token of a service account revoked`;
    case 'setting':
      return t`Site setting changed`;
  }
}
