import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';

/** Adds a member as an import does. Returns the id. */
export async function addImportedProfile(
  db: Database,
  { site, key = '5', name = 'Ada of the old site' }: { site: string; key?: string; name?: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with source as (
      insert into import_source (site, license) values (${site}, 'CC BY-SA 4.0')
      on conflict (site) do update set license = excluded.license returning id)
    insert into member (display_name, source_id, source_key, reputation, imported_reputation)
    select ${name}, id, ${key}, 120, 120 from source returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** The same with a claim of a member. Returns the ids of the profile and of the claim. */
export async function addProfileClaim(
  db: Database,
  {
    memberId,
    isRequested,
    ...profile
  }: { memberId: number; isRequested: boolean; site: string; key: string },
): Promise<{ profileId: number; claimId: number }> {
  const profileId = await addImportedProfile(db, profile);
  const { rows } = await sql<{ id: number }>`
    insert into profile_claim (profile_id, member_id, token, token_expires_at, message, requested_at)
    values (${profileId}, ${memberId}, ${`parley-${profileId}`}, now() + interval '1 day',
      ${isRequested ? 'It is me.' : null}, ${isRequested ? sql`now()` : null})
    returning id`.execute(db);
  return { profileId, claimId: rows[0]?.id ?? 0 };
}
