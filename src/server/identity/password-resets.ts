import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { accountMessages, email as emailSchema } from '#shared/identity/accounts.ts';
import { recoveryMessages } from '#shared/identity/account-recovery.ts';
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
import { deletePasswordlessSignIn } from './passkeys-queries.ts';
import { findMemberByEmail } from './accounts-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

export type PasswordResets = ReturnType<typeof createPasswordResets>;

/** New passwords for those who forgot theirs. @param mails absent without a mail server */
export function createPasswordResets({
  db,
  settings,
  emails,
  passwordCost,
}: {
  db: Database;
  settings: SiteSettings;
  emails: AccountEmails | undefined;
  passwordCost: PasswordCost;
}) {
  const hour = 60 * 60;
  // More than anybody needs who looks for a mail, and too few to fill somebody's mailbox.
  const byAddress = createRateLimit(db, { name: 'reset', points: 4, seconds: hour });
  // Against floods only, as for registrations (docs/product.md 17.1).
  const byNetwork = createRateLimit(db, { name: 'reset-net', points: 100, seconds: hour });
  const attemptLimit = createPasswordAttemptLimit(db);

  return { isEmailEnabled: emails !== undefined, ask: requestReset, reset: resetPassword };

  /**
   * Mails a link to whoever has the address. Nothing that can be seen or measured tells whether anybody has: what is done
   * here is the same, and the rest is a job's.
   * @throws ProblemError 'disabled' without a mail server, 'too-many'
   */
  async function requestReset(input: string, network: string): Promise<void> {
    if (!settings.hasPasswordSignIn) throw new ProblemError('disabled', accountMessages.signUpDisabled);
    if (emails === undefined) throw new ProblemError('disabled', recoveryMessages.emailDisabled);
    const parsed = emailSchema.safeParse(input);
    if (!parsed.success) throw invalidFieldError('email', accountMessages.invalidEmail);
    const email = parsed.data;
    if (!(await byNetwork.consume(network)))
      throw new ProblemError('too-many', recoveryMessages.tooMany, { retryAfter: hour });
    if (!(await byAddress.consume(email))) return;
    await transaction(db, (tx) => emails.sendPasswordReset(tx, { email }));
  }

  /** Sets a new password by a link, and ends every session. @throws ProblemError 'gone' for a link that works no more. */
  async function resetPassword(form: { token: string; newPassword: string }, network: string): Promise<void> {
    const { token, newPassword } = form;
    if (!settings.hasPasswordSignIn) throw new ProblemError('disabled', accountMessages.signUpDisabled);
    // Not for everybody who asks: it costs what it is to cost.
    await requireLink(db, { token, purpose: 'reset' });
    await refuseCommonPassword(settings, newPassword, 'newPassword');
    const hash = await hashPassword(newPassword, passwordCost);
    const email = await transaction(db, async (tx) => {
      const { memberId, address } = await consumeLink(tx, { token, purpose: 'reset' });
      const member = await lockMember(tx, memberId);
      if (member === undefined) throw createInvalidLinkError();
      await upsertPasswordHash(tx, { memberId, hash });
      // Whoever opened a link in a mail has the mailbox.
      if (address === member.email) {
        // Whoever registered with it may have been somebody else, who waits for its owner to use the account.
        if (!member.isConfirmed) await deletePasswordlessSignIn(tx, memberId);
        await updateEmail(tx, { memberId, address, isConfirmed: true });
      }
      // An address that somebody wants to have instead may be the reason for the reset.
      await deleteLinks(tx, { memberId, purposes: ['reset', 'address'] });
      await endAllSessions(tx, memberId);
      await recordSecurityEvent(tx, { memberId, event: 'password-reset' });
      return member.email;
    });
    await attemptLimit.forget(email, network);
  }
}

/** Of a member who is let in anew, or no more. */
export async function endAllSessions(tx: Tx, memberId: number): Promise<void> {
  await deleteAllSessions(tx, memberId);
  await publish(tx, `member:${memberId}`, { kind: 'sessions-ended', sessionId: null, except: null });
}

/**
 * A link that sets a new password, for the operator to hand over. Returns its token; null where nobody can sign in with
 * this address.
 */
export async function createResetLink(db: Database, input: string): Promise<string | null> {
  const email = emailSchema.safeParse(input);
  if (!email.success) return null;
  const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.reset);
  return transaction(db, async (tx) => {
    const member = await findMemberByEmail(tx, email.data);
    if (member === undefined) return null;
    return createLink(tx, { memberId: member.id, purpose: 'reset', address: null, expiresAt });
  });
}
