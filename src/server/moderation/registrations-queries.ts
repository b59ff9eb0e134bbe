import { sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import { jsonTime, unnamedMember } from '#server/core/sql.ts';
import type { RegisteredAccount, RegistrationNetwork } from '#shared/moderation/removals.ts';
import { activityCounts } from './removals-queries.ts';

const isRegisteredWithin = (hours: number) => sql`registered_at > now() - make_interval(hours => ${hours})`;

/**
 * Networks of recent registrations. The network null stands for accounts that wait for approval and whose network is no
 * longer stored.
 */
export async function selectNetworks(
  db: Reader,
  { hours, limit }: { hours: number; limit: number },
): Promise<RegistrationNetwork[]> {
  const { rows } = await sql<RegistrationNetwork>`
    select network, count(*) as accounts, count(pending_step) as "pendingAccounts",
      ${jsonTime(sql`min(registered_at)`)} as "firstAt", ${jsonTime(sql`max(registered_at)`)} as "latestAt"
    from (
      select * from registration where network is not null and ${isRegisteredWithin(hours)}
      union all
      select * from registration where network is null and pending_step is not null
    ) recent
    group by network order by count(pending_step) > 0 desc, count(*) desc, max(registered_at) desc
    limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Accounts of one network, latest first, after the id `before`. */
export async function selectAccounts(
  db: Reader,
  wanted: { network: string | null; hours: number; before: number | null; limit: number },
): Promise<RegisteredAccount[]> {
  const { network, hours, before, limit } = wanted;
  const which =
    network === null
      ? sql`network is null and pending_step is not null`
      : sql`network = ${network} and ${isRegisteredWithin(hours)}`;
  const { rows } = await sql<RegisteredAccount>`
    select member.id, coalesce(display_name, ${unnamedMember}) as "displayName",
      ${jsonTime(sql`recent.registered_at`)} as "registeredAt",
      recent.pending_step as "pendingStep", role <> 'member' as "isModerator",
      exists (select from activity_removal where member_id = member.id and state <> 'restored') as "isRemoved", ${activityCounts}
    from (
      select * from registration where ${which} and ${isBefore(sql`member_id`, before)}
      order by member_id desc limit ${sql.lit(limit)}
    ) recent join member on member.id = recent.member_id
    order by member.id desc`.execute(db);
  return rows;
}
