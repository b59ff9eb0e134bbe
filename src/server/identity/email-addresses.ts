import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, getSqlState, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import { buildProfileEvents } from '#server/posts/posts-events.ts';
import { accountMessages, email as emailSchema } from '#shared/identity/accounts.ts';
import { type OwnEmail, recoveryMessages } from '#shared/identity/account-recovery.ts';
import type { AccountEmails } from './account-emails.ts';
import {
  deleteLinks,
  isEmailTaken,
  findLatestLink,
  lockMember,
  updateEmail,
  upsertPasswordHash,
} from './account-links-queries.ts';
import { createInvalidLinkError, linkLifetimesMs, insertPendingEmail, consumeLink } from './account-links.ts';
import type { AskForPassword } from './reauthentication.ts';
import { deletePasswordlessSignIn } from './passkeys-queries.ts';
import { findOwnMember } from './accounts-queries.ts';
import { approveAccounts } from './registrations.ts';
import { endAllSessions } from './password-resets.ts';
import { deleteTwoFactor } from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

export type EmailAddresses = ReturnType<typeof createEmailAddresses>;

/**
 * The address a member signs in with and is mailed at. A change is confirmed at the one and told to the other, which
 * can take it back.
 * @param mails absent without a mail server: then a change holds at once
 */
export function createEmailAddresses({
  db,
  emails,
  askForPassword,
}: {
  db: Database;
  emails: AccountEmails | undefined;
  askForPassword: AskForPassword;
}) {
  const day = 24 * 60 * 60;
  // Nobody's mailbox is filled at somebody else's wish.
  const byMember = createRateLimit(db, { name: 'new-address', points: 5, seconds: day });
  const byAddress = createRateLimit(db, { name: 'new-address-to', points: 3, seconds: day });

  return {
    read: getOwnEmail,
    change: requestChange,
    cancel: cancelChange,
    confirm: confirmChange,
    takeBack: revertChange,
  };

  async function getOwnEmail(viewer: Viewer): Promise<OwnEmail> {
    const [member, wanted] = await Promise.all([
      findOwnMember(db, viewer.id),
      findLatestLink(db, { memberId: viewer.id, purpose: 'address' }),
    ]);
    return {
      email: member?.email ?? '',
      isConfirmed: member?.email_verified ?? false,
      pendingEmail: wanted?.address ?? null,
      isEmailEnabled: emails !== undefined,
    };
  }

  /** @throws ProblemError 'invalid' for a wrong password or address, 'email-taken', 'too-many' */
  async function requestChange(viewer: Viewer, wanted: { email: string; password: string }): Promise<void> {
    const parsed = emailSchema.safeParse(wanted.email);
    if (!parsed.success) throw invalidFieldError('email', accountMessages.invalidEmail);
    const address = parsed.data;
    await askForPassword(viewer, wanted);
    const memberId = viewer.id;
    if ((await findOwnMember(db, memberId))?.email === address)
      throw invalidFieldError('email', recoveryMessages.sameEmail);
    await refuseTakenEmail(db, { address, memberId });
    if (
      emails !== undefined &&
      !((await byMember.consume(String(memberId))) && (await byAddress.consume(address)))
    )
      throw new ProblemError('too-many', recoveryMessages.tooManyEmailChanges, { retryAfter: day });
    await inEmailTransaction(async (tx) => {
      await deleteLinks(tx, { memberId, purposes: ['address'] });
      if (emails === undefined) return setEmail(tx, { memberId, address, isConfirmed: false });
      const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.address);
      await insertPendingEmail(tx, { memberId, purpose: 'address', address, expiresAt });
      return emails.sendEmailChangeConfirmation(tx, { memberId, address });
    });
  }

  /** The address that is not confirmed yet is not wanted any more. */
  async function cancelChange(viewer: Viewer): Promise<void> {
    await transaction(db, (tx) => deleteLinks(tx, { memberId: viewer.id, purposes: ['address'] }));
  }

  /** Makes an address the member's by the link in the mail to it. @throws ProblemError 'gone', 'email-taken' */
  async function confirmChange(token: string): Promise<void> {
    await inEmailTransaction(async (tx) => {
      const { memberId, address } = await consumeLink(tx, { token, purpose: 'address' });
      if (address === null) throw createInvalidLinkError();
      await refuseTakenEmail(tx, { address, memberId });
      await setEmail(tx, { memberId, address, isConfirmed: true });
    });
  }

  /**
   * Gives an address back to the member by the link in the mail to it. Who changed it knew the password: it is good no
   * more, every session ends, and another link sets a new one.
   * @throws ProblemError 'gone', 'email-taken'
   */
  async function revertChange(token: string): Promise<void> {
    await inEmailTransaction(async (tx) => {
      const link = await consumeLink(tx, { token, purpose: 'return' });
      const { memberId, address, expiresAt } = link;
      if (address === null || (await lockMember(tx, memberId)) === undefined) throw createInvalidLinkError();
      // Earlier changes can still be taken back: their address was the member's before this one.
      await deleteLinks(tx, { memberId, purposes: ['reset', 'address', 'return'], before: expiresAt });
      await updateEmail(tx, { memberId, address, isConfirmed: true });
      await upsertPasswordHash(tx, { memberId, hash: null });
      await endAllSessions(tx, memberId);
      // Nor may any other way in that was added by whoever changed the address.
      await deletePasswordlessSignIn(tx, memberId);
      await deleteTwoFactor(tx, memberId);
      await recordSecurityEvent(tx, { memberId, event: 'address-returned' });
      await emails?.sendPasswordReset(tx, { email: address });
      await publishEmailChange(tx, memberId);
    });
  }

  async function setEmail(
    tx: Tx,
    { memberId, address, isConfirmed }: { memberId: number; address: string; isConfirmed: boolean },
  ): Promise<void> {
    const before = await lockMember(tx, memberId);
    if (before === undefined) throw createInvalidLinkError();
    // Those to the old address.
    await deleteLinks(tx, { memberId, purposes: ['reset', 'address'] });
    await updateEmail(tx, { memberId, address, isConfirmed });
    if (isConfirmed) await approveAccounts(tx, [memberId]);
    if (emails !== undefined) {
      const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.return);
      await insertPendingEmail(tx, { memberId, purpose: 'return', address: before.email, expiresAt });
      await emails.sendEmailChangeNotice(tx, { memberId, address: before.email });
    }
    await recordSecurityEvent(tx, { memberId, event: 'address-changed', to: null });
    await publishEmailChange(tx, memberId);
  }

  /** Two who want one address at the same moment: the unique constraint decides. */
  async function inEmailTransaction(work: (tx: Tx) => Promise<void>): Promise<void> {
    try {
      await transaction(db, work);
    } catch (error) {
      throw getSqlState(error) === '23505' ? createEmailTakenError() : error;
    }
  }
}

async function refuseTakenEmail(
  db: Parameters<typeof isEmailTaken>[0],
  { address, memberId }: { address: string; memberId: number },
): Promise<void> {
  if (await isEmailTaken(db, { address, except: memberId })) throw createEmailTakenError();
}

const createEmailTakenError = () =>
  new ProblemError('email-taken', recoveryMessages.emailTaken, {
    errors: [{ field: 'email', message: recoveryMessages.emailTaken }],
  });

/** It stands on the profile where the member shows it, and in place of a name where there is none. */
async function publishEmailChange(tx: Tx, memberId: number): Promise<void> {
  const renamed = { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } } as const;
  await publishAll(tx, [...buildProfileEvents([memberId]), renamed]);
}
