import { z } from 'zod';
import { type NotificationKind, notificationKinds } from './notification-kinds.ts';
import { avatar, id, nextCursor, time } from '#shared/core/fields.ts';

export const notificationFilter = z.enum(['all', 'unread']);
export type NotificationFilter = z.infer<typeof notificationFilter>;

const kinds = Object.keys(notificationKinds) as [NotificationKind, ...NotificationKind[]];
export const notificationKind = z.enum(kinds);

export const notification = z.object({
  id,
  type: z.enum(['reply', 'answer', 'vote', 'other']),
  recipientId: id,
  /** Null for a queue of moderators, which no member sends. */
  senderId: id.nullable(),
  senderName: z.string(),
  senderAvatar: avatar,
  kind: notificationKind,
  /** The title of the question; empty for a queue of moderators. */
  title: z.string(),
  /** In English. Programs can build their own text from `kind`, `senderName` and `title`. */
  message: z.string(),
  /** The link to the question, which scrolls to the post, or to the queue. */
  link: z.string(),
  /** The post; null for a queue of moderators, to which `link` leads. */
  entityId: id.nullable(),
  entityType: z.enum(['question', 'answer', 'reply']).nullable(),
  createdAt: time,
  read: z.boolean(),
  readAt: time.nullable(),
});
export type Notification = z.infer<typeof notification>;

/** Unread notifications counted at most, so that the cost is bounded. */
export const maxUnreadCount = 500;

/** Newest first. */
export const notifications = z.object({
  items: z.array(notification),
  /** `maxUnreadCount` means this many or more. */
  unreadCount: z.int().nonnegative().max(maxUnreadCount),
  nextCursor,
});
export type Notifications = z.infer<typeof notifications>;
