import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import { type ApiScope, unusedApiTokenDays } from '#shared/integrations/api-tokens.ts';

type ApiTokenRow = {
  id: number;
  name: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
};

const columns = sql`id, name, scopes, created_at, expires_at, last_used_at`;

export async function listApiTokens(db: Queryable, memberId: number) {
  const { rows } = await sql<ApiTokenRow>`
    select ${columns} from api_token where member_id = ${memberId} order by id desc limit 100`.execute(db);
  return rows;
}

/** Serializes the creation of a member's tokens, and returns how many there are. */
export async function lockApiTokens(tx: Tx, memberId: number): Promise<number> {
  await sql`select from member where id = ${memberId} for no key update`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from api_token where member_id = ${memberId}`.execute(tx);
  return one(rows).count;
}

export async function insertApiToken(
  tx: Tx,
  token: { memberId: number; name: string; hash: Uint8Array; scopes: readonly ApiScope[]; days: number },
) {
  const { rows } = await sql<ApiTokenRow>`
    insert into api_token (member_id, name, hash, scopes, expires_at)
    values (
      ${token.memberId}, ${token.name}, ${Buffer.from(token.hash)}, ${[...token.scopes]}::text[],
      now() + make_interval(days => ${token.days}::int)
    ) returning ${columns}`.execute(tx);
  return one(rows);
}

/** Returns the name of the deleted token; undefined if the member has none with this id. */
export async function deleteApiToken(
  db: Queryable,
  { id, memberId }: { id: number; memberId: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    delete from api_token where id = ${id} and member_id = ${memberId} returning name`.execute(db);
  return rows[0]?.name;
}

/** Whether a token is valid. */
const isValid = sql`expires_at > now()
  and coalesce(last_used_at, created_at) > now() - make_interval(days => ${sql.lit(unusedApiTokenDays)})`;

/** Returns undefined if there is no valid token with this hash. The limits are those of a service account. */
export async function findApiToken(db: Queryable, hash: Uint8Array) {
  const { rows } = await sql<{
    id: number;
    member_id: number;
    scopes: string[];
    last_used_at: Date | null;
    deactivated_at: Date | null;
    requests_per_minute: number | null;
    posts_per_hour: number | null;
  }>`
    select id, api_token.member_id, scopes, last_used_at, deactivated_at, requests_per_minute, posts_per_hour
    from api_token left join service_account on service_account.member_id = api_token.member_id
    where hash = ${Buffer.from(hash)} and ${isValid}`.execute(db);
  return rows[0];
}

/** At most once a minute, so that a busy program does not update the row with every request. */
export async function recordApiTokenUse(db: Database, id: number): Promise<void> {
  await sql`update api_token set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db);
}

export async function deleteInvalidApiTokens(db: Database): Promise<void> {
  await sql`delete from api_token where not (${isValid})`.execute(db);
}
