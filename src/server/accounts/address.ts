import { databaseTime } from '#server/platform/clock.ts';
import { type Database, sqlState, transaction, type Tx } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publishAll } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import { profilesChanged } from '#server/posts/told.ts';
import { accountMessages, email as emailSchema } from '#shared/accounts.ts';
import { type OwnAddress, recoveryMessages } from '#shared/recovery.ts';
import type { AccountMails } from './account-mails.ts';
import {
  deleteLinks,
  isAddressTaken,
  latestLink,
  lockMember,
  writeAddress,
  writePassword,
} from './link-queries.ts';
import { deadLink, linkTimes, noteAddress, useLink } from './links.ts';
import type { AskForPassword } from './own-password.ts';
import { forgetWaysWithoutPassword } from './passkey-queries.ts';
import { ownMember } from './queries.ts';
import { approveAccounts } from './registrations.ts';
import { endAllSessions } from './reset.ts';
import { deleteSecondFactor } from './second-factor-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

export type Addresses = ReturnType<typeof createAddresses>;

/**
 * The address a member signs in with and is mailed at. A change is confirmed at the one and told to the other, which
 * can take it back.
 * @param mails absent without a mail server: then a change holds at once
 */
export function createAddresses({
  db,
  mails,
  askForPassword,
}: {
  db: Database;
  mails: AccountMails | undefined;
  askForPassword: AskForPassword;
}) {
  const day = 24 * 60 * 60;
  // Nobody's mailbox is filled at somebody else's wish.
  const byMember = rateLimit(db, { name: 'new-address', points: 5, seconds: day });
  const byAddress = rateLimit(db, { name: 'new-address-to', points: 3, seconds: day });

  return { read, change, cancel, confirm, takeBack };

  async function read(viewer: Viewer): Promise<OwnAddress> {
    const [member, wanted] = await Promise.all([
      ownMember(db, viewer.id),
      latestLink(db, { memberId: viewer.id, purpose: 'address' }),
    ]);
    return {
      email: member?.email ?? '',
      isConfirmed: member?.email_verified ?? false,
      wanted: wanted?.address ?? null,
      isMailed: mails !== undefined,
    };
  }

  /** @throws ProblemError 'invalid' for a wrong password or address, 'email-taken', 'too-many' */
  async function change(viewer: Viewer, wanted: { email: string; password: string }): Promise<void> {
    const parsed = emailSchema.safeParse(wanted.email);
    if (!parsed.success) throw invalidField('email', accountMessages.invalidEmail);
    const address = parsed.data;
    await askForPassword(viewer, wanted);
    const memberId = viewer.id;
    if ((await ownMember(db, memberId))?.email === address)
      throw invalidField('email', recoveryMessages.sameAddress);
    await refuseTaken(db, { address, memberId });
    if (mails !== undefined && !((await byMember.take(String(memberId))) && (await byAddress.take(address))))
      throw new ProblemError('too-many', recoveryMessages.tooManyAddresses, { retryAfter: day });
    await changing(async (tx) => {
      await deleteLinks(tx, { memberId, purposes: ['address'] });
      if (mails === undefined) return setAddress(tx, { memberId, address, isConfirmed: false });
      const expiresAt = new Date(databaseTime() + linkTimes.address);
      await noteAddress(tx, { memberId, purpose: 'address', address, expiresAt });
      return mails.askNewAddress(tx, { memberId, address });
    });
  }

  /** The address that is not confirmed yet is not wanted any more. */
  async function cancel(viewer: Viewer): Promise<void> {
    await transaction(db, (tx) => deleteLinks(tx, { memberId: viewer.id, purposes: ['address'] }));
  }

  /** Makes an address the member's by the link in the mail to it. @throws ProblemError 'gone', 'email-taken' */
  async function confirm(token: string): Promise<void> {
    await changing(async (tx) => {
      const { memberId, address } = await useLink(tx, { token, purpose: 'address' });
      if (address === null) throw deadLink();
      await refuseTaken(tx, { address, memberId });
      await setAddress(tx, { memberId, address, isConfirmed: true });
    });
  }

  /**
   * Gives an address back to the member by the link in the mail to it. Who changed it knew the password: it is good no
   * more, every session ends, and another link sets a new one.
   * @throws ProblemError 'gone', 'email-taken'
   */
  async function takeBack(token: string): Promise<void> {
    await changing(async (tx) => {
      const link = await useLink(tx, { token, purpose: 'return' });
      const { memberId, address, expiresAt } = link;
      if (address === null || (await lockMember(tx, memberId)) === undefined) throw deadLink();
      // Earlier changes can still be taken back: their address was the member's before this one.
      await deleteLinks(tx, { memberId, purposes: ['reset', 'address', 'return'], before: expiresAt });
      await writeAddress(tx, { memberId, address, isConfirmed: true });
      await writePassword(tx, { memberId, hash: null });
      await endAllSessions(tx, memberId);
      // Nor may any other way in that was added by whoever changed the address.
      await forgetWaysWithoutPassword(tx, memberId);
      await deleteSecondFactor(tx, memberId);
      await tellOfSecurityEvent(tx, { memberId, event: 'address-returned' });
      await mails?.sendReset(tx, { email: address });
      await tellOfAddress(tx, memberId);
    });
  }

  async function setAddress(
    tx: Tx,
    { memberId, address, isConfirmed }: { memberId: number; address: string; isConfirmed: boolean },
  ): Promise<void> {
    const before = await lockMember(tx, memberId);
    if (before === undefined) throw deadLink();
    // Those to the old address.
    await deleteLinks(tx, { memberId, purposes: ['reset', 'address'] });
    await writeAddress(tx, { memberId, address, isConfirmed });
    if (isConfirmed) await approveAccounts(tx, [memberId]);
    if (mails !== undefined) {
      const expiresAt = new Date(databaseTime() + linkTimes.return);
      await noteAddress(tx, { memberId, purpose: 'return', address: before.email, expiresAt });
      await mails.tellOldAddress(tx, { memberId, address: before.email });
    }
    await tellOfSecurityEvent(tx, { memberId, event: 'address-changed', to: null });
    await tellOfAddress(tx, memberId);
  }

  /** Two who want one address at the same moment: the unique constraint decides. */
  async function changing(work: (tx: Tx) => Promise<void>): Promise<void> {
    try {
      await transaction(db, work);
    } catch (error) {
      throw sqlState(error) === '23505' ? addressTaken() : error;
    }
  }
}

async function refuseTaken(
  db: Parameters<typeof isAddressTaken>[0],
  { address, memberId }: { address: string; memberId: number },
): Promise<void> {
  if (await isAddressTaken(db, { address, except: memberId })) throw addressTaken();
}

const addressTaken = () =>
  new ProblemError('email-taken', recoveryMessages.addressTaken, {
    errors: [{ field: 'email', message: recoveryMessages.addressTaken }],
  });

/** It stands on the profile where the member shows it, and in place of a name where there is none. */
async function tellOfAddress(tx: Tx, memberId: number): Promise<void> {
  const renamed = { topic: `profile:${memberId}`, event: { kind: 'member-renamed' } } as const;
  await publishAll(tx, [...profilesChanged([memberId]), renamed]);
}
