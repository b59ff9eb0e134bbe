import { unnamedMember } from '#server/core/sql.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import {
  listQueueKinds,
  type NotificationKind,
  notificationKinds,
  type QueueKind,
} from '#shared/notifications/notification-kinds.ts';
import { maxUnreadCount } from '#shared/notifications/notifications.ts';
import { getDefaultPreference } from '#shared/notifications/preferences.ts';
import { hasMuted, wantsEmail, wantsPush } from './preferences-queries.ts';

/** A notification to insert. The database ignores a duplicate and one about the member's own action. */
export type NotificationDraft = {
  kind: NotificationKind;
  senderId: number;
  questionId: number;
  answerId: number | null;
  replyId: number | null;
};

/**
 * Inserts notifications as their recipients' preferences require: none for a category that is off in the app or for a
 * muted question, each with the email and push that are to be sent about it (docs/product.md 12.7). Returns the
 * recipients.
 * @param wanted a query of recipient_id and the columns of `draftRows`
 * @param order of the insertion, as SQL. Of two notifications of a member about one post, the first is inserted.
 */
const insertWanted = (wanted: RawBuilder<unknown>, order = sql``) => sql<{ recipient_id: number }>`
  insert into notification (
    recipient_id, sender_id, kind, question_id, answer_id, reply_id, pending_email, pending_push
  )
  select wanted.recipient_id, sender_id, kind, question_id, answer_id, reply_id,
    case when chosen.email <> 'off' then (
      -- An address that is not confirmed gets no email.
      select chosen.email from member
      where id = wanted.recipient_id and member.email is not null and email_verified
    ) end,
    coalesce(chosen.push, push_by_default)
      and exists (select from push_subscription where member_id = wanted.recipient_id)
  from (${wanted}) wanted
  left join notification_preference chosen
    on chosen.member_id = wanted.recipient_id and chosen.category = wanted.category
  where coalesce(chosen.in_app, true) and not ${hasMuted(sql`wanted.recipient_id`, sql`wanted.question_id`)}
  ${order}
  on conflict do nothing returning recipient_id`;

/**
 * The drafts as rows, with what their kind means for preferences.
 * @param memberIds a member for each draft, such as its recipient
 */
function draftRows(drafts: readonly NotificationDraft[], memberIds: readonly (number | null)[]) {
  const column = (key: keyof NotificationDraft) => drafts.map((draft) => draft[key]);
  const categories = drafts.map(({ kind }) => notificationKinds[kind].category);
  return sql`unnest(
      ${column('senderId')}::bigint[], ${column('kind')}::text[], ${column('questionId')}::bigint[],
      ${column('answerId')}::bigint[], ${column('replyId')}::bigint[], ${categories}::text[],
      ${categories.map((category) => getDefaultPreference(category).push)}::boolean[], ${[...memberIds]}::bigint[]
    ) with ordinality as draft (
      sender_id, kind, question_id, answer_id, reply_id, category, push_by_default, member_id, position
    )`;
}

const draftColumns = sql`
  draft.sender_id, draft.kind, draft.question_id, draft.answer_id, draft.reply_id, draft.category, draft.push_by_default`;

/** Inserts notifications. Returns the recipients. */
export async function insertNotifications(
  tx: Tx,
  drafts: readonly { recipientId: number; draft: NotificationDraft }[],
): Promise<number[]> {
  const { rows } = (await buildInsertNotifications(drafts)?.execute(tx)) ?? { rows: [] };
  return rows.map((row) => row.recipient_id);
}

/** The same as a query, for a CTE. Undefined if there is no recipient. */
export function buildInsertNotifications(
  drafts: readonly { recipientId: number; draft: NotificationDraft }[],
) {
  const others = drafts.filter(({ recipientId, draft }) => recipientId !== draft.senderId);
  if (others.length === 0) return undefined;
  return insertWanted(sql`
    select draft.member_id as recipient_id, ${draftColumns}
    from ${draftRows(
      others.map(({ draft }) => draft),
      others.map(({ recipientId }) => recipientId),
    )}`);
}

/** A post in a question, and a member who is not notified as a follower of the question. */
export type FollowerNotification = { draft: NotificationDraft; except: number | null };

/** Notifies the followers of questions, without the sender and `except`. Returns the recipients. */
export async function insertFollowerNotifications(tx: Tx, posts: readonly FollowerNotification[]) {
  const { rows } = await insertWanted(sql`${selectFollowers(posts)} order by recipient_id`).execute(tx);
  return rows.map((row) => row.recipient_id);
}

const selectFollowers = (posts: readonly FollowerNotification[]) => sql`
  select follow.member_id as recipient_id, ${draftColumns}, null::bigint as position
  from ${draftRows(
    posts.map(({ draft }) => draft),
    posts.map(({ except }) => except),
  )}
  join question_follow follow on follow.question_id = draft.question_id
  where follow.member_id <> draft.sender_id and follow.member_id is distinct from draft.member_id`;

/**
 * Notifies members of posts, then the followers of the questions, each member once per post, by the first reason in
 * this order. For a CTE.
 */
