import { sql } from 'kysely';
import type { Role } from '#shared/identity/roles.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { type Database, type Queryable, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publish, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import {
  isQueueKind,
  listQueueKinds,
  type NotificationKind,
  notificationKinds,
  type QueueKind,
  renderNotification,
} from '#shared/notifications/notification-kinds.ts';
import type { Notification, NotificationFilter, Notifications } from '#shared/notifications/notifications.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { NotificationCategory } from '#shared/notifications/preferences.ts';
import {
  buildInsertNotifications,
  clearDelivery,
  countUnread,
  deleteNotificationsOf,
  type DeliveryChannel,
  insertFollowerNotifications,
  insertQueueNotifications,
  insertMentionNotifications,
  insertNotifications,
  insertNotificationsAndFollowers,
  markAllRead,
  markRead,
  markQueueNotificationsRead,
  type NotificationDraft,
  deleteNotificationsOfKinds,
  type EndingQueueKind,
  type NotificationRow,
  selectNotifications,
  clearUnwantedDeliveries,
  selectPendingNotifications,
} from './notifications-queries.ts';

/** A new answer: whom it notifies. */
export type AnswerNotifications = {
  question: AuthoredPost;
  answerId: number;
  senderId: number;
  mentioned: readonly number[];
};

/**
 * Notifies of answers: the question's author, the mentioned members and the question's followers, each once, by the
 * first of these reasons, without the sender (docs/product.md 12.1). A statement for a CTE: pass the CTE to
 * `selectNotifiedEvents`.
 */
export function insertAnswerNotifications(answers: readonly AnswerNotifications[]) {
  const all = answers.map(({ question, answerId, senderId, mentioned: memberIds }) => ({
    base: { senderId, questionId: question.id, answerId, replyId: null },
    authorId: question.author_id,
    memberIds,
  }));
  const authors = all.flatMap(({ base, authorId }) =>
    authorId === null ? [] : [{ recipientId: authorId, draft: { ...base, kind: 'answer' as const } }],
  );
  const mentioned = all.flatMap(({ base, memberIds }) =>
    memberIds.map((recipientId) => ({ recipientId, draft: { ...base, kind: 'mention' as const } })),
  );
  const followed = all.map(({ base, authorId }) => ({
    draft: { ...base, kind: 'followed_answer' as const },
    except: authorId,
  }));
  return insertNotificationsAndFollowers([...authors, ...mentioned], followed);
}

/** A post and its author. Null if the author is unknown. */
export type AuthoredPost = { id: number; author_id: number | null };

/**
 * Notifies of a reply: the author of the parent reply, the author of the answer (or of the question, for a comment) and
 * the mentioned members. Each member is notified once, by the first of these reasons.
 */
export async function notifyOfReply(
  tx: Tx,
  reply: {
    replyId: number;
    senderId: number;
    questionId: number;
    answerId: number | null;
    parentAuthorId: number | null;
    repliedPostAuthorId: number | null;
    mentioned: readonly number[];
  },
): Promise<TopicEvent[]> {
  const { replyId, senderId, questionId, answerId, parentAuthorId, repliedPostAuthorId, mentioned } = reply;
  const base = { senderId, questionId, answerId, replyId };
  // A member who wrote both posts is notified as the author of the reply.
  const kindByAuthor = new Map<number | null, NotificationKind>([
    [repliedPostAuthorId, answerId === null ? 'reply_to_question' : 'reply_to_answer'],
    [parentAuthorId, 'reply_to_reply'],
  ]);
  const drafts = [...kindByAuthor].flatMap(([recipientId, kind]) =>
    recipientId === null ? [] : [{ recipientId, draft: { ...base, kind } }],
  );
  return [
    ...toNotifiedEvents(await insertNotifications(tx, drafts)),
    ...(await notifyOfMentions(tx, { ...base, mentioned })),
  ];
}

/**
 * Notifies the mentioned members, up to the limit per post, without the sender and members already notified of the same
 * post. `answerId` and `replyId` identify the post as in notifications.
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
  post: { author_id: number | null; question_id: number; answer_id: number | null; reply_id: number | null };
  senderId: number;
};

/**
 * Notifies authors of upvotes. Downvotes send nothing, and switching a vote back and forth sends one notification. A
 * statement for a CTE: pass the CTE to `selectNotifiedEvents`.
 */
