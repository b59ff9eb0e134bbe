import type { PostKind } from '#shared/core/fields.ts';
import { type Database, type Queryable, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publish, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type {
  Notification,
  NotificationFilter,
  NotificationKind,
  Notifications,
} from '#shared/notifications/notifications.ts';
import type { NotificationCategory } from '#shared/notifications/preferences.ts';
import {
  buildFollowerNotifications,
  buildInsertNotifications,
  buildMentionNotifications,
  clearDelivery,
  countUnread,
  deleteNotificationsOf,
  type DeliveryChannel,
  insertFollowerNotifications,
  insertMentionNotifications,
  insertNotification,
  markAllRead,
  markRead,
  type NotificationDraft,
  type NotificationRow,
  selectNotifications,
  selectPendingNotifications,
} from './notifications-queries.ts';

/**
 * Tells of answers: the question's author, the members an answer names, and the question's followers; each once, in this
 * order, the sender never (docs/product.md 12.1). As queries, to be run with others, of whose rows `bellsOf` makes what
 * browsers are to be told.
 */
export function buildAnswerNotifications(
  answers: readonly {
    question: AuthoredPost;
    answerId: number;
    senderId: number;
    mentioned: readonly number[];
  }[],
) {
  const all = answers.map(({ question, answerId, senderId, mentioned }) => ({
    base: { senderId, questionId: question.id, answerId, replyId: null },
    authorId: question.author_id,
    mentioned,
  }));
  const authors = buildInsertNotifications(
    all.flatMap(({ base, authorId }) =>
      authorId === null ? [] : [{ recipientId: authorId, news: { ...base, kind: 'answer' as const } }],
    ),
  );
  const mentions = all.flatMap(({ base, mentioned }) =>
    mentioned.length === 0 ? [] : [buildMentionNotifications({ draft: base, memberIds: mentioned })],
  );
  const followers = buildFollowerNotifications(
    all.map(({ base, authorId }) => ({
      news: { ...base, kind: 'followed_answer' as const },
      except: authorId,
    })),
  );
  return [...(authors === undefined ? [] : [authors]), ...mentions, followers];
}

/** A post with its author, who may be unknown. */
export type AuthoredPost = { id: number; author_id: number | null };

/**
 * Tells of a reply: the author of the reply it answers, the author of the answer (or of the question, for a comment) it
 * hangs on, and the members it names. Somebody who is more than one of these hears once, of the first.
 */
export async function notifyOfReply(
  tx: Tx,
  reply: {
    replyId: number;
    senderId: number;
    questionId: number;
    answerId: number | null;
    parentAuthorId: number | null;
    hostAuthorId: number | null;
    mentioned: readonly number[];
  },
): Promise<TopicEvent[]> {
  const { replyId, senderId, questionId, answerId, parentAuthorId, hostAuthorId, mentioned } = reply;
  const base = { senderId, questionId, answerId, replyId };
  const events: TopicEvent[] = [];
  if (parentAuthorId !== null)
    events.push(
      ...(await notifyMember(tx, { recipientId: parentAuthorId, news: { ...base, kind: 'reply_to_reply' } })),
    );
  const kind = answerId === null ? 'reply_to_question' : 'reply_to_answer';
  if (hostAuthorId !== null)
    events.push(...(await notifyMember(tx, { recipientId: hostAuthorId, news: { ...base, kind } })));
  return [...events, ...(await notifyOfMentions(tx, { ...base, mentioned }))];
}

/**
 * Tells the members a post names, the first ones where it names many: never the sender, and nobody who was told of the
 * same post already, by whichever notification. `answerId` and `replyId` name the post as notifications do.
 */
export async function notifyOfMentions(
  tx: Tx,
  post: {
    senderId: number;
    questionId: number;
    answerId: number | null;
    replyId: number | null;
    mentioned: readonly number[];
  },
): Promise<TopicEvent[]> {
  const { mentioned, ...draft } = post;
  return mentioned.length === 0
    ? []
    : toNotifiedEvents(await insertMentionNotifications(tx, { draft, memberIds: mentioned }));
}

export type UpvoteNotification = {
  kind: PostKind;
  authorId: number;
  senderId: number;
  post: { questionId: number; answerId: number | null; replyId: number | null };
};

/**
 * Tells authors of up votes; down votes tell nobody, and switching back and forth tells once. As a query, to be run with
 * others, of whose rows `bellsOf` makes what their browsers are to be told; none where nobody is to hear.
 */
export function buildUpvoteNotifications(votes: readonly UpvoteNotification[]) {
  const query = buildInsertNotifications(
    votes.map(({ kind, authorId, senderId, post }) => ({
      recipientId: authorId,
      news: { kind: `vote_${kind}` as const, senderId, ...post },
    })),
  );
  return query === undefined ? [] : [query];
}

export const createNotifiedEvents = (rows: readonly { recipient_id: number }[]): TopicEvent[] =>
  toNotifiedEvents(new Set(rows.map((row) => row.recipient_id)));

/**
 * Tells the author of an accepted answer, and the followers of the question but that author and the asker; once for each
 * answer, however often the acceptance moves.
 */
export async function notifyOfAcceptance(
  tx: Tx,
  { questionId, answer, senderId }: { questionId: number; answer: AuthoredPost; senderId: number },
): Promise<TopicEvent[]> {
  const base = { senderId, questionId, answerId: answer.id, replyId: null };
  const author =
    answer.author_id === null
      ? []
      : await notifyMember(tx, { recipientId: answer.author_id, news: { ...base, kind: 'accepted' } });
  const draft = { ...base, kind: 'accepted_followed' as const };
  return [
    ...author,
    ...toNotifiedEvents(await insertFollowerNotifications(tx, { news: draft, except: answer.author_id })),
  ];
}

/**
 * A post goes, and what told of it or of anything below it goes along (docs/product.md 12.6). Returns what the browsers
 * of those who had not read it are to be told.
 */
export async function deletePostNotifications(
  tx: Tx,
  post: { kind: PostKind; id: number },
): Promise<TopicEvent[]> {
  const memberIds = await deleteNotificationsOf(tx, post);
  return memberIds.map((id) => ({ topic: `member:${id}`, event: { kind: 'notifications-changed' } }));
}

/** Notifications a page shows. */
const pageSize = 20;

/** The viewer's notifications, newest first. */
export async function readNotifications(
  db: Reader,
  { viewer, filter, cursor }: { viewer: Viewer; filter: NotificationFilter; cursor: string | undefined },
): Promise<Notifications> {
  const [rows, unread] = await Promise.all([
    selectNotifications(db, {
      memberId: viewer.id,
      unreadOnly: filter === 'unread',
      before: decodeCursor(cursor)?.id ?? null,
      limit: pageSize + 1,
    }),
    countUnread(db, viewer.id),
  ]);
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({ after: 0, id: row.id }));
  return { items: items.map(toNotification), unreadCount: unread, nextCursor };
}

