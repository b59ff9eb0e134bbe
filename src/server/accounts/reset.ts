import { databaseTime } from '#server/platform/clock.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publish } from '#server/platform/events.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import type { Settings } from '#server/platform/settings.ts';
import { accountMessages, email as emailSchema } from '#shared/accounts.ts';
import { recoveryMessages } from '#shared/recovery.ts';
import type { AccountMails } from './account-mails.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { createPasswordTries } from './failed-tries.ts';
import { deleteLinks, deleteSessions, lockMember, writeAddress, writePassword } from './link-queries.ts';
import { deadLink, linkTimes, makeLink, requireLink, useLink } from './links.ts';
import { hashPassword, type PasswordCost } from './password.ts';
import { forgetWaysWithoutPassword } from './passkey-queries.ts';
import { memberByEmail } from './queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

export type Resetting = ReturnType<typeof createResetting>;

/** New passwords for those who forgot theirs. @param mails absent without a mail server */
export function createResetting({
  db,
  settings,
  mails,
  passwordCost,
}: {
  db: Database;
  settings: Settings;
  mails: AccountMails | undefined;
  passwordCost: PasswordCost;
}) {
  const hour = 60 * 60;
  // More than anybody needs who looks for a mail, and too few to fill somebody's mailbox.
  const byAddress = rateLimit(db, { name: 'reset', points: 4, seconds: hour });
  // Against floods only, as for registrations (docs/product.md 17.1).
  const byNetwork = rateLimit(db, { name: 'reset-net', points: 100, seconds: hour });
  const tries = createPasswordTries(db);

  return { isMailed: mails !== undefined, ask, reset };

  /**
   * Mails a link to whoever has the address. Nothing that can be seen or measured tells whether anybody has: what is done
   * here is the same, and the rest is a job's.
   * @throws ProblemError 'disabled' without a mail server, 'too-many'
   */
  async function ask(given: string, network: string): Promise<void> {
    if (!settings.passwordSignIn) throw new ProblemError('disabled', accountMessages.disabled);
    if (mails === undefined) throw new ProblemError('disabled', recoveryMessages.noMail);
    const parsed = emailSchema.safeParse(given);
    if (!parsed.success) throw invalidField('email', accountMessages.invalidEmail);
    const email = parsed.data;
    if (!(await byNetwork.take(network)))
      throw new ProblemError('too-many', recoveryMessages.tooMany, { retryAfter: hour });
    if (!(await byAddress.take(email))) return;
    await transaction(db, (tx) => mails.sendReset(tx, { email }));
  }

  /** Sets a new password by a link, and ends every session. @throws ProblemError 'gone' for a link that works no more. */
  async function reset(form: { token: string; newPassword: string }, network: string): Promise<void> {
    const { token, newPassword } = form;
    if (!settings.passwordSignIn) throw new ProblemError('disabled', accountMessages.disabled);
    // Not for everybody who asks: it costs what it is to cost.
    await requireLink(db, { token, purpose: 'reset' });
    await refuseCommonPassword(settings, newPassword, 'newPassword');
    const hash = await hashPassword(newPassword, passwordCost);
    const email = await transaction(db, async (tx) => {
      const { memberId, address } = await useLink(tx, { token, purpose: 'reset' });
      const member = await lockMember(tx, memberId);
      if (member === undefined) throw deadLink();
      await writePassword(tx, { memberId, hash });
      // Whoever opened a link in a mail has the mailbox.
      if (address === member.email) {
        // Whoever registered with it may have been somebody else, who waits for its owner to use the account.
        if (!member.isConfirmed) await forgetWaysWithoutPassword(tx, memberId);
        await writeAddress(tx, { memberId, address, isConfirmed: true });
      }
      // An address that somebody wants to have instead may be the reason for the reset.
      await deleteLinks(tx, { memberId, purposes: ['reset', 'address'] });
      await endAllSessions(tx, memberId);
      await tellOfSecurityEvent(tx, { memberId, event: 'password-reset' });
      return member.email;
    });
    await tries.forget(email, network);
  }
}

/** Of a member who is let in anew, or no more. */
export async function endAllSessions(tx: Tx, memberId: number): Promise<void> {
  await deleteSessions(tx, memberId);
  await publish(tx, `member:${memberId}`, { kind: 'sessions-ended', sessionId: null, except: null });
}

/**
 * A link that sets a new password, for the operator to hand over. Returns its token; null where nobody can sign in with
 * this address.
 */
export async function makeResetLink(db: Database, given: string): Promise<string | null> {
  const email = emailSchema.safeParse(given);
  if (!email.success) return null;
  const expiresAt = new Date(databaseTime() + linkTimes.reset);
  return transaction(db, async (tx) => {
    const member = await memberByEmail(tx, email.data);
    if (member === undefined) return null;
    return makeLink(tx, { memberId: member.id, purpose: 'reset', address: null, expiresAt });
  });
}
