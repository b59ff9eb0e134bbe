/**
 * The kinds of notifications (docs/product.md 12.3), each with its `type` in the API and its English message. The server
 * renders the message for emails, push and the API; the browser renders its translation (`notification.<kind>` in the
 * catalogues). The parameters are the sender's name and the title of the question.
 */
export const notificationKinds = {
  answer: { type: 'answer', message: '{name} answered your question "{title}"' },
  followed_answer: { type: 'other', message: '{name} answered a question you follow: "{title}"' },
  reply_to_question: { type: 'reply', message: '{name} replied to your question "{title}"' },
  reply_to_answer: { type: 'reply', message: '{name} replied to your answer' },
  reply_to_reply: { type: 'reply', message: '{name} replied to your reply' },
  vote_question: { type: 'vote', message: '{name} upvoted your question "{title}"' },
  vote_answer: { type: 'vote', message: '{name} upvoted your answer' },
  vote_reply: { type: 'vote', message: '{name} upvoted your reply' },
  accepted: { type: 'other', message: '{name} accepted your answer to "{title}"' },
  accepted_followed: {
    type: 'other',
    message: '{name} accepted an answer to a question you follow: "{title}"',
  },
  mention: { type: 'other', message: '{name} mentioned you in "{title}"' },
} as const;

export type NotificationKind = keyof typeof notificationKinds;

/** The English message of a notification. */
export function renderNotification(kind: NotificationKind, name: string, title: string): string {
  return notificationKinds[kind].message.replace(/\{(name|title)\}/gu, (_, parameter) =>
    parameter === 'name' ? name : title,
  );
}