export function insertNotificationsAndFollowers(
  drafts: readonly { recipientId: number; draft: NotificationDraft }[],
  posts: readonly FollowerNotification[],
) {
  const others = drafts.filter(({ recipientId, draft }) => recipientId !== draft.senderId);
  const wanted = sql`
    select member.id as recipient_id, ${draftColumns}, draft.position
    from ${draftRows(
      others.map(({ draft }) => draft),
      others.map(({ recipientId }) => recipientId),
    )}
    join member on member.id = draft.member_id and application is null
    union all
    ${selectFollowers(posts)}`;
  return insertWanted(wanted, sql`order by wanted.position, wanted.recipient_id`);
}

/**
 * Notifies members of a mention in a post, without the sender, members already notified of this post, and those above
 * the limit per post (over all its edits). Returns the recipients.
 */
export async function insertMentionNotifications(
  tx: Tx,
  { draft, memberIds }: { draft: Omit<NotificationDraft, 'kind'>; memberIds: readonly number[] },
) {
  const { rows } = await insertWanted(sql`
    with notified as materialized (select recipient_id, kind from notification where ${isAboutPost(draft)})
    select member.id as recipient_id, ${draftColumns}
    from ${draftRows(
      memberIds.map(() => ({ ...draft, kind: 'mention' })),
      memberIds,
    )}
    join member on member.id = draft.member_id
    where application is null and member.id <> draft.sender_id and member.id not in (select recipient_id from notified)
      and not ${hasMuted(sql`member.id`, sql`draft.question_id`)}
    order by draft.position
    limit greatest(0, ${sql.lit(serverLimits.mentionsPerPost)} - (select count(*) from notified where kind = 'mention'))`).execute(
    tx,
  );
  return rows.map((row) => row.recipient_id);
}

/** Notifications about the post itself. Matches the unique indexes that allow one per member and post. */
function isAboutPost({ questionId, answerId, replyId }: Omit<NotificationDraft, 'kind'>) {
  if (replyId !== null)
    return sql`reply_id = ${replyId} and kind in ('reply_to_question', 'reply_to_answer', 'reply_to_reply', 'mention')`;
  if (answerId !== null)
    return sql`answer_id = ${answerId} and reply_id is null and kind in ('answer', 'followed_answer', 'mention')`;
  return sql`question_id = ${questionId} and answer_id is null and reply_id is null and kind = 'mention'`;
}

/**
 * Notifies the moderators that something waits in a queue, or only the admins of web hooks: none twice within `minutes`.
 * Returns the recipients.
 */
export async function insertQueueNotifications(
  tx: Tx,
  { kind, except, minutes }: { kind: QueueKind; except: number | null; minutes: number },
): Promise<number[]> {
  const { rows } = await insertWanted(sql`
    select member.id as recipient_id, null::bigint as sender_id, ${kind}::text as kind, null::bigint as question_id,
      null::bigint as answer_id, null::bigint as reply_id, 'moderation' as category,
      ${getDefaultPreference('moderation').push}::boolean as push_by_default
    from member
    where role <> 'member' and (role = 'admin' or ${kind} <> 'webhook') and member.id is distinct from ${except}::bigint
      and not exists (
      select from notification
      where recipient_id = member.id and kind = ${kind}
        and created_at > now() - make_interval(mins => ${minutes})
    )
    order by member.id`).execute(tx);
  return rows.map((row) => row.recipient_id);
}

/** The kinds about queues, separated by commas. */
export const queueKindsInSql = sql.join(listQueueKinds().map((kind) => sql.lit(kind)));

/** Queues whose notifications end when nothing waits. */
export type EndingQueueKind = Exclude<QueueKind, 'webhook'>;

/** What waits in a queue. Each query has an index. */
const waitingRows: Readonly<Record<EndingQueueKind, RawBuilder<unknown>>> = {
  review: sql`select from review_item`,
  application: sql`select from member where application = 'waiting'`,
  profile_claim: sql`select from profile_claim where requested_at is not null and declined_at is null`,
};

/** Marks the notifications about an empty queue read. Returns the members who had an unread one. */
export async function markQueueNotificationsRead(tx: Tx, kind: EndingQueueKind): Promise<number[]> {
  const { rows } = await sql<{ recipient_id: number }>`
    update notification set read_at = now()
    where kind = ${kind} and read_at is null and recipient_id in (select id from member where role <> 'member')
      and not exists (${waitingRows[kind]})
    returning recipient_id`.execute(tx);
  return rows.map((row) => row.recipient_id);
}

/** Returns whether there were some. */
export async function deleteNotificationsOfKinds(
  tx: Tx,
  { memberId, kinds }: { memberId: number; kinds: readonly QueueKind[] },
): Promise<boolean> {
  // Each kind has an index of its own.
  const isOfKind = sql.join([sql`false`, ...kinds.map((kind) => sql`kind = ${sql.lit(kind)}`)], sql` or `);
  const { numAffectedRows = 0n } = await sql`
    delete from notification where recipient_id = ${memberId} and (${isOfKind})`.execute(tx);
  return numAffectedRows > 0n;
}

