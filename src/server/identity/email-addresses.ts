import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, getSqlState, type Queryable, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish, publishAll } from '#server/core/events.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { switchEmailOn } from '#server/notifications/index.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit, requireBothPoints, requirePoint } from '#server/core/rate-limits.ts';
import { buildProfileEvents } from '#server/posts/index.ts';
import { isLanguage, type Language } from '#shared/core/languages.ts';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import { type OwnEmail } from '#shared/identity/account-recovery.ts';
import type { AccountEmails } from './account-emails.ts';
import {
  deleteLinks,
  isEmailTaken,
  findLatestLink,
  lockMember,
  updateEmail,
  updateLanguage,
  upsertPasswordHash,
} from './account-links-queries.ts';
import { createInvalidLinkError, linkLifetimesMs, insertPendingEmail, consumeLink } from './account-links.ts';
import { refuseBlockedEmail } from './blocked-emails.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { requireSession, type RequirePassword } from './reauthentication.ts';
import { deletePasswordlessSignIn } from './passkeys-queries.ts';
import { hasPassword } from './sign-in-methods-queries.ts';
import { findOwnMember } from './accounts-queries.ts';
import { noteConfirmedEmail } from './registrations.ts';
import { endAllSessions } from './password-resets.ts';
import { deleteTwoFactor } from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

import type { Joining } from './joining.ts';

export type EmailAddresses = ReturnType<typeof createEmailAddresses>;

/**
 * Email addresses for sign-in and email. A change is confirmed at the new address and announced to the old one, which
 * can revert it.
 * @param emails absent without a mail server; a change then takes effect immediately
 */