export function insertUpvoteNotifications(votes: readonly UpvoteNotification[]) {
  const drafts = votes.flatMap(({ kind, post, senderId }) => {
    const { author_id: recipientId, question_id: questionId, answer_id: answerId, reply_id: replyId } = post;
    const draft = { kind: `vote_${kind}` as const, senderId, questionId, answerId, replyId };
    return recipientId === null ? [] : [{ recipientId, draft }];
  });
  return buildInsertNotifications(drafts) ?? sql`select null::bigint as recipient_id where false`;
}

/**
 * The events for members who were notified by the same statement, for `publishWithChanges`.
 * @param notified a CTE with the column recipient_id
 */
export const selectNotifiedEvents = (notified: string) => sql`
  select distinct 'member:' || recipient_id as topic, '{"kind": "notified"}'::jsonb as event from ${sql.table(notified)}`;

/**
 * Notifies one member unless they muted the question or caused the notification themselves. Returns the events to
 * publish.
 */
export async function notifyMember(
  tx: Tx,
  notification: { recipientId: number; draft: NotificationDraft },
): Promise<TopicEvent[]> {
  return toNotifiedEvents(await insertNotifications(tx, [notification]));
}

/**
 * Notifies the followers of a question, except for the sender, `except` and members who muted it. Returns the events
 * to publish.
 */
export async function notifyFollowers(
  tx: Tx,
  notification: { draft: NotificationDraft; except: number | null },
): Promise<TopicEvent[]> {
  return toNotifiedEvents(await insertFollowerNotifications(tx, [notification]));
}

/** Minutes between two notifications of a moderator about a queue, if it was empty in between, and if not. */
const queuePauseMinutes = { emptied: 10, open: 4 * 60 } as const;

/**
 * Notifies the moderators of what waits in a queue, or the admins that a web hook was switched off, once for many.
 * Returns the events to publish.
 * @param isFirst whether the queue was empty
 * @param except the moderator who caused it, if any
 */
export async function notifyOfQueue(
  tx: Tx,
  { kind, isFirst, except }: { kind: QueueKind; isFirst: boolean; except: number | null },
): Promise<TopicEvent[]> {
  const minutes = isFirst ? queuePauseMinutes.emptied : queuePauseMinutes.open;
  return toNotifiedEvents(await insertQueueNotifications(tx, { kind, except, minutes }));
}

/** Ends the notifications of `notifyOfQueue` if nothing waits any longer. Returns the events to publish. */
export async function endQueueNotifications(tx: Tx, kind: EndingQueueKind): Promise<TopicEvent[]> {
  const memberIds = await markQueueNotificationsRead(tx, kind);
  return memberIds.map((id) => ({ topic: `member:${id}`, event: { kind: 'notifications-changed' } }));
}

/** Deletes the notifications of queues that a member with this new role does not see. Returns the events to publish. */
export async function deleteQueueNotifications(
  tx: Tx,
  { memberId, role }: { memberId: number; role: Role },
): Promise<TopicEvent[]> {
  const kinds: Record<Role, QueueKind[]> = {
    member: listQueueKinds(),
    moderator: ['webhook'],
    admin: [],
  };
  if (!(await deleteNotificationsOfKinds(tx, { memberId, kinds: kinds[role] }))) return [];
  return [{ topic: `member:${memberId}`, event: { kind: 'notifications-changed' } }];
}

/**
 * Deletes the notifications of a deleted post and of everything below it (docs/product.md 12.6). Returns the events for
 * members who had not read them.
 */
export async function deletePostNotifications(
  tx: Tx,
  post: { kind: PostKind; id: number },
): Promise<TopicEvent[]> {
  const memberIds = await deleteNotificationsOf(tx, post);
  return memberIds.map((id) => ({ topic: `member:${id}`, event: { kind: 'notifications-changed' } }));
}

/** Notifications per page. */
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

/**
 * Marks one notification read. A repetition changes nothing.
 * @throws ProblemError 'not-found' if it belongs to another member
 */
export async function markNotificationRead(
  db: Database,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await markRead(tx, { id, memberId: viewer.id }))) throw new ProblemError('notification-not-found');
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