/**
 * Deletes the notifications of a post and of everything below it. Returns the members for whom one was unread, each
 * once.
 */
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
  /** Null for a queue of moderators, like question_id. */
  sender_id: number | null;
  sender_name: string;
  sender_avatar: string | null;
  kind: NotificationKind;
  question_id: number | null;
  answer_id: number | null;
  reply_id: number | null;
  title: string;
  created_at: Date;
  read_at: Date | null;
};

const postColumns = sql`
  coalesce(question.title, '') as title, sender.avatar as sender_avatar,
  case when sender.id is null then '' else coalesce(sender.display_name, ${unnamedMember}) end as sender_name`;

/** Leaves out notifications about questions that are not visible. */
const joinPost = sql`
  left join question on question.id = notification.question_id
  left join member sender on sender.id = notification.sender_id`;

const isShown = sql`(question.id is not null or kind in (${queueKindsInSql}))`;

/** A page of notifications, newest first, with ids below `before`. */
export async function selectNotifications(
  db: Reader,
  wanted: { memberId: number; unreadOnly: boolean; before: number | null; limit: number },
) {
  const { memberId, unreadOnly, before, limit } = wanted;
  const { rows } = await sql<NotificationRow>`
    select notification.id, recipient_id, sender_id, kind, question_id, answer_id, reply_id,
      notification.created_at, read_at, ${postColumns}
    from notification
    ${joinPost}
    where recipient_id = ${memberId} and ${isShown}
      ${unreadOnly ? sql`and read_at is null` : sql``}
      ${before === null ? sql`` : sql`and notification.id < ${before}`}
    order by notification.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Counts up to `maxUnreadCount`. Served by the partial index notification_unread. */
export async function countUnread(db: Reader, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from notification where recipient_id = ${memberId} and read_at is null
      limit ${sql.lit(maxUnreadCount)}
    ) unread`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The ways to deliver a notification outside of Parley. */
export type DeliveryChannel = 'instant' | 'daily' | 'weekly' | 'push';

/** `pending`: the ids of all pending notifications, in the first row. */
export type PendingNotificationRow = NotificationRow & { pending: number[] | null };

/** Unread notifications that are pending in one channel, newest first. */
export async function selectPendingNotifications(
  db: Queryable,
  { memberId, channel, limit }: { memberId: number; channel: DeliveryChannel; limit: number },
) {
  const { rows } = await sql<PendingNotificationRow>`
    select notification.id, recipient_id, sender_id, kind, question_id, answer_id, reply_id,
      notification.created_at, read_at, ${postColumns},
      case when row_number() over (order by notification.id desc) = 1 then json_agg(notification.id) over () end as pending
    from notification
    ${joinPost}
    where recipient_id = ${memberId} and read_at is null and ${isPendingFor(channel)} and ${isShown}
    order by notification.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Clears the pending delivery in one channel. `ids`: of these notifications; null: of all. */
export async function clearDelivery(
  db: Queryable,
  { memberId, channel, ids }: { memberId: number; channel: DeliveryChannel; ids: readonly number[] | null },
) {
  await sql`
    update notification set ${clearedFor(channel)}
    where recipient_id = ${memberId} and ${isPendingFor(channel)}
      ${ids === null ? sql`` : sql`and id = any(${[...ids]}::bigint[])`}`.execute(db);
}

/**
 * Clears the pending deliveries in one channel that the member no longer wants: those that were inserted with the
 * preferences of before, but committed after the member had changed them or muted the question.
 */
export async function clearUnwantedDeliveries(
  db: Queryable,
  { memberId, channel }: { memberId: number; channel: DeliveryChannel },
) {
  await sql`
    update notification set ${clearedFor(channel)}
    where recipient_id = ${memberId} and ${isPendingFor(channel)} and (
      not ${channel === 'push' ? wantsPush : wantsEmail}
      or ${hasMuted(sql`recipient_id`, sql`notification.question_id`)}
    )`.execute(db);
}

const clearedFor = (channel: DeliveryChannel) =>
  channel === 'push' ? sql`pending_push = false` : sql`pending_email = null`;

const isPendingFor = (channel: DeliveryChannel) =>
  channel === 'push' ? sql`pending_push` : sql`pending_email = ${sql.lit(channel)}`;

/** Returns false if the member has no such notification. */
export async function markRead(tx: Tx, { id, memberId }: { id: number; memberId: number }) {
  const { rows } = await sql`
    update notification set read_at = coalesce(read_at, now())
    where id = ${id} and recipient_id = ${memberId} returning id`.execute(tx);
  return rows.length > 0;
}

/** Marks all up to and including `upTo` read. Those that arrived later stay unread. */
export async function markAllRead(tx: Tx, { memberId, upTo }: { memberId: number; upTo: number | null }) {
  await sql`
    update notification set read_at = now()
    where recipient_id = ${memberId} and read_at is null
      ${upTo === null ? sql`` : sql`and id <= ${upTo}`}`.execute(tx);
}
