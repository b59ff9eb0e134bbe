import { unnamedMember } from '#server/core/sql.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { maxUnreadCount, type NotificationKind } from '#shared/notifications/notifications.ts';
import type { NotificationCategory } from '#shared/notifications/preferences.ts';

/** What a notification tells of; the database drops it when the same was told before, or it is one's own doing. */
export type NotificationDraft = {
  kind: NotificationKind;
  senderId: number;
  questionId: number;
  answerId: number | null;
  replyId: number | null;
};

/** Returns who was told, if anybody: not somebody who muted the question. */
export async function insertNotification(
  tx: Tx,
  { recipientId, news }: { recipientId: number; news: NotificationDraft },
) {
  if (recipientId === news.senderId) return [];
  const { rows } = await sql`
    insert into notification (recipient_id, sender_id, kind, question_id, answer_id, reply_id)
    select ${recipientId}, ${news.senderId}, ${news.kind}, ${news.questionId}, ${news.answerId}, ${news.replyId}
    where not exists (
      select 1 from question_mute where question_id = ${news.questionId} and member_id = ${recipientId}
    )
    on conflict do nothing returning id`.execute(tx);
  return rows.length > 0 ? [recipientId] : [];
}

/** The same for many, to be run with others; undefined where nobody is to be told. */
export function buildInsertNotifications(
  drafts: readonly { recipientId: number; news: NotificationDraft }[],
) {
  const others = drafts.filter(({ recipientId, news }) => recipientId !== news.senderId);
  if (others.length === 0) return undefined;
  const column = (key: keyof NotificationDraft) => others.map(({ news }) => news[key]);
  return sql<{ recipient_id: number }>`
    insert into notification (recipient_id, sender_id, kind, question_id, answer_id, reply_id)
    select wanted.* from unnest(
      ${others.map(({ recipientId }) => recipientId)}::bigint[], ${column('senderId')}::bigint[],
      ${column('kind')}::text[], ${column('questionId')}::bigint[], ${column('answerId')}::bigint[],
      ${column('replyId')}::bigint[]
    ) as wanted (recipient_id, sender_id, kind, question_id, answer_id, reply_id)
    where not exists (
      select 1 from question_mute mute
      where mute.question_id = wanted.question_id and mute.member_id = wanted.recipient_id
    )
    on conflict do nothing returning recipient_id`;
}

/**
 * One for each follower of the question but the sender and `except`, who is told otherwise, and those who muted it.
 * Returns them.
 */
