import { type Database, type Queryable, transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import { email as emailSchema, type Role } from '#shared/identity/accounts.ts';
import { insertLogEntry } from '#server/moderation/index.ts';
import { updateRole, lockMemberByEmail, selectMembersWithRole } from './roles-queries.ts';

/**
 * Sets the role of the member with this address. It applies from the next request on, on every node. Returns whether
 * the member exists.
 */
export async function setRole(
  db: Database,
  { email, role }: { email: string; role: Role },
): Promise<boolean> {
  const address = emailSchema.safeParse(email);
  if (!address.success) return false;
  return transaction(db, async (tx) => {
    const member = await lockMemberByEmail(tx, address.data);
    if (member === undefined) return false;
    if (member.role === role) return true;
    await updateRole(tx, { memberId: member.id, role });
    await insertLogEntry(tx, {
      moderatorId: null,
      action: 'role',
      reason: '',
      post: null,
      memberId: member.id,
      before: { role: member.role },
    });
    await publish(tx, `member:${member.id}`, { kind: 'member-status-changed' });
    return true;
  });
}

/** Returns members who can sign in, ordered by id, after the id `after`. */
export async function listMembersWithRole(
  db: Queryable,
  wanted: { role: Role; after: number; limit: number },
): Promise<{ id: number; email: string; name: string }[]> {
  return selectMembersWithRole(db, wanted);
}