/** @throws ProblemError 'not-found' for somebody else's. Reading twice changes nothing. */
export async function markNotificationRead(
  db: Database,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await markRead(tx, { id, memberId: viewer.id })))
      throw new ProblemError('not-found', 'Notification not found');
    await publish(tx, `member:${viewer.id}`, { kind: 'notifications-changed' });
  });
}

/** Marks all of the viewer's notifications read, or those up to `upTo`. */
export async function markNotificationsRead(
  db: Database,
  { viewer, upTo }: { viewer: Viewer; upTo: number | null },
): Promise<void> {
  await transaction(db, async (tx) => {
    await markAllRead(tx, { memberId: viewer.id, upTo });
    await publish(tx, `member:${viewer.id}`, { kind: 'notifications-changed' });
  });
}

/** A notification that waits to be told by mail or push. */
export type PendingNotification = Pick<Notification, 'id' | 'message' | 'link'> & {
  about: NotificationCategory;
};

/** What a member has not read and is still to be told by one way: the newest, and how many there are in all. */
export async function listPendingNotifications(
  db: Queryable,
  wanted: { memberId: number; channel: DeliveryChannel; limit: number },
): Promise<{ items: PendingNotification[]; total: number }> {
  const rows = await selectPendingNotifications(db, wanted);
  const items = rows.map((row) => {
    const { id, message, link } = toNotification(row);
    return { id, message, link, about: row.about };
  });
  return { items, total: rows[0]?.total ?? 0 };
}

