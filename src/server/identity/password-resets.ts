import { sql } from 'kysely';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import type { PasswordResetResult } from '#shared/identity/account-recovery.ts';
import type { AccountEmails } from './account-emails.ts';
import { hashPassword, type PasswordCost, refuseCommonPassword } from './passwords.ts';
import { createPasswordAttemptLimit } from './sign-in-limits.ts';
import {
  deleteAllSessions,
  deleteLinks,
  lockMember,
  updateEmail,
  upsertPasswordHash,
} from './account-links-queries.ts';
import {
  consumeLink,
  createInvalidLinkError,
  createLink,
  linkLifetimesMs,
  requireLink,
} from './account-links.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { deletePasswordlessSignIn } from './passkeys-queries.ts';
import { countPasswordlessSignIn } from './sign-in-methods-queries.ts';
import { findMemberByEmail } from './accounts-queries.ts';
import { noteConfirmedEmail } from './registrations.ts';
import { recordSecurityEvent } from './security-events.ts';

export type PasswordResets = ReturnType<typeof createPasswordResets>;

/**
 * New passwords for members who forgot theirs.
 * @param emails absent without a mail server
 */
export function createPasswordResets({
  db,
  settings,
  passwordSignIn,
  emails,
  passwordCost,
}: {
  db: Database;
  settings: OperatorSettings;
  passwordSignIn: PasswordSignIn;
  emails: AccountEmails | undefined;
  passwordCost: PasswordCost;
}) {
  const hour = 60 * 60;
  // Enough for a member who looks for the email, too few to flood a mailbox.
  const byAddress = createRateLimit(db, { name: 'password-reset', points: 4, seconds: hour });
  // High, as for registrations: stops only mass requests (docs/product.md 17.1).
  const byNetwork = createRateLimit(db, { name: 'password-reset-network', points: 100, seconds: hour });
  const attemptLimit = createPasswordAttemptLimit(db);

  return { isEmailEnabled: emails !== undefined, request: requestReset, reset: resetPassword };

  /**
   * Emails a link to the member with the address. The response and its time do not reveal whether the address exists:
   * this function does the same work in both cases, and a job does the rest.
   * @throws ProblemError 'disabled' without a mail server, 'too-many'
   */
  async function requestReset(input: string, network: string): Promise<void> {
    passwordSignIn.require();
    if (emails === undefined) throw new ProblemError('password-reset-by-email-disabled');
    const parsed = emailSchema.safeParse(input);
    if (!parsed.success) throw invalidFieldError('email', 'email-not-valid');
    const email = parsed.data;
    await requirePoint(byNetwork, { key: network, code: 'too-many-reset-links' });
    if (!(await byAddress.consume(email))) return;
    await transaction(db, (tx) => emails.sendPasswordReset(tx, { email }));
  }

  /**
   * Sets a new password with a link, and ends every session. Returns what still signs in, which the person who made the
   * reset necessary may have added.
   * @throws ProblemError 'gone' for a link that is used, expired or unknown.
   */
  async function resetPassword(
    form: { token: string; newPassword: string },
    network: string,
  ): Promise<PasswordResetResult> {
    const { token, newPassword } = form;
    passwordSignIn.require();
    // Before hashing, which is expensive on purpose.
    await requireLink(db, { token, purpose: 'reset_password' });
    await refuseCommonPassword(settings, newPassword, 'newPassword');
    const hash = await hashPassword(newPassword, passwordCost);
    const { email, remaining } = await transaction(db, async (tx) => {
      const { memberId, address } = await consumeLink(tx, { token, purpose: 'reset_password' });
      const member = await lockMember(tx, memberId, { changesEmail: false });
      if (member === undefined) throw createInvalidLinkError();
      await upsertPasswordHash(tx, { memberId, hash });
      // Opening a link in an email proves access to the mailbox.
      if (address === member.email) {
        // Someone else may have registered the address and be waiting for its owner to use the account.
        if (!member.isConfirmed) await deletePasswordlessSignIn(tx, { memberId });
        await updateEmail(tx, { memberId, address, isConfirmed: true });
        await noteConfirmedEmail(tx, memberId);
      }
      // Also cancels a pending change of address, which may be the reason for the reset.
      await deleteLinks(tx, { memberId, purposes: ['reset_password', 'change_email'] });
      await endAllSessions(tx, memberId);
      await recordSecurityEvent(tx, { memberId, event: 'password-reset' });
      return { email: member.email, remaining: await countPasswordlessSignIn(tx, { memberId, settings }) };
    });
    await attemptLimit.forget(email, network);
    return remaining;
  }
}

/** Ends all sessions of a member whose access changed, and deletes their API tokens. */
export async function endAllSessions(tx: Tx, memberId: number): Promise<void> {
  await deleteAllSessions(tx, memberId);
  await sql`delete from api_token where member_id = ${memberId}`.execute(tx);
  await publish(tx, `member:${memberId}`, { kind: 'sessions-ended', sessionId: null, except: null });
}

/**
 * Creates a password reset link for the operator to hand over. Returns its token; null if no member can sign in with
 * this address.
 */
export async function createResetLink(db: Database, input: string): Promise<string | null> {
  const email = emailSchema.safeParse(input);
  if (!email.success) return null;
  const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.reset_password);
  return transaction(db, async (tx) => {
    const member = await findMemberByEmail(tx, email.data);
    if (member === undefined) return null;
    return createLink(tx, { memberId: member.id, purpose: 'reset_password', address: null, expiresAt });
  });
}
