import { type Database, type Queryable, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { deleteQueueNotifications, endQueueNotifications } from '#server/notifications/index.ts';
import {
  lockAdminsAnd,
  lockApplication,
  recordSecurityEvent,
  type RequirePassword,
} from '#server/identity/index.ts';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import { changesAdmins, type Role } from '#shared/identity/roles.ts';
import type { Reauthentication } from '#shared/identity/two-factor.ts';
import { type Admin, approveApplicant, insertLogEntry } from '#server/moderation/index.ts';
import {
  findRole,
  lockMemberByEmail,
  lockMemberForRole,
  selectMembersWithRole,
  updateRole,
} from './roles-queries.ts';

/**
 * Sets the role of the member with this address, for the command line. It applies from the next request on, on every
 * node. Returns whether the member exists.
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
    await changeRole(tx, { adminId: null, member, role });
    return true;
  });
}

/**
 * Changes a member's role as an admin. The other admins get an email about a new one.
 * @throws ProblemError 'not-found'; 'not-allowed' for the last admin and for accounts that cannot sign in; 'invalid' for
 * a wrong password; 'already-handled' if the member has another role meanwhile
 */
export async function setRoleAsAdmin(
  db: Database,
  {
    admin,
    memberId,
    role,
    proof,
    requirePassword,
  }: {
    admin: Admin;
    memberId: number;
    role: Role;
    proof: Reauthentication;
    requirePassword: RequirePassword;
  },
): Promise<void> {
  const from = await findRole(db, memberId);
  if (from !== undefined && changesAdmins(from, role)) await requirePassword(admin, proof);
  await transaction(db, async (tx) => {
    const admins = await lockAdminsAnd(tx, memberId);
    const member = await lockMemberForRole(tx, memberId);
    if (member === undefined) throw new ProblemError('user-not-found');
    if (member.role !== from) throw new ProblemError('handled-already');
    if (!member.hasEmail && role !== 'member') throw new ProblemError('role-needs-email');
    if (role !== 'admin' && admins.every((id) => id === memberId)) throw new ProblemError('last-admin');
    await changeRole(tx, { adminId: admin.id, member, role });
    if (role === 'admin' && from !== 'admin')
      for (const id of admins) await recordSecurityEvent(tx, { memberId: id, event: 'admin-added' });
  });
}

/**
 * Changes the role in a transaction that holds the lock of the member, logs it, and emails the member. An account that
 * waits for approval becomes a member's with it.
 */
export async function changeRole(
  tx: Tx,
  { adminId, member, role }: { adminId: number | null; member: { id: number; role: Role }; role: Role },
): Promise<void> {
  if (member.role === role) return;
  if ((await lockApplication(tx, member.id)) !== null) await approveApplicant(tx, member.id);
  await updateRole(tx, { memberId: member.id, role });
  await insertLogEntry(tx, {
    moderatorId: adminId,
    action: 'role',
    reason: '',
    post: null,
    memberId: member.id,
    before: { role: member.role },
    after: { role },
  });
  await recordSecurityEvent(tx, { memberId: member.id, event: 'role-changed' });
  await publishAll(tx, [
    ...(await endQueueNotifications(tx, 'application')),
    ...(await deleteQueueNotifications(tx, { memberId: member.id, role })),
    { topic: `member:${member.id}`, event: { kind: 'member-status-changed' } },
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
}

/** Returns members who can sign in, ordered by id, after the id `after`. */
export async function listMembersWithRole(
  db: Queryable,
  wanted: { role: Role; after: number; limit: number },
): Promise<{ id: number; email: string; name: string }[]> {
  return selectMembersWithRole(db, wanted);
}
