import { z } from 'zod';
import { id, nextCursor, time } from '#shared/core/fields.ts';

export const notificationFilter = z.enum(['all', 'unread']);
export type NotificationFilter = z.infer<typeof notificationFilter>;

/** What a notification tells of (docs/product.md 12). */
export const notificationKind = z.enum([
  'answer',
  'followed_answer',
  'reply_to_question',
  'reply_to_answer',
  'reply_to_reply',
  'vote_question',
  'vote_answer',
  'vote_reply',
  'accepted',
  'accepted_followed',
  'mention',
]);
export type NotificationKind = z.infer<typeof notificationKind>;

export const notification = z.object({
  id,
  type: z.enum(['reply', 'answer', 'vote', 'other']),
  recipientId: id,
  senderId: id,
  senderName: z.string(),
  kind: notificationKind,
  /** The title of the question. */
  title: z.string(),
  /** In English; programs make their own of `kind`, `senderName` and `title`. */
  message: z.string(),
  /** Where it leads: the question with the item in view. */
  link: z.string(),
  entityId: id,
  entityType: z.enum(['question', 'answer', 'reply']),
  createdAt: time,
  read: z.boolean(),
  readAt: time.nullable(),
});
export type Notification = z.infer<typeof notification>;

/** Unread notifications that are counted at most, so that looking at them costs the same however many there are. */
export const maxUnreadCount = 500;

/** Newest first. */
export const notifications = z.object({
  items: z.array(notification),
  /** `unreadCounted` where there are so many or more. */
  unreadCount: z.int().nonnegative().max(maxUnreadCount),
  nextCursor,
});
export type Notifications = z.infer<typeof notifications>;
