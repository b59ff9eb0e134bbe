import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { accountProviderPrefix, lockMembers } from '#server/identity/index.ts';

export type ClaimableProfile = { id: number; name: string; site: string; key: string };

/**
 * A profile of a person that an import made and that no one can sign in to; not the user 'Community', who stands for
 * the site.
 */
export async function findClaimableProfile(db: Reader, id: number): Promise<ClaimableProfile | undefined> {
  const { rows } = await sql<ClaimableProfile>`
    select member.id, coalesce(display_name, ${unnamedMember}) as name, source.site, source_key as key
    from member join import_source source on source.id = source_id
    where member.id = ${id} and email is null and not is_bot and deleted_at is null and source_key <> '-1'`.execute(
    db,
  );
  return rows[0];
}

/**
 * Returns the `account.provider_id` of an account at a provider that the member has linked and the imported profile had;
 * undefined if there is none. An account that several profiles of one site had proves none of them.
 * @param wanted.providerIds those of the providers that members can use now
 */
export async function findCommonIdentity(
  db: Reader,
  { profileId, memberId, providerIds }: ClaimKey & { providerIds: readonly string[] },
): Promise<string | undefined> {
  const { rows } = await sql<{ provider_id: string }>`
    select account.provider_id
    from imported_identity identity
    join member profile on profile.id = identity.member_id
    join account on account.provider_id = ${accountProviderPrefix} || identity.issuer
      and account.account_id = identity.subject
    where profile.id = ${profileId} and account.member_id = ${memberId}
      and account.provider_id = any(${[...providerIds]}::text[])
      and not exists (
        select from imported_identity other join member twin on twin.id = other.member_id
        where other.subject = identity.subject and other.issuer = identity.issuer
          and twin.source_id = profile.source_id and twin.id <> profile.id
      )
    order by account.id limit 1`.execute(db);
  return rows[0]?.provider_id;
}

export type ClaimRow = {
  id: number;
  profile_id: number;
  member_id: number;
  token: string;
  token_expires_at: Date;
  is_expired: boolean;
  requested_at: Date | null;
  declined_at: Date | null;
  decline_reason: string | null;
};

const columns = sql`id, profile_id, member_id, token, token_expires_at, token_expires_at <= now() as is_expired,
  requested_at, declined_at, decline_reason`;

type ClaimKey = { profileId: number; memberId: number };

export async function findClaim(
  db: Reader,
  { profileId, memberId }: ClaimKey,
): Promise<ClaimRow | undefined> {
  const { rows } = await sql<ClaimRow>`
    select ${columns} from profile_claim where profile_id = ${profileId} and member_id = ${memberId}`.execute(
    db,
  );
  return rows[0];
}

/**
 * Locks a claim, so that it is decided once. Locks its two members before, because a merge locks them and then deletes all
 * claims of the profile.
 */
export async function lockClaim(tx: Tx, id: number): Promise<ClaimRow | undefined> {
  const found = await sql<ClaimRow>`select ${columns} from profile_claim where id = ${id}`.execute(tx);
  await lockMembers(
    tx,
    found.rows.flatMap((claim) => [claim.profile_id, claim.member_id]),
  );
  const { rows } = await sql<ClaimRow>`
    select ${columns} from profile_claim where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Begins a claim. A token that has not expired stays. */
export async function putClaim(
  db: Queryable,
  { profileId, memberId, token, days }: ClaimKey & { token: string; days: number },
): Promise<void> {
  await sql`
    insert into profile_claim (profile_id, member_id, token, token_expires_at)
    values (${profileId}, ${memberId}, ${token}, now() + make_interval(days => ${days}))
    on conflict (profile_id, member_id) do update
      set token = excluded.token, token_expires_at = excluded.token_expires_at
      where profile_claim.token_expires_at <= now()`.execute(db);
}

/** Asks the moderators. Returns whether the claim exists and does not wait for them already. */
export async function requestClaim(
  tx: Tx,
  { profileId, memberId, message }: ClaimKey & { message: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update profile_claim set message = ${message}, requested_at = now(), declined_at = null, decline_reason = null
    where profile_id = ${profileId} and member_id = ${memberId}
      and (requested_at is null or declined_at is not null)`.execute(tx);
  return numAffectedRows > 0n;
}

/** Whether a claim waits for a moderator; `except`: besides this one. */
export async function isClaimWaiting(tx: Tx, { except }: { except?: ClaimKey } = {}): Promise<boolean> {
  const { rows } = await sql`
    select from profile_claim where requested_at is not null and declined_at is null
      and (profile_id, member_id) is distinct from
        (${except?.profileId ?? null}::bigint, ${except?.memberId ?? null}::bigint)
    limit 1`.execute(tx);
  return rows.length > 0;
}

export async function declineClaim(tx: Tx, { id, reason }: { id: number; reason: string }): Promise<void> {
  await sql`
    update profile_claim set declined_at = now(), decline_reason = ${reason} where id = ${id}`.execute(tx);
}

export async function deleteClaim(db: Queryable, { profileId, memberId }: ClaimKey): Promise<void> {
  await sql`
    delete from profile_claim where profile_id = ${profileId} and member_id = ${memberId}`.execute(db);
}

export type RequestedClaimRow = {
  id: number;
  profile_id: number;
  profile_name: string;
  site: string;
  key: string;
  member_id: number;
  member_name: string;
  message: string;
  requested_at: Date;
  posts: number;
};

/** The requests that wait for a moderator, the oldest claim first. */
export async function listRequestedClaims(
  db: Reader,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<RequestedClaimRow[]> {
  const { rows } = await sql<RequestedClaimRow>`
    select claim.id, profile_id, coalesce(profile.display_name, ${unnamedMember}) as profile_name, source.site,
      profile.source_key as key, claim.member_id, coalesce(member.display_name, ${unnamedMember}) as member_name,
      message, requested_at,
      (select count(*) from question where author_id = profile_id)
        + (select count(*) from answer where author_id = profile_id)
        + (select count(*) from reply where author_id = profile_id and reply.deleted_at is null) as posts
    from profile_claim claim join member profile on profile.id = profile_id join member on member.id = claim.member_id
    join import_source source on source.id = profile.source_id
    where requested_at is not null and declined_at is null and claim.id > ${afterId}
    order by claim.id limit ${limit}`.execute(db);
  return rows;
}
