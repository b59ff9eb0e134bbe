import { z } from 'zod';
import { id, nextCursor, time } from './fields.ts';

export const notificationFilter = z.enum(['all', 'unread']);
export type NotificationFilter = z.infer<typeof notificationFilter>;

export const notification = z.object({
  id,
  type: z.enum(['reply', 'answer', 'vote', 'other']),
  recipientId: id,
  senderId: id,
  senderName: z.string(),
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

/** Newest first. */
export const notifications = z.object({
  items: z.array(notification),
  unreadCount: z.int().nonnegative(),
  nextCursor,
});
export type Notifications = z.infer<typeof notifications>;
