import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';

/**
 * Members to be mailed at once about what was made so long ago or longer and is unread, unless they were mailed a short
 * while ago; for a pause they are not among them again. Members whom another node takes at this moment are left to it.
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
        where pending_email = 'at_once' and read_at is null
          and created_at <= now() - make_interval(secs => ${delaySeconds})
      )
      order by member_id limit ${limit} for update skip locked
    )
    returning member_id`.execute(tx);
  return rows.map((row) => row.member_id);
}

/** Members whose digest is due; the next is due at `next`. */
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

/** Days after which what could not be mailed is old. */
const expiryDays = { at_once: 3, daily: 4, weekly: 10 };

/** What is mailed no more: read meanwhile, or too old. Returns how many were too old. */
export async function clearExpiredEmails(db: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      update notification set pending_email = null
      where pending_email is not null and created_at < now() - make_interval(days => ${expiryDays.at_once})
        and created_at < now() - make_interval(days =>
        case pending_email when 'at_once' then ${expiryDays.at_once}::int when 'daily' then ${expiryDays.daily}::int
          else ${expiryDays.weekly}::int end)
      returning read_at
    )
    select count(*) as count from gone where read_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

export type DigestQuestion = { id: number; title: string; answers: number; upvotes: number };

/** The questions of a week with a tag the member follows that others found best; the member's own are not news. */
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
    order by upvotes - downvotes desc, id desc limit ${limit}`.execute(db);
  return rows;
}
