import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { removeSignInFactorsOf } from '#server/identity/index.ts';
import { type Admin, insertLogEntry } from '#server/moderation/index.ts';
import type { RemovedSignInFactors } from '#shared/identity/two-factor.ts';
import { lockMemberForRole } from './roles-queries.ts';

/**
 * Removes two-factor authentication and passkeys of a member who lost them, and ends all their sessions. Emails the
 * member. Admins cannot do this for each other or themselves: the command line can.
 * @throws ProblemError 'not-found', 'not-allowed', 'already-handled' if there is nothing to remove
 */
export async function resetSignInFactors(
  db: Database,
  { admin, memberId }: { admin: Admin; memberId: number },
): Promise<RemovedSignInFactors> {
  return transaction(db, async (tx) => {
    const member = await lockMemberForRole(tx, memberId);
    if (member === undefined) throw new ProblemError('user-not-found');
    if (member.role === 'admin') throw new ProblemError('two-factor-of-admin');
    const removed = await removeSignInFactorsOf(tx, memberId);
    if (!removed.twoFactor && removed.passkeys === 0) throw new ProblemError('two-factor-already-off');
    await insertLogEntry(tx, {
      moderatorId: admin.id,
      action: 'reset_two_factor',
      reason: '',
      post: null,
      memberId,
      before: { twoFactor: removed.twoFactor, passkeys: removed.passkeys },
    });
    await publishAll(tx, [{ topic: 'moderation', event: { kind: 'moderation-changed' } }]);
    return removed;
  });
}
