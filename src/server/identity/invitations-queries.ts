import { sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import { jsonTime, unnamedMember } from '#server/core/sql.ts';
import type { Queryable, Reader } from '#server/core/database.ts';
import type { Invitation, InvitationState } from '#shared/identity/invitations.ts';

/** A link does not work while its maker is no moderator. */
const isOfModerator = sql`exists (select from member inviter where inviter.id = created_by and inviter.role <> 'member')`;

const state = sql<InvitationState>`
  case when revoked_at is not null or not ${isOfModerator} then 'revoked' when uses >= max_uses then 'used-up'
    when expires_at <= now() then 'expired' else 'active' end`;

export async function insertInvitation(
  db: Queryable,
  draft: { hash: Buffer; createdBy: number; note: string; maxUses: number; expiresAt: Date },
): Promise<number> {
  const { hash, createdBy, note, maxUses, expiresAt } = draft;
  const { rows } = await sql<{ id: number }>`
    insert into invitation (hash, created_by, note, max_uses, expires_at)
    values (${hash}, ${createdBy}, ${note}, ${maxUses}, ${expiresAt}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Latest first, after the id `before`. */
export async function listInvitations(
  db: Reader,
  { before, limit, members }: { before: number | null; limit: number; members: number },
): Promise<Invitation[]> {
  const { rows } = await sql<Invitation>`
    select invitation.id, note, max_uses as "maxUses", uses, ${jsonTime(sql`invitation.created_at`)} as "createdAt",
      ${jsonTime(sql`expires_at`)} as "expiresAt", ${state} as state,
      json_build_object('id', creator.id, 'displayName', coalesce(creator.display_name, ${unnamedMember})) as "createdBy",
      array(
        select json_build_object('id', member.id, 'displayName', coalesce(display_name, ${unnamedMember}))
        from invited_member join member on member.id = member_id
        where invitation_id = invitation.id order by member_id desc limit ${sql.lit(members)}
      ) as members
    from (
      select * from invitation where ${isBefore(sql`id`, before)}
      order by id desc limit ${sql.lit(limit)}
    ) invitation join member creator on creator.id = created_by
    order by invitation.id desc`.execute(db);
  return rows;
}

/** Returns whether it was in use. */
export async function markRevoked(db: Queryable, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update invitation set revoked_at = now() where id = ${id} and revoked_at is null`.execute(db);
  return numAffectedRows === 1n;
}

export async function hasInvitation(db: Queryable, id: number): Promise<boolean> {
  return (await sql`select from invitation where id = ${id}`.execute(db)).rows.length > 0;
}

export async function findInvitation(
  db: Queryable,
  hash: Buffer,
): Promise<{ state: InvitationState; inviterName: string; expiresAt: Date } | undefined> {
  const { rows } = await sql<{ state: InvitationState; inviterName: string; expiresAt: Date }>`
    select ${state} as state, expires_at as "expiresAt", coalesce(display_name, ${unnamedMember}) as "inviterName"
    from invitation join member on member.id = created_by where hash = ${hash}`.execute(db);
  return rows[0];
}

/** Takes one use in one statement, so that concurrent registrations never take more than there are. */
export async function takeUse(db: Queryable, hash: Buffer): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    update invitation set uses = uses + 1
    where hash = ${hash} and uses < max_uses and revoked_at is null and expires_at > now()
      and ${isOfModerator}
    returning id`.execute(db);
  return rows[0]?.id;
}

export async function giveBackUse(db: Queryable, id: number): Promise<void> {
  await sql`update invitation set uses = uses - 1 where id = ${id} and uses > 0`.execute(db);
}

export async function insertInvitedMember(
  db: Queryable,
  { memberId, invitationId }: { memberId: number; invitationId: number },
): Promise<void> {
  await sql`
    insert into invited_member (member_id, invitation_id) values (${memberId}, ${invitationId})`.execute(db);
}
