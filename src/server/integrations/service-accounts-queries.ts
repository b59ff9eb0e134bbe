import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { ServiceAccountDraft } from '#shared/integrations/service-accounts.ts';

export type ServiceAccountRow = {
  id: number;
  displayName: string;
  bio: string;
  active: boolean;
  requestsPerMinute: number;
  postsPerHour: number;
  createdAt: Date;
  questionsCount: number;
  answersCount: number;
};

const columns = sql`
  member.id, coalesce(display_name, ${unnamedMember}) as "displayName", coalesce(bio, '') as bio,
  deactivated_at is null as active, requests_per_minute as "requestsPerMinute", posts_per_hour as "postsPerHour",
  created_at as "createdAt", questions_count as "questionsCount", answers_count as "answersCount"`;

/** By name. */
export async function listServiceAccounts(db: Reader): Promise<ServiceAccountRow[]> {
  const { rows } = await sql<ServiceAccountRow>`
    select ${columns} from service_account join member on member.id = member_id
    order by lower(display_name), member.id limit ${sql.lit(serverLimits.serviceAccounts)}`.execute(db);
  return rows;
}

/** The tokens of all service accounts, newest first. */
export async function listServiceAccountTokens(db: Reader) {
  const { rows } = await sql<{
    id: number;
    member_id: number;
    name: string;
    scopes: string[];
    created_at: Date;
    expires_at: Date;
    last_used_at: Date | null;
  }>`
    select id, member_id, name, scopes, created_at, expires_at, last_used_at
    from api_token where member_id in (select member_id from service_account) order by id desc`.execute(db);
  return rows;
}

/** Serializes the creation of service accounts, and returns how many there are. */
export async function lockServiceAccounts(tx: Tx): Promise<number> {
  await sql`lock table service_account in share row exclusive mode`.execute(tx);
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from service_account`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

export async function insertServiceAccount(tx: Tx, draft: ServiceAccountDraft): Promise<number> {
  const { displayName, bio, requestsPerMinute, postsPerHour } = draft;
  const { rows } = await sql<{ id: number }>`
    with added as (
      insert into member (display_name, bio, show_email, is_bot)
      values (${displayName}, ${bio === '' ? null : bio}, false, true) returning id
    )
    insert into service_account (member_id, requests_per_minute, posts_per_hour)
    select id, ${requestsPerMinute}, ${postsPerHour} from added returning member_id as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

/** Returns undefined if there is no such account. */
export async function lockServiceAccount(tx: Tx, id: number): Promise<ServiceAccountRow | undefined> {
  const { rows } = await sql<ServiceAccountRow>`
    select ${columns} from service_account join member on member.id = member_id
    where member_id = ${id} and member.deleted_at is null for no key update of member`.execute(tx);
  return rows[0];
}

export async function updateServiceAccount(tx: Tx, id: number, draft: ServiceAccountDraft): Promise<void> {
  const { displayName, bio, requestsPerMinute, postsPerHour } = draft;
  await sql`
    with renamed as (
      update member set display_name = ${displayName}, bio = ${bio === '' ? null : bio}, updated_at = now()
      where id = ${id}
    )
    update service_account set requests_per_minute = ${requestsPerMinute}, posts_per_hour = ${postsPerHour}
    where member_id = ${id}`.execute(tx);
}

export async function setServiceAccountActive(tx: Tx, id: number, active: boolean): Promise<void> {
  await sql`
    update service_account set deactivated_at = case when ${active} then null else now() end
    where member_id = ${id}`.execute(tx);
}
