import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';

/**
 * Claims members to email instantly: those with unread notifications that are old enough, unless they were emailed a
 * short while ago. A claimed member is not returned again during the pause. Skips members that another node is
 * claiming.
 */
export async function claimMembersToEmail(
  tx: Tx,
  { delaySeconds, pauseSeconds, limit }: { delaySeconds: number; pauseSeconds: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ member_id: number }>`
    update email_schedule set instant_after = now() + make_interval(secs => ${pauseSeconds})
    where member_id in (
      select member_id from email_schedule
      where instant_after <= now() and member_id in (
        select recipient_id from notification
        where pending_email = 'instant' and read_at is null
          and created_at <= now() - make_interval(secs => ${delaySeconds})
      )
      order by instant_after limit ${limit} for update skip locked
    )
    returning member_id`.execute(tx);
  return rows.map((row) => row.member_id);
}

/** Claims members whose digest is due and sets the time of the next one. */
export async function claimMembersToDigest(
  tx: Tx,
  { period, next, limit }: { period: 'daily' | 'weekly'; next: ReturnType<typeof sql>; limit: number },
): Promise<number[]> {
  const due = sql.ref(`${period}_at`);
  const { rows } = await sql<{ member_id: number }>`
    update email_schedule set ${due} = ${next}
    where member_id in (
      select member_id from email_schedule where ${due} <= now()
      order by ${due} limit ${limit} for update skip locked
    )
    returning member_id`.execute(tx);
  return rows.map((row) => row.member_id);
}

/** Whether a member still wants emails of a period about anything. */
export async function wantsDigest(
  db: Queryable,
  memberId: number,
  period: 'daily' | 'weekly',
): Promise<boolean> {
  const { rows } = await sql`
    select from notification_preference where member_id = ${memberId} and in_app and email = ${period} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Days after which an unsent email notification expires. */
const expiryDays = { instant: 3, daily: 4, weekly: 10 };

/**
 * Clears emails that are no longer needed because the notification was read or has expired. Returns the number of
 * expired ones.
 */
export async function clearExpiredEmails(db: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      update notification set pending_email = null
      where pending_email is not null and created_at < now() - make_interval(days => ${expiryDays.instant})
        and created_at < now() - make_interval(days =>
        case pending_email when 'instant' then ${expiryDays.instant}::int when 'daily' then ${expiryDays.daily}::int
          else ${expiryDays.weekly}::int end)
      returning read_at
    )
    select count(*) as count from gone where read_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

export type DigestQuestion = { id: number; title: string; answers: number; upvotes: number };

/**
 * The questions of the past week with a tag the member follows and the most votes, without the member's own and muted
 * ones.
 */
export async function listDigestQuestions(
  db: Database,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<DigestQuestion[]> {
  const { rows } = await sql<DigestQuestion>`
    select id, title, answer_count as answers, upvotes from question
    where upvotes > downvotes and upvotes > 0 and author_id is distinct from ${memberId} and id in (
      select recent.question_id from tag_follow cross join lateral (
        select question_id from question_tag
        where question_tag.tag_id = tag_follow.tag_id and question_created_at > now() - interval '7 days'
        order by question_created_at desc, question_id desc limit 200
      ) recent
      where tag_follow.member_id = ${memberId}
    )
      and not exists (select from question_mute where question_id = question.id and member_id = ${memberId})
      and not exists (
        select from question_tag join tag_mute using (tag_id)
        where question_id = question.id and member_id = ${memberId}
      )
    order by upvotes - downvotes desc, id desc limit ${limit}`.execute(db);
  return rows;
}
