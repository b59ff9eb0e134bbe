import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import { listKindsOfCategory, notificationKinds } from '#shared/notifications/notification-kinds.ts';
import {
  type NotificationCategory,
  type NotificationPreference,
  notificationCategory,
} from '#shared/notifications/preferences.ts';
import { switchEmailOn } from './email-bounces-queries.ts';

/** The preferences that a member has set. */
export async function listPreferences(db: Queryable, memberId: number): Promise<NotificationPreference[]> {
  const { rows } = await sql<NotificationPreference & { category: string }>`
    select category, in_app as "inApp", email, push from notification_preference
    where member_id = ${memberId}`.execute(db);
  return rows.map(({ category, ...row }) => ({ ...row, category: notificationCategory.parse(category) }));
}

/** Locks the preferences of a member against concurrent changes. */
export async function lockPreferences(tx: Tx, memberId: number): Promise<void> {
  await sql`select from member where id = ${memberId} for no key update`.execute(tx);
}

export async function upsertPreference(
  tx: Tx,
  memberId: number,
  choice: NotificationPreference,
): Promise<void> {
  const { category, inApp, email, push } = choice;
  await sql`
    insert into notification_preference (member_id, category, in_app, email, push)
    values (${memberId}, ${category}, ${inApp}, ${email}, ${push})
    on conflict (member_id, category) do update
    set in_app = excluded.in_app, email = excluded.email, push = excluded.push`.execute(tx);
}

const categories = JSON.stringify(
  Object.fromEntries(Object.entries(notificationKinds).map(([kind, { category }]) => [kind, category])),
);

/** SQL: the preference that a row of `notification` follows, if its recipient has set one. More conditions may follow. */
const chosenPreference = sql`
  notification_preference chosen
  where chosen.member_id = recipient_id and chosen.category = ${categories}::jsonb ->> kind`;

/** Clears pending emails of categories that are no longer emailed with this frequency, and pending pushes likewise. */
export async function clearPendingDeliveries(
  tx: Tx,
  memberId: number,
  choice: NotificationPreference,
): Promise<void> {
  const { category, inApp, email, push } = choice;
  await sql`
    update notification set
      pending_email = case when ${inApp} and pending_email = ${email} then pending_email end,
      pending_push = pending_push and ${inApp && push}
    where recipient_id = ${memberId} and (pending_email is not null or pending_push)
      and kind = any(${listKindsOfCategory(category)}::text[])`.execute(tx);
}

/** SQL: whether the member muted the question. */
export const hasMuted = (memberId: RawBuilder<unknown>, questionId: RawBuilder<unknown>) => sql`exists (
  select from question_mute mute where mute.member_id = ${memberId} and mute.question_id = ${questionId}
)`;

/** Clears pending emails and pushes about a question that the member mutes. */
export async function clearDeliveriesOfQuestion(
  tx: Tx,
  { memberId, questionId }: { memberId: number; questionId: number },
): Promise<void> {
  await sql`
    update notification set pending_email = null, pending_push = false
    where recipient_id = ${memberId} and question_id = ${questionId}
      and (pending_email is not null or pending_push)`.execute(tx);
}

/** SQL: whether the recipient of a row of `notification` wants its pending email. */
export const wantsEmail = sql`exists (
  select from ${chosenPreference} and in_app and chosen.email = pending_email
)`;

/** SQL: whether the recipient of a row of `notification` wants its pending push. */
export const wantsPush = sql`not exists (select from ${chosenPreference} and not (in_app and push))`;

const isOfMuted = hasMuted(sql`recipient_id`, sql`base_notification.question_id`);

/**
 * SQL: sets the pending deliveries of a hidden notification that is shown again. Changes of preferences and mutes leave
 * hidden notifications out, so what its recipient turned off or muted meanwhile is cleared now.
 */
export const keepWantedDeliveries = sql`
  pending_email = case when not ${isOfMuted} and ${wantsEmail} then pending_email end,
  pending_push = pending_push and not ${isOfMuted} and ${wantsPush}`;

