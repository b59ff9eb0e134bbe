import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import { type ApiScope, unusedApiTokenDays } from '#shared/integrations/api-tokens.ts';

const columns = ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const;

export async function listApiTokens(db: Queryable, memberId: number) {
  return db
    .selectFrom('api_token')
    .select(columns)
    .where('member_id', '=', memberId)
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
}

/** Serializes the creation of a member's tokens, and returns how many there are. */
export async function lockApiTokens(tx: Tx, memberId: number): Promise<number> {
  await tx.selectFrom('member').select('id').where('id', '=', memberId).forUpdate().execute();
  const { count } = await tx
    .selectFrom('api_token')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertApiToken(
  tx: Tx,
  token: { memberId: number; name: string; hash: Uint8Array; scopes: readonly ApiScope[]; days: number },
) {
  return tx
    .insertInto('api_token')
    .values({
      member_id: token.memberId,
      name: token.name,
      hash: Buffer.from(token.hash),
      scopes: [...token.scopes],
      expires_at: sql<Date>`now() + make_interval(days => ${token.days}::int)`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Returns the name of the deleted token; undefined if the member has none with this id. */
export async function deleteApiToken(
  db: Queryable,
  { id, memberId }: { id: number; memberId: number },
): Promise<string | undefined> {
  const deleted = await db
    .deleteFrom('api_token')
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .returning('name')
    .executeTakeFirst();
  return deleted?.name;
}

/** Whether a token is valid. */
const isValid: RawBuilder<boolean> = sql<boolean>`expires_at > now()
  and coalesce(last_used_at, created_at) > now() - make_interval(days => ${sql.lit(unusedApiTokenDays)})`;

/** Returns undefined if there is no valid token with this hash. The limits are those of a service account. */
export async function findApiToken(db: Queryable, hash: Uint8Array) {
  return db
    .selectFrom('api_token')
    .leftJoin('service_account', 'service_account.member_id', 'api_token.member_id')
    .select([
      'id',
      'api_token.member_id',
      'scopes',
      'last_used_at',
      'deactivated_at',
      'requests_per_minute',
      'posts_per_hour',
    ])
    .where('hash', '=', Buffer.from(hash))
    .where(isValid)
    .executeTakeFirst();
}

/** At most once a minute, so that a busy program does not update the row with every request. */
export async function recordApiTokenUse(db: Database, id: number): Promise<void> {
  await sql`update api_token set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(db);
}

export async function deleteInvalidApiTokens(db: Database): Promise<void> {
  await sql`delete from api_token where not (${isValid})`.execute(db);
}
