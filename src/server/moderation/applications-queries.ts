import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { signUpAnswersOf } from '#server/identity/index.ts';
import type { PendingStep } from '#shared/identity/accounts.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import { maxReviewCount, reviewClaimMinutes } from '#shared/moderation/moderation.ts';

export type ApplicationRow = {
  id: number;
  displayName: string;
  avatar: string | null;
  status: ApplicationStatus;
  appliedAt: Date;
  emailDomain: string;
  emailConfirmed: boolean;
  signUpAnswers: SignUpAnswer[];
  networkAccounts: number;
  pendingStep: PendingStep | null;
  claimedBy: number | null;
  claimedByName: string | null;
  claimedUntil: Date | null;
  refusedAt: Date | null;
  refusedByName: string | null;
  reason: string | null;
};

/**
 * Accounts in one state after the cursor: those that wait, the oldest first; those that were refused, the latest account
 * first. The index member_application serves the order.
 */
export async function listApplications(
  db: Reader,
  { status, afterId, limit }: { status: ApplicationStatus; afterId: number | null; limit: number },
): Promise<ApplicationRow[]> {
  const isOldestFirst = status === 'waiting';
  const order = isOldestFirst ? sql`asc` : sql`desc`;
  const after = afterId === null ? sql`true` : isOldestFirst ? sql`id > ${afterId}` : sql`id < ${afterId}`;
  const { rows } = await sql<ApplicationRow>`
    select member.id, coalesce(member.display_name, ${unnamedMember}) as "displayName", member.avatar,
      member.application as status, member.created_at as "appliedAt",
      coalesce(split_part(member.email, '@', 2), '') as "emailDomain", member.email_verified as "emailConfirmed",
      ${signUpAnswersOf} as "signUpAnswers",
      (select count(*) from (
        select from registration other
        where other.network = registration.network and other.member_id <> member.id
        limit ${sql.lit(maxReviewCount)}
      ) same_network) as "networkAccounts",
      registration.pending_step as "pendingStep",
      claimant.id as "claimedBy", coalesce(claimant.display_name, ${unnamedMember}) as "claimedByName",
      review.claimed_until as "claimedUntil", review.refused_at as "refusedAt", review.reason,
      case when refuser.id is not null then coalesce(refuser.display_name, ${unnamedMember}) end as "refusedByName"
    from (
      select * from member where application = ${status} and ${after} order by id ${order} limit ${sql.lit(limit)}
    ) member
    left join registration on registration.member_id = member.id
    left join membership_application review on review.member_id = member.id
    left join member claimant on claimant.id = review.claimed_by and review.claimed_until > now()
    left join member refuser on refuser.id = review.refused_by
    order by member.id ${order}`.execute(db);
  return rows;
}

/** Counts the accounts that wait, up to `maxReviewCount`. */
export async function countApplications(db: Reader): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from member where application = 'waiting' limit ${sql.lit(maxReviewCount)}
    ) waiting`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns the moderator who has the claim of an account. Call it with the account locked. */
export async function findApplicationClaim(
  tx: Tx,
  memberId: number,
): Promise<{ claimed_by: number | null; claimed_by_name: string | null }> {
  const { rows } = await sql<{ claimed_by: number; claimed_by_name: string | null }>`
    select claimed_by, claimant.display_name as claimed_by_name
    from membership_application review join member claimant on claimant.id = claimed_by
    where member_id = ${memberId} and claimed_until > now()`.execute(tx);
  return rows[0] ?? { claimed_by: null, claimed_by_name: null };
}

/** Claims an account, or prolongs the claim of the moderator. */
export async function setApplicationClaim(
  tx: Tx,
  { memberId, moderatorId }: { memberId: number; moderatorId: number },
): Promise<void> {
  await sql`
    insert into membership_application (member_id, claimed_by, claimed_until)
    values (${memberId}, ${moderatorId}, now() + make_interval(mins => ${reviewClaimMinutes}))
    on conflict (member_id) do update
    set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until`.execute(tx);
}

/** Ends the moderator's claim, if there is one. */
export async function endApplicationClaim(
  tx: Tx,
  { memberId, moderatorId }: { memberId: number; moderatorId: number },
): Promise<void> {
  await sql`
    update membership_application set claimed_by = null, claimed_until = null
    where member_id = ${memberId} and claimed_by = ${moderatorId}`.execute(tx);
}

/** Makes the account a member's. The day of its registration is counted again, because it now counts. */
export async function setApproved(tx: Tx, memberId: number): Promise<void> {
  await sql`delete from membership_application where member_id = ${memberId}`.execute(tx);
  await sql`
    with approved as (
      update member set application = null, updated_at = now() where id = ${memberId} returning created_at
    )
    insert into stale_statistics_day select utc_day(created_at) from approved`.execute(tx);
}

export async function setRefused(
  tx: Tx,
  { memberId, moderatorId, reason }: { memberId: number; moderatorId: number; reason: string },
): Promise<void> {
  await sql`update member set application = 'refused', updated_at = now() where id = ${memberId}`.execute(tx);
  await sql`
    insert into membership_application (member_id, refused_by, refused_at, reason)
    values (${memberId}, ${moderatorId}, now(), ${reason})
    on conflict (member_id) do update
    set refused_by = excluded.refused_by, refused_at = excluded.refused_at, reason = excluded.reason,
      claimed_by = null, claimed_until = null`.execute(tx);
}
