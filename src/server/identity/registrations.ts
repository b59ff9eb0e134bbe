import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { MemberStatus } from '#server/core/http.ts';
import { isLoopbackNetwork, toRegistrationNetwork } from '#server/core/network-address.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { pendingStep, type PendingStep, pendingStepErrors } from '#shared/identity/accounts.ts';
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
  settings: Pick<OperatorSettings, 'maxAccountsPerNetwork'>;
  /** Whether there is a mail server, so that an address can be confirmed. */
  canSendEmail: boolean;
};

/** Stores the network that a member registered from, and decides whether the account must wait before it can post. */
export function createRegistrations({ db, settings, canSendEmail }: RegistrationDeps) {
  return { note: recordRegistration };

  /**
   * The first accounts of a network in an hour can post immediately. Later ones confirm their address first or, without
   * a mail server, wait for a moderator. Without moderators, they do not wait (docs/product.md 17.3).
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
      const max = settings.maxAccountsPerNetwork;
      const isTooMany = max > 0 && before >= max && !isConfirmed && !isLoopbackNetwork(network);
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

/** A moderator lets the accounts post from now on, whatever they wait for. Returns how many were waiting. */
export async function approveAccounts(tx: Tx, memberIds: readonly number[]): Promise<number> {
  return endWaiting(tx, memberIds, pendingStep.options);
}

/** Lets an account post whose address has been confirmed, unless it waits for a moderator. */
export async function noteConfirmedEmail(tx: Tx, memberId: number): Promise<void> {
  await endWaiting(tx, [memberId], ['confirmation']);
}

async function endWaiting(
  tx: Tx,
  memberIds: readonly number[],
  steps: readonly PendingStep[],
): Promise<number> {
  const ids = await clearPendingRegistrations(tx, { memberIds, steps });
  await publishAll(
    tx,
    ids.map((id) => ({
      topic: `member:${id}` as const,
      event: { kind: 'member-status-changed' as const },
    })),
  );
  return ids.length;
}

export async function deleteOldRegistrations(db: Database): Promise<void> {
  await deleteRegistrations(db, { days: networkRetentionDays });
}

/** Paths of writes that other members do not see. */
const privatePaths =
  /^\/api\/(drafts|bookmarks|bookmark-lists|questions\/similar|(questions|answers|tags)\/[^/]+\/(view|bookmark|mute|follow))(\/|$)/;

/**
 * A waiting account can read, but writes nothing that others see.
 * @throws ProblemError 'not-approved' with what it waits for (`pendingStep`)
 */
export function refusePendingAccount(
  { pendingStep: step }: MemberStatus,
  { method, path }: { method: string; path: string },
  isOwnAffair: (path: string) => boolean,
) {
  if (step === null || method === 'GET' || method === 'HEAD') return;
  if (privatePaths.test(path) || isOwnAffair(path)) return;
  throw new ProblemError(pendingStepErrors[step], { extension: { pendingStep: step } });
}
