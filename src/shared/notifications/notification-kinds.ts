import type { NotificationCategory } from './preferences.ts';

/**
 * The kinds of notifications (docs/product.md 12.3), each with its `type` in the API, the category of preferences that
 * it follows, and its English message. The server renders the message for emails, push and the API; the browser renders
 * its translation (`notification.<kind>` in the catalogues). The parameters are the sender's name and the title of the
 * question. A kind that moderators or admins get about a queue instead of a question has the page of the queue.
 */
export const notificationKinds = {
  answer: { type: 'answer', category: 'answers', message: '{name} answered your question "{title}"' },
  followed_answer: {
    type: 'other',
    category: 'followed',
    message: '{name} answered a question you follow: "{title}"',
  },
  reply_to_question: {
    type: 'reply',
    category: 'replies',
    message: '{name} replied to your question "{title}"',
  },
  reply_to_answer: { type: 'reply', category: 'replies', message: '{name} replied to your answer' },
  reply_to_reply: { type: 'reply', category: 'replies', message: '{name} replied to your reply' },
  vote_question: { type: 'vote', category: 'votes', message: '{name} upvoted your question "{title}"' },
  vote_answer: { type: 'vote', category: 'votes', message: '{name} upvoted your answer' },
  vote_reply: { type: 'vote', category: 'votes', message: '{name} upvoted your reply' },
  accepted: { type: 'other', category: 'accepted', message: '{name} accepted your answer to "{title}"' },
  accepted_followed: {
    type: 'other',
    category: 'accepted',
    message: '{name} accepted an answer to a question you follow: "{title}"',
  },
  mention: { type: 'other', category: 'mentions', message: '{name} mentioned you in "{title}"' },
  edit_suggested: { type: 'other', category: 'edits', message: '{name} suggested an edit to "{title}"' },
  edit_approved: { type: 'other', category: 'edits', message: '{name} approved your edit to "{title}"' },
  edit_rejected: { type: 'other', category: 'edits', message: '{name} rejected your edit to "{title}"' },
  edited: { type: 'other', category: 'edits', message: '{name} edited your post in "{title}"' },
  review: {
    type: 'other',
    category: 'moderation',
    message: 'Posts are waiting for review',
    queue: '/moderation',
  },
  application: {
    type: 'other',
    category: 'moderation',
    message: 'New accounts are waiting for approval',
    queue: '/moderation/applications',
  },
  profile_claim: {
    type: 'other',
    category: 'moderation',
    message: 'Claims of imported profiles are waiting',
    queue: '/moderation/claims',
  },
  webhook: {
    type: 'other',
    category: 'moderation',
    message: 'A web hook was switched off because its deliveries failed',
    queue: '/admin/webhooks',
  },
} as const satisfies Record<
  string,
  { type: string; category: NotificationCategory; message: string; queue?: string }
>;

export type NotificationKind = keyof typeof notificationKinds;

/** The kinds about a queue. */
export type QueueKind = {
  [Kind in NotificationKind]: (typeof notificationKinds)[Kind] extends { queue: string } ? Kind : never;
}[NotificationKind];

export function isQueueKind(kind: NotificationKind): kind is QueueKind {
  return 'queue' in notificationKinds[kind];
}

/** The kinds about a queue. */
export function listQueueKinds(): QueueKind[] {
  return (Object.keys(notificationKinds) as NotificationKind[]).filter(isQueueKind);
}

/** The kinds that follow the preferences of a category. */
export function listKindsOfCategory(category: NotificationCategory): NotificationKind[] {
  return (Object.keys(notificationKinds) as NotificationKind[]).filter(
    (kind) => notificationKinds[kind].category === category,
  );
}

/** The English message of a notification. */
export function renderNotification(kind: NotificationKind, name: string, title: string): string {
  return notificationKinds[kind].message.replace(/\{(name|title)\}/gu, (_, parameter) =>
    parameter === 'name' ? name : title,
  );
}
