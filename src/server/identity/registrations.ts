import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { MemberStatus } from '#server/core/http.ts';
import { isLoopbackNetwork, toRegistrationNetwork } from '#server/core/network-address.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { type PendingStep, pendingMessages } from '#shared/identity/accounts.ts';
import {
  countRegistrations,
  clearPendingRegistrations,
  deleteRegistrations,
  hasModerators,
  insertRegistration,
  lockRegistrationNetwork,
} from './registrations-queries.ts';

/** Days for which the network of a registration is stored. */
export const networkRetentionDays = 30;

const hour = 60 * 60;

export type RegistrationDeps = {
  db: Database;
  settings: Pick<SiteSettings, 'maxAccountsPerNetwork'>;
  /** Whether there is a mail server, so that an address can be confirmed. */
  canSendEmail: boolean;
};

/** Stores from which network a member registered, and decides whether the account waits before it can write. */
export function createRegistrations({ db, settings, canSendEmail }: RegistrationDeps) {
  return { note: recordRegistration };

  /**
   * The first accounts of a network in an hour write at once. Later ones confirm their address first or, without a mail
   * server, wait for a moderator; where there is no moderator either, nothing is waited for.
   * @param isConfirmed whether the address is known to be the member's
   */
  async function recordRegistration({
    memberId,
    address,
    isConfirmed,
  }: {
    memberId: number;
    address: string;
    isConfirmed: boolean;
  }): Promise<void> {
    const network = toRegistrationNetwork(address);
    if (network === null) return;
    await transaction(db, async (tx) => {
      await lockRegistrationNetwork(tx, network);
      const before = await countRegistrations(tx, { network, seconds: hour });
      const most = settings.maxAccountsPerNetwork;
      const isTooMany = most > 0 && before >= most && !isConfirmed && !isLoopbackNetwork(network);
      await insertRegistration(tx, {
        memberId,
        network,
        pendingStep: isTooMany ? await getApprovalRequirement(tx) : null,
      });
    });
  }

  async function getApprovalRequirement(tx: Tx): Promise<PendingStep | null> {
    if (canSendEmail) return 'confirmation';
    return (await hasModerators(tx)) ? 'moderator' : null;
  }
}

export type Registrations = ReturnType<typeof createRegistrations>;

/** The accounts can write from now on. Returns how many waited. */
export async function approveAccounts(tx: Tx, memberIds: readonly number[]): Promise<number> {
  const approvedIds = await clearPendingRegistrations(tx, memberIds);
  await publishAll(
    tx,
    approvedIds.map((id) => ({
      topic: `member:${id}` as const,
      event: { kind: 'standing-changed' as const },
    })),
  );
  return approvedIds.length;
}

export async function deleteOldRegistrations(db: Database): Promise<void> {
  await deleteRegistrations(db, { days: networkRetentionDays });
}

/** What changes nothing that others see. */
const privatePaths =
  /^\/api\/(drafts|bookmarks|bookmark-lists|questions\/similar|(questions|answers|topics)\/[^/]+\/(view|bookmark|mute|follow))(\/|$)/;

/**
 * An account that waits for its confirmation reads, but writes nothing that others see.
 * @throws ProblemError 'not-approved' with what it waits for (`pendingStep`)
 */
export function refusePendingAccount(
  { pendingStep }: MemberStatus,
  { method, path }: { method: string; path: string },
  isOwnAffair: (path: string) => boolean,
) {
  if (pendingStep === null || method === 'GET' || method === 'HEAD') return;
  if (privatePaths.test(path) || isOwnAffair(path)) return;
  throw new ProblemError('not-approved', pendingMessages[pendingStep], {
    extension: { pendingStep },
  });
}
