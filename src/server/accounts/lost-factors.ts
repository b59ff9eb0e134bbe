import { type Database, transaction } from '#server/platform/database.ts';
import { email as emailSchema } from '#shared/accounts.ts';
import { passwordHash } from './link-queries.ts';
import { deletePasskeys, lockWaysIn } from './passkey-queries.ts';
import { memberByEmail } from './queries.ts';
import { endAllSessions } from './reset.ts';
import { deleteSecondFactor } from './second-factor-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

/** What was taken off a member, and whether a password is left to sign in with. */
export type FactorsOff = { secondFactor: boolean; passkeys: number; hasPassword: boolean };

/**
 * Takes the second factor and all passkeys off a member who has lost them, and signs them out everywhere: a lost device may
 * be signed in still. The member is mailed. Null where nobody signs in with this address.
 */
export async function takeFactorsOff(db: Database, given: string): Promise<FactorsOff | null> {
  const email = emailSchema.safeParse(given);
  if (!email.success) return null;
  return transaction(db, async (tx) => {
    const member = await memberByEmail(tx, email.data);
    if (member === undefined) return null;
    const memberId = member.id;
    await lockWaysIn(tx, memberId);
    const secondFactor = await deleteSecondFactor(tx, memberId);
    const passkeys = await deletePasskeys(tx, memberId);
    const hasPassword = (await passwordHash(tx, memberId)) !== undefined;
    if (secondFactor || passkeys > 0) await endAllSessions(tx, memberId);
    if (secondFactor) await tellOfSecurityEvent(tx, { memberId, event: 'two-factor-off' });
    if (passkeys > 0) await tellOfSecurityEvent(tx, { memberId, event: 'passkey-removed' });
    return { secondFactor, passkeys, hasPassword };
  });
}
