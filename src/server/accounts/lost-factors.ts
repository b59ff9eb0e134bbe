import { type Database, transaction } from '#server/platform/database.ts';
import { email as emailSchema } from '#shared/accounts.ts';
import { findPasswordHash } from './link-queries.ts';
import { deleteAllPasskeys, lockSignInMethods } from './passkey-queries.ts';
import { findMemberByEmail } from './queries.ts';
import { endAllSessions } from './reset.ts';
import { deleteTwoFactor } from './second-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

/** What was taken off a member, and whether a password is left to sign in with. */
export type RemovedFactors = { twoFactor: boolean; passkeys: number; hasPassword: boolean };

/**
 * Takes the second factor and all passkeys off a member who has lost them, and signs them out everywhere: a lost device may
 * be signed in still. The member is mailed. Null where nobody signs in with this address.
 */
export async function removeSignInFactors(db: Database, input: string): Promise<RemovedFactors | null> {
  const email = emailSchema.safeParse(input);
  if (!email.success) return null;
  return transaction(db, async (tx) => {
    const member = await findMemberByEmail(tx, email.data);
    if (member === undefined) return null;
    const memberId = member.id;
    await lockSignInMethods(tx, memberId);
    const secondFactor = await deleteTwoFactor(tx, memberId);
    const passkeys = await deleteAllPasskeys(tx, memberId);
    const hasPassword = (await findPasswordHash(tx, memberId)) !== undefined;
    if (secondFactor || passkeys > 0) await endAllSessions(tx, memberId);
    if (secondFactor) await recordSecurityEvent(tx, { memberId, event: 'two-factor-off' });
    if (passkeys > 0) await recordSecurityEvent(tx, { memberId, event: 'passkey-removed' });
    return { twoFactor: secondFactor, passkeys, hasPassword };
  });
}