/** A notification that is pending for an email or push. */
export type PendingNotification = Pick<Notification, 'id' | 'link' | 'title'> & {
  category: NotificationCategory;
  kind: NotificationKind;
  /** Of the sender. */
  name: string;
  /** The new post that the notification is about. Null if it is about something else, such as a vote. */
  post: { kind: PostKind; id: number } | null;
};

const kindsAboutNewPosts: ReadonlySet<NotificationKind> = new Set([
  'answer',
  'followed_answer',
  'reply_to_question',
  'reply_to_answer',
  'reply_to_reply',
  'mention',
]);

function getNewPost(row: NotificationRow): PendingNotification['post'] {
  if (!kindsAboutNewPosts.has(row.kind)) return null;
  if (row.reply_id !== null) return { kind: 'reply', id: row.reply_id };
  if (row.answer_id !== null) return { kind: 'answer', id: row.answer_id };
  return row.question_id === null ? null : { kind: 'question', id: row.question_id };
}

/**
 * The newest unread notifications that are pending in one channel. `pending`: the ids of all of them. One with a lower id
 * can be committed later.
 */
export async function listPendingNotifications(
  db: Queryable,
  wanted: { memberId: number; channel: DeliveryChannel; limit: number },
): Promise<{ items: PendingNotification[]; pending: readonly number[] }> {
  await clearUnwantedDeliveries(db, wanted);
  const rows = await selectPendingNotifications(db, wanted);
  const items = rows.map((row) => {
    const { id, kind, title, sender_name: name } = row;
    const { category } = notificationKinds[kind];
    return { id, link: getDestination(row).link, kind, name, title, category, post: getNewPost(row) };
  });
  return { items, pending: rows[0]?.pending ?? [] };
}

/** Marks notifications as delivered in one channel. */
export async function markDelivered(
  db: Queryable,
  delivered: { memberId: number; channel: DeliveryChannel; ids: readonly number[] },
): Promise<void> {
  await clearDelivery(db, delivered);
}

/**
 * Cancels instant emails and pushes while the member looks at a page that shows the notifications. They stay unread in
 * the inbox; digests are for members who chose them instead of instant emails.
 */
export async function clearInstantDeliveries(db: Database, viewer: Viewer): Promise<void> {
  for (const channel of ['instant', 'push'] as const)
    await clearDelivery(db, { memberId: viewer.id, channel, ids: null });
}

/** Updates the unread count in every tab of the members. */
function toNotifiedEvents(memberIds: Iterable<number>): TopicEvent[] {
  return [...memberIds].map((id) => ({ topic: `member:${id}`, event: { kind: 'notified' } }));
}

function toNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    type: notificationKinds[row.kind].type,
    recipientId: row.recipient_id,
    senderId: row.sender_id,
    senderName: row.sender_name,
    senderAvatar: row.sender_avatar,
    kind: row.kind,
    title: row.title,
    message: renderNotification(row.kind, row.sender_name, row.title),
    ...getDestination(row),
    createdAt: row.created_at.toISOString(),
    read: row.read_at !== null,
    readAt: row.read_at?.toISOString() ?? null,
  };
}

function getDestination(row: NotificationRow): Pick<Notification, 'link' | 'entityId' | 'entityType'> {
  if (row.question_id === null)
    return {
      link: notificationKinds[isQueueKind(row.kind) ? row.kind : 'review'].queue,
      entityId: null,
      entityType: null,
    };
  const suggestionsPath = suggestionLinks[row.kind];
  const page = questionPath(row.question_id, row.title);
  if (row.reply_id !== null)
    return {
      link: suggestionsPath ?? `${page}#reply-${row.reply_id}`,
      entityId: row.reply_id,
      entityType: 'reply',
    };
  if (row.answer_id !== null)
    return {
      link: suggestionsPath ?? `${page}#answer-${row.answer_id}`,
      entityId: row.answer_id,
      entityType: 'answer',
    };
  return { link: suggestionsPath ?? page, entityId: row.question_id, entityType: 'question' };
}

/** The notifications that open a list of suggested edits: what the member can decide, and why an own one was rejected. */
const suggestionLinks: Partial<Record<NotificationKind, string>> = {
  edit_suggested: '/suggested-edits',
  edit_rejected: '/suggested-edits?list=own',
};