export function createEmailAddresses({
  db,
  settings,
  emails,
  joining,
  passwordSignIn,
  requirePassword,
}: {
  db: Database;
  settings: Pick<OperatorSettings, 'secret'>;
  emails: AccountEmails | undefined;
  passwordSignIn: PasswordSignIn;
  joining: Joining;
  requirePassword: RequirePassword;
}) {
  const day = 24 * 60 * 60;
  // Limits the emails that a member can have sent to other people's addresses, and guesses of registered addresses.
  const byMember = createRateLimit(db, { name: 'change-email', points: 5, seconds: day });
  // By the hour, so that others who name an address do not keep its owner from using it for a day.
  const byAddress = createRateLimit(db, { name: 'change-email-address', points: 3, seconds: 60 * 60 });
  const switchingOn = createRateLimit(db, { name: 'switch-email-on', points: 3, seconds: day });

  return {
    read: getOwnEmail,
    changeLanguage,
    switchOn,
    change: requestChange,
    cancel: cancelChange,
    confirm: confirmChange,
    takeBack: revertChange,
  };

  async function getOwnEmail(viewer: Viewer): Promise<OwnEmail> {
    const [member, wanted, hasOwnPassword] = await Promise.all([
      findOwnMember(db, viewer.id),
      findLatestLink(db, { memberId: viewer.id, purpose: 'change_email' }),
      hasPassword(db, viewer.id),
    ]);
    const language = member?.language ?? '';
    const offSince = member?.email_off_at ?? null;
    return {
      email: member?.email ?? '',
      isConfirmed: member?.email_verified ?? false,
      pendingEmail: wanted?.address ?? null,
      emailsOff:
        offSince === null ? null : { since: offSince.toISOString(), reason: member?.email_off_reason ?? '' },
      language: isLanguage(language) ? language : null,
      hasPassword: hasOwnPassword,
      isEmailEnabled: emails !== undefined,
    };
  }

  /**
   * Sends emails again after some came back.
   * @throws ProblemError 'too-many'
   */
  async function switchOn(viewer: Viewer): Promise<void> {
    await requirePoint(switchingOn, { key: String(viewer.id), code: 'too-often' });
    await transaction(db, async (tx) => {
      if (await switchEmailOn(tx, viewer.id))
        await publish(tx, `member:${viewer.id}`, { kind: 'member-changed' });
    });
  }

  /** Sets the language of emails and push messages. */
  async function changeLanguage(viewer: Viewer, language: Language): Promise<void> {
    await transaction(db, (tx) => updateLanguage(tx, { memberId: viewer.id, language }));
  }

  /** @throws ProblemError 'invalid' for a wrong password or address, 'email-taken', 'too-many' */
  async function requestChange(viewer: Viewer, wanted: { email: string; password: string }): Promise<void> {
    const parsed = emailSchema.safeParse(wanted.email);
    if (!parsed.success) throw invalidFieldError('email', 'email-not-valid');
    const address = parsed.data;
    await requirePassword(viewer, wanted);
    const memberId = viewer.id;
    if ((await findOwnMember(db, memberId))?.email === address)
      throw invalidFieldError('email', 'email-unchanged');
    joining.checkDomain(address);
    // Before the search for the address, so that a member cannot learn of many whether they are registered.
    const ofMember = { limit: byMember, key: String(memberId), code: 'too-many-email-changes' } as const;
    if (emails === undefined) await requirePoint(byMember, ofMember);
    else
      await requireBothPoints(ofMember, {
        limit: byAddress,
        key: address,
        code: 'too-many-emails-to-address',
      });
    await refuseUsedEmail(db, { address, memberId });
    await inEmailTransaction(async (tx) => {
      await lockMember(tx, memberId, { changesEmail: emails === undefined });
      await requireSession(tx, viewer);
      await deleteLinks(tx, { memberId, purposes: ['change_email'] });
      if (emails === undefined) return setEmail(tx, { memberId, address, isConfirmed: false });
      const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.change_email);
      await insertPendingEmail(tx, { memberId, purpose: 'change_email', address, expiresAt });
      return emails.sendEmailChangeConfirmation(tx, { memberId, address });
    });
  }

  /** Cancels the pending change of address. */
  async function cancelChange(viewer: Viewer): Promise<void> {
    await transaction(db, async (tx) => {
      await lockMember(tx, viewer.id, { changesEmail: false });
      await deleteLinks(tx, { memberId: viewer.id, purposes: ['change_email'] });
    });
  }

  /**
   * Sets the address with the emailed link.
   * @throws ProblemError 'gone', 'email-taken'
   */
  async function confirmChange(token: string): Promise<void> {
    await inEmailTransaction(async (tx) => {
      const { memberId, address } = await consumeLink(tx, { token, purpose: 'change_email' });
      if (address === null) throw createInvalidLinkError();
      joining.checkDomain(address);
      await refuseUsedEmail(tx, { address, memberId });
      await setEmail(tx, { memberId, address, isConfirmed: true });
    });
  }

  /**
   * Reverts the address with the link emailed to the old one. The person who changed it knew the password, so the
   * password stops working, every session ends, and another link sets a new password if members sign in with passwords.
   * @throws ProblemError 'gone', 'email-taken' if another member has registered an address that was never confirmed
   */
  async function revertChange(token: string): Promise<void> {
    await inEmailTransaction(async (tx) => {
      const link = await consumeLink(tx, { token, purpose: 'revert_email' });
      const { memberId, address, expiresAt } = link;
      if (address === null || (await lockMember(tx, memberId, { changesEmail: true })) === undefined)
        throw createInvalidLinkError();
      if (await isEmailTaken(tx, { address, except: memberId })) throw createRestoredEmailTakenError();
      // Earlier changes can still be reverted: those addresses were the member's before this one.
      await deleteLinks(tx, {
        memberId,
        purposes: ['reset_password', 'change_email', 'revert_email'],
        before: expiresAt,
      });
      await updateEmail(tx, { memberId, address, isConfirmed: true });
      await upsertPasswordHash(tx, { memberId, hash: null });
      await endAllSessions(tx, memberId);
      // Removes sign-in methods that the person who changed the address may have added. Without passwords, the link for
      // a new one does not work, so methods from before the request of the change stay.
      const age = linkLifetimesMs.revert_email + linkLifetimesMs.change_email;
      await deletePasswordlessSignIn(tx, {
        memberId,
        ...(!passwordSignIn.isOn() && { since: new Date(expiresAt.getTime() - age) }),
      });
      await deleteTwoFactor(tx, memberId);
      await recordSecurityEvent(tx, { memberId, event: 'email-reverted' });
      if (passwordSignIn.isOn()) await emails?.sendPasswordReset(tx, { email: address });
      await publishEmailChange(tx, memberId);
    }, createRestoredEmailTakenError);
  }

  async function setEmail(
    tx: Tx,
    { memberId, address, isConfirmed }: { memberId: number; address: string; isConfirmed: boolean },
  ): Promise<void> {
    const before = await lockMember(tx, memberId, { changesEmail: true });
    if (before === undefined) throw createInvalidLinkError();
    // Links sent to the old address.
    await deleteLinks(tx, { memberId, purposes: ['reset_password', 'change_email'] });
    await updateEmail(tx, { memberId, address, isConfirmed });
    if (isConfirmed) await noteConfirmedEmail(tx, memberId);
    if (emails !== undefined) {
      const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.revert_email);
      await insertPendingEmail(tx, {
        memberId,
        purpose: 'revert_email',
        address: before.email,
        expiresAt,
        // Anyone can register an account with the address of someone else, who must not be locked out by it.
        reservesEmail: before.isConfirmed,
      });
      await emails.sendEmailChangeNotice(tx, { memberId, address: before.email });
    }
    await recordSecurityEvent(tx, { memberId, event: 'email-changed', to: null });
    await publishEmailChange(tx, memberId);
  }

  /** @throws ProblemError 'email-taken', 'not-allowed' for a blocked address */
  async function refuseUsedEmail(
    queryable: Queryable,
    { address, memberId }: { address: string; memberId: number },
  ): Promise<void> {
    if (await isEmailTaken(queryable, { address, except: memberId })) throw createEmailTakenError();
    await refuseBlockedEmail(queryable, { secret: settings.secret, address });
  }

  /** The unique constraint decides between two concurrent requests for one address. */
  async function inEmailTransaction(
    work: (tx: Tx) => Promise<void>,
    createTakenError = createEmailTakenError,
  ): Promise<void> {
    try {
      await transaction(db, work);
    } catch (error) {
      throw getSqlState(error) === '23505' ? createTakenError() : error;
    }
  }
}

const createEmailTakenError = () =>
  new ProblemError('new-email-taken', { errors: [{ field: 'email', code: 'new-email-taken' }] });

const createRestoredEmailTakenError = () => new ProblemError('restored-email-taken');

/** The profile can show the address. */
async function publishEmailChange(tx: Tx, memberId: number): Promise<void> {
  const renamed = { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } } as const;
  await publishAll(tx, [...buildProfileEvents([memberId]), renamed]);
}
