import { unnamedMember } from '#server/core/sql.ts';
import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { Role } from '#shared/identity/roles.ts';

export async function lockMemberByEmail(tx: Tx, email: string) {
  const { rows } = await sql<{ id: number; role: Role }>`
    select id, role from member where email = ${email} for no key update`.execute(tx);
  return rows[0];
}

export async function findRole(db: Queryable, id: number): Promise<Role | undefined> {
  const { rows } = await sql<{ role: Role }>`select role from member where id = ${id}`.execute(db);
  return rows[0]?.role;
}

export async function lockMemberForRole(tx: Tx, id: number) {
  const { rows } = await sql<{ id: number; role: Role; hasEmail: boolean }>`
    select id, role, email is not null as "hasEmail" from member where id = ${id} for no key update`.execute(
    tx,
  );
  return rows[0];
}

/** Moderators and admins cannot be suspended. */
export async function updateRole(tx: Tx, { memberId, role }: { memberId: number; role: Role }) {
  const staysSuspended = sql.lit(role === 'member');
  await sql`
    update member set role = ${role}, updated_at = now(),
      suspended_until = case when ${staysSuspended} then suspended_until end,
      suspension_reason = case when ${staysSuspended} then suspension_reason end
    where id = ${memberId}`.execute(tx);
}

/** The index member_moderator serves the query for moderators. */
export async function selectMembersWithRole(
  db: Queryable,
  { role, after, limit }: { role: Role; after: number; limit: number },
) {
  const { rows } = await sql<{ id: number; email: string; name: string }>`
    select id, email, coalesce(display_name, ${unnamedMember}) as name from member
    where role = ${sql.lit(role)} and email is not null and id > ${after} order by id limit ${sql.lit(limit)}`.execute(
    db,
  );
  return rows;
}