/** Turns emails off, for one category or one frequency. */
export async function disableEmail(
  tx: Tx,
  memberId: number,
  off: { category: NotificationCategory } | { scope: string },
): Promise<void> {
  const isMeant = 'category' in off ? sql`category = ${off.category}` : sql`email = ${off.scope}`;
  await sql`
    update notification_preference set email = 'off' where member_id = ${memberId} and ${isMeant}`.execute(
    tx,
  );
  const isPending =
    'category' in off
      ? sql`kind = any(${listKindsOfCategory(off.category)}::text[])`
      : sql`pending_email = ${off.scope}`;
  await sql`
    update notification set pending_email = null
    where recipient_id = ${memberId} and pending_email is not null and ${isPending}`.execute(tx);
}

/** The local hour at which digests are sent. */
const digestHour = 8;

/**
 * Sets when the member's digests are due, based on the current preferences. An existing time stays unless the time zone
 * changes. Daily digests are sent every morning, weekly ones on Monday morning.
 * @param timeZone null: unchanged
 */
export async function scheduleDigests(tx: Tx, memberId: number, timeZone: string | null): Promise<void> {
  await sql`
    insert into email_schedule as mine (member_id, time_zone)
    values (${memberId}, coalesce(${timeZone}, 'UTC'))
    on conflict (member_id) do update set
      daily_at = case when mine.time_zone = coalesce(${timeZone}, mine.time_zone) then mine.daily_at end,
      weekly_at = case when mine.time_zone = coalesce(${timeZone}, mine.time_zone) then mine.weekly_at end,
      time_zone = coalesce(${timeZone}, mine.time_zone)`.execute(tx);
  await sql`
    update email_schedule set
      daily_at = case when chosen.daily then coalesce(daily_at, ${nextDigestTime('daily')}) end,
      weekly_at = case when chosen.weekly then coalesce(weekly_at, ${nextDigestTime('weekly')}) end
    from (
      select coalesce(bool_or(email = 'daily'), false) as daily, coalesce(bool_or(email = 'weekly'), false) as weekly
      from notification_preference where member_id = ${memberId} and in_app
    ) chosen
    where member_id = ${memberId}`.execute(tx);
}

/** The next morning (or Monday morning) in the future, in `time_zone`. */
export function nextDigestTime(period: 'daily' | 'weekly') {
  const [unit, step] = period === 'daily' ? ['day', '1 day'] : ['week', '7 days'];
  const local = sql`clock_timestamp() at time zone time_zone`;
  const hours = sql.lit(`${digestHour} hours`);
  const first = sql`date_trunc(${sql.lit(unit)}, ${local} - ${hours}::interval) + ${hours}::interval`;
  return sql`((${first} + ${sql.lit(step)}::interval) at time zone time_zone)`;
}

/** Whether PostgreSQL supports this time zone. */
export async function isKnownTimeZone(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(tx);
  return rows.length > 0;
}

/**
 * The address of a member, whether it is confirmed, and the language of emails to it (null: that of the community).
 * Undefined if the member has none.
 */
export async function findEmailOfMember(db: Queryable, memberId: number) {
  const { rows } = await sql<{
    email: string;
    isConfirmed: boolean;
    isOff: boolean;
    language: string | null;
  }>`
    select email, email_verified as "isConfirmed", email_off_at is not null as "isOff", language from member
    where id = ${memberId} and source_id is null and email is not null`.execute(db);
  return rows[0];
}

/** Confirms an address. Returns false if it is no longer the member's address. */
export async function markEmailConfirmed(tx: Tx, { memberId, email }: { memberId: number; email: string }) {
  const { numAffectedRows = 0n } = await sql`
    update member set email_verified = true where id = ${memberId} and email = ${email}`.execute(tx);
  if (numAffectedRows === 0n) return false;
  // A link in an email proves that emails arrive.
  await switchEmailOn(tx, memberId);
  return true;
}