/** What waited by one way is told, or need not be told any more. @param upTo null: all of it */
export async function markDelivered(
  db: Queryable,
  delivered: { memberId: number; channel: DeliveryChannel; upTo: number | null },
): Promise<void> {
  await clearDelivery(db, delivered);
}

/**
 * The member looks at a page that shows what is new: nobody calls them there by a mail at once or a push. It stays
 * unread, and in the next digest.
 */
export async function clearInstantDeliveries(db: Database, viewer: Viewer): Promise<void> {
  for (const channel of ['at_once', 'push'] as const)
    await clearDelivery(db, { memberId: viewer.id, channel, upTo: null });
}

async function notifyMember(
  tx: Tx,
  notification: { recipientId: number; news: NotificationDraft },
): Promise<TopicEvent[]> {
  return toNotifiedEvents(await insertNotification(tx, notification));
}

/** Their bells show it at once, in every tab. */
function toNotifiedEvents(memberIds: Iterable<number>): TopicEvent[] {
  return [...memberIds].map((id) => ({ topic: `member:${id}`, event: { kind: 'notified' } }));
}

function toNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    type: notificationTypes[row.kind],
    recipientId: row.recipient_id,
    senderId: row.sender_id,
    senderName: row.sender_name,
    kind: row.kind,
    title: row.title,
    message: messages[row.kind](row.sender_name, row.title),
    ...getDestination(row),
    createdAt: row.created_at.toISOString(),
    read: row.read_at !== null,
    readAt: row.read_at?.toISOString() ?? null,
  };
}

function getDestination(row: NotificationRow): Pick<Notification, 'link' | 'entityId' | 'entityType'> {
  const page = `/question/${row.question_id}`;
  if (row.reply_id !== null)
    return { link: `${page}#reply-${row.reply_id}`, entityId: row.reply_id, entityType: 'reply' };
  if (row.answer_id !== null)
    return { link: `${page}#answer-${row.answer_id}`, entityId: row.answer_id, entityType: 'answer' };
  return { link: page, entityId: row.question_id, entityType: 'question' };
}

const notificationTypes: Readonly<Record<NotificationKind, Notification['type']>> = {
  answer: 'answer',
  followed_answer: 'other',
  reply_to_question: 'reply',
  reply_to_answer: 'reply',
  reply_to_reply: 'reply',
  vote_question: 'vote',
  vote_answer: 'vote',
  vote_reply: 'vote',
  accepted: 'other',
  accepted_followed: 'other',
  mention: 'other',
};

/** docs/product.md 12.3; the names and titles are those of now, not of when it happened. */
const messages: Readonly<Record<NotificationKind, (name: string, title: string) => string>> = {
  answer: (name, title) => `${name} answered your question "${title}"`,
  followed_answer: (name, title) => `${name} answered a question you follow: "${title}"`,
  reply_to_question: (name, title) => `${name} replied to your question "${title}"`,
  reply_to_answer: (name) => `${name} replied to your answer`,
  reply_to_reply: (name) => `${name} replied to your reply`,
  vote_question: (name, title) => `${name} upvoted your question "${title}"`,
  vote_answer: (name) => `${name} upvoted your answer`,
  vote_reply: (name) => `${name} upvoted your reply`,
  accepted: (name, title) => `${name} accepted your answer to "${title}"`,
  accepted_followed: (name, title) => `${name} accepted an answer to a question you follow: "${title}"`,
  mention: (name, title) => `${name} mentioned you in "${title}"`,
};
