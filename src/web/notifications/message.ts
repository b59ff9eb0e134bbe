import { t } from '@lingui/core/macro';
import type { Notification, NotificationKind } from '#shared/notifications.ts';

/** What a notification says (DECISIONS section 6.2), in the language shown. */
export function messageOf({ kind, senderName, title }: Notification): string {
  return messages[kind](senderName, title);
}

const messages: Readonly<Record<NotificationKind, (name: string, title: string) => string>> = {
  answer: (name, title) => t`${name} answered your question "${title}"`,
  followed_answer: (name, title) => t`${name} answered a question you follow: "${title}"`,
  reply_to_question: (name, title) => t`${name} replied to your question "${title}"`,
  reply_to_answer: (name) => t`${name} replied to your answer`,
  reply_to_reply: (name) => t`${name} replied to your reply`,
  vote_question: (name, title) => t`${name} upvoted your question "${title}"`,
  vote_answer: (name) => t`${name} upvoted your answer`,
  vote_reply: (name) => t`${name} upvoted your reply`,
  accepted: (name, title) => t`${name} accepted your answer to "${title}"`,
  accepted_followed: (name, title) => t`${name} accepted an answer to a question you follow: "${title}"`,
  mention: (name, title) => t`${name} mentioned you in "${title}"`,
};