export async function insertFollowerNotifications(
  tx: Tx,
  { news, except }: { news: NotificationDraft; except: number | null },
) {
  const { rows } = await sql<{ recipient_id: number }>`
    insert into notification (recipient_id, sender_id, kind, question_id, answer_id)
    select member_id, ${news.senderId}, ${news.kind}, ${news.questionId}, ${news.answerId}
    from question_follow
    where question_id = ${news.questionId} and member_id <> ${news.senderId}
      and member_id is distinct from ${except}
      and not exists (
        select 1 from question_mute mute
        where mute.question_id = ${news.questionId} and mute.member_id = question_follow.member_id
      )
    order by member_id
    on conflict do nothing returning recipient_id`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

/** The same for answers to several questions, to be run with others. */
export function buildFollowerNotifications(
  answers: readonly { news: NotificationDraft; except: number | null }[],
) {
  const column = (key: keyof NotificationDraft) => answers.map(({ news }) => news[key]);
  return sql<{ recipient_id: number }>`
    insert into notification (recipient_id, sender_id, kind, question_id, answer_id)
    select follow.member_id, news.sender_id, news.kind, news.question_id, news.answer_id
    from unnest(
      ${column('senderId')}::bigint[], ${column('kind')}::text[], ${column('questionId')}::bigint[],
      ${column('answerId')}::bigint[], ${answers.map(({ except }) => except)}::bigint[]
    ) as news (sender_id, kind, question_id, answer_id, except_id)
    join question_follow follow on follow.question_id = news.question_id
    where follow.member_id <> news.sender_id and follow.member_id is distinct from news.except_id
      and not exists (
        select 1 from question_mute mute
        where mute.question_id = news.question_id and mute.member_id = follow.member_id
      )
    order by news.answer_id, follow.member_id
    on conflict do nothing returning recipient_id`;
}

/** Who can be told of a mention in one post at most, however often it is edited. */
const maxMentionsPerPost = sql.lit(10);

/**
 * Tells members that a post names them, but for the sender, those who were told of the same post already, and whoever is
 * beyond the number that is told of one post. Returns who was told.
 */
export async function insertMentionNotifications(tx: Tx, mentioned: MentionedMembers) {
  const { rows } = await buildMentionNotifications(mentioned).execute(tx);
  return rows.map((row) => row.recipient_id);
}

type MentionedMembers = { draft: Omit<NotificationDraft, 'kind'>; memberIds: readonly number[] };

/** The same, to be run with others. */
export function buildMentionNotifications({ draft, memberIds }: MentionedMembers) {
  const { senderId, questionId, answerId, replyId } = draft;
  return sql<{ recipient_id: number }>`
    with told as materialized (select recipient_id, kind from notification where ${isAboutPost(draft)})
    insert into notification (recipient_id, sender_id, kind, question_id, answer_id, reply_id)
    select member.id, ${senderId}, 'mention', ${questionId}, ${answerId}, ${replyId}
    from unnest(${[...memberIds]}::bigint[]) with ordinality as wanted (id, place)
    join member on member.id = wanted.id
    where member.id <> ${senderId} and member.id not in (select recipient_id from told)
      and not exists (
        select 1 from question_mute mute where mute.question_id = ${questionId} and mute.member_id = member.id
      )
    order by wanted.place
    limit greatest(0, ${maxMentionsPerPost} - (select count(*) from told where kind = 'mention'))
    on conflict do nothing returning recipient_id`;
}

/** What tells of a post itself, as the unique indexes have it that let each member be told once. */
function isAboutPost({ questionId, answerId, replyId }: Omit<NotificationDraft, 'kind'>) {
  if (replyId !== null)
    return sql`reply_id = ${replyId} and kind in ('reply_to_question', 'reply_to_answer', 'reply_to_reply', 'mention')`;
  if (answerId !== null)
    return sql`answer_id = ${answerId} and reply_id is null and kind in ('answer', 'followed_answer', 'mention')`;
  return sql`question_id = ${questionId} and answer_id is null and reply_id is null and kind = 'mention'`;
}

/** Deletes what told of a post or of anything below it. Returns whose was still unread, each once. */
export async function deleteNotificationsOf(tx: Tx, { kind, id }: { kind: PostKind; id: number }) {
  const { rows } = await sql<{ recipient_id: number }>`
    with gone as (
      delete from notification where ${sql.ref(`${kind}_id`)} = ${id} returning recipient_id, read_at
    )
    select distinct recipient_id from gone where read_at is null order by recipient_id`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

export type NotificationRow = {
  id: number;
  recipient_id: number;
  sender_id: number;
  sender_name: string;
  kind: NotificationKind;
  question_id: number;
  answer_id: number | null;
  reply_id: number | null;
  title: string;
  created_at: Date;
  read_at: Date | null;
};

/** Newest first, behind the id `before`. */
export async function selectNotifications(
  db: Reader,
  wanted: { memberId: number; unreadOnly: boolean; before: number | null; limit: number },
) {
  const { memberId, unreadOnly, before, limit } = wanted;
  const { rows } = await sql<NotificationRow>`
    select notification.id, recipient_id, sender_id, kind, question_id, answer_id, reply_id,
      notification.created_at, read_at, question.title,
      coalesce(sender.display_name, ${unnamedMember}) as sender_name
    from notification
    join question on question.id = notification.question_id
    join member sender on sender.id = notification.sender_id
    where recipient_id = ${memberId}
      ${unreadOnly ? sql`and read_at is null` : sql``}
      ${before === null ? sql`` : sql`and notification.id < ${before}`}
    order by notification.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Counts no further than `unreadCounted`; in the index notification_unread, of unread ones alone. */
export async function countUnread(db: Reader, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from notification where recipient_id = ${memberId} and read_at is null
      limit ${sql.lit(maxUnreadCount)}
    ) unread`.execute(db);
  return rows[0]?.count ?? 0;
}

/** How a notification may wait to be told, beside the app. */
export type DeliveryChannel = 'at_once' | 'daily' | 'weekly' | 'push';

export type PendingNotificationRow = NotificationRow & { about: NotificationCategory; total: number };

/** What waits to be told by one way and is unread, newest first. Each row knows how many there are in all. */
export async function selectPendingNotifications(
  db: Queryable,
  { memberId, channel, limit }: { memberId: number; channel: DeliveryChannel; limit: number },
) {
  const { rows } = await sql<PendingNotificationRow>`
    select notification.id, recipient_id, sender_id, kind, question_id, answer_id, reply_id,
      notification.created_at, read_at, question.title,
      coalesce(sender.display_name, ${unnamedMember}) as sender_name,
      coalesce(notification_category(kind), 'replies') as about, count(*) over () as total
    from notification
    join question on question.id = notification.question_id
    join member sender on sender.id = notification.sender_id
    where recipient_id = ${memberId} and read_at is null and ${isPendingFor(channel)}
    order by notification.id desc limit ${limit}`.execute(db);
  return rows;
}

/** What waited by one way, up to and with an id, waits no more. */
export async function clearDelivery(
  db: Queryable,
  { memberId, channel, upTo }: { memberId: number; channel: DeliveryChannel; upTo: number | null },
) {
  await sql`
    update notification set ${channel === 'push' ? sql`pending_push = false` : sql`pending_email = null`}
    where recipient_id = ${memberId} and ${isPendingFor(channel)}
      ${upTo === null ? sql`` : sql`and id <= ${upTo}`}`.execute(db);
}

const isPendingFor = (channel: DeliveryChannel) =>
  channel === 'push' ? sql`pending_push` : sql`pending_email = ${sql.lit(channel)}`;

/** Returns false when the member has no such notification. */
export async function markRead(tx: Tx, { id, memberId }: { id: number; memberId: number }) {
  const { rows } = await sql`
    update notification set read_at = coalesce(read_at, now())
    where id = ${id} and recipient_id = ${memberId} returning id`.execute(tx);
  return rows.length > 0;
}

/** Marks those up to and with `upTo` read: what arrived since the member looked stays unread. */
export async function markAllRead(tx: Tx, { memberId, upTo }: { memberId: number; upTo: number | null }) {
  await sql`
    update notification set read_at = now()
    where recipient_id = ${memberId} and read_at is null
      ${upTo === null ? sql`` : sql`and id <= ${upTo}`}`.execute(tx);
}
