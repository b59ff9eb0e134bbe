import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publishAll } from '#server/platform/events.ts';
import type { Standing } from '#server/platform/http.ts';
import { isLoopback, registrationNetwork } from '#server/platform/network-address.ts';
import type { Settings } from '#server/platform/settings.ts';
import { type WaitsFor, waitingMessages } from '#shared/accounts.ts';
import {
  countRegistrations,
  endWaiting,
  forgetRegistrations,
  hasModerators,
  insertRegistration,
  lockNetwork,
} from './registration-queries.ts';

/** Days for which the network of a registration is stored. */
export const networkDays = 30;

const hour = 60 * 60;

export type RegistrationDeps = {
  db: Database;
  settings: Pick<Settings, 'accountsPerNetwork'>;
  /** Whether there is a mail server, so that an address can be confirmed. */
  isMailed: boolean;
};

/** Stores from which network a member registered, and decides whether the account waits before it can write. */
export function createRegistrations({ db, settings, isMailed }: RegistrationDeps) {
  return { note };

  /**
   * The first accounts of a network in an hour write at once. Later ones confirm their address first or, without a mail
   * server, wait for a moderator; where there is no moderator either, nothing is waited for.
   * @param isConfirmed whether the address is known to be the member's
   */
  async function note({
    memberId,
    address,
    isConfirmed,
  }: {
    memberId: number;
    address: string;
    isConfirmed: boolean;
  }): Promise<void> {
    const network = registrationNetwork(address);
    if (network === null) return;
    await transaction(db, async (tx) => {
      await lockNetwork(tx, network);
      const before = await countRegistrations(tx, { network, seconds: hour });
      const most = settings.accountsPerNetwork;
      const isTooMany = most > 0 && before >= most && !isConfirmed && !isLoopback(network);
      await insertRegistration(tx, { memberId, network, waitsFor: isTooMany ? await waiting(tx) : null });
    });
  }

  async function waiting(tx: Tx): Promise<WaitsFor | null> {
    if (isMailed) return 'confirmation';
    return (await hasModerators(tx)) ? 'moderator' : null;
  }
}

export type Registrations = ReturnType<typeof createRegistrations>;

/** The accounts can write from now on. Returns how many waited. */
export async function approveAccounts(tx: Tx, memberIds: readonly number[]): Promise<number> {
  const freed = await endWaiting(tx, memberIds);
  await publishAll(
    tx,
    freed.map((id) => ({ topic: `member:${id}` as const, event: { kind: 'standing-changed' as const } })),
  );
  return freed.length;
}

export async function forgetOldRegistrations(db: Database): Promise<void> {
  await forgetRegistrations(db, { days: networkDays });
}

/** What changes nothing that others see. */
const unseen =
  /^\/api\/(drafts|bookmarks|bookmark-lists|questions\/similar|(questions|answers|topics)\/[^/]+\/(view|bookmark|mute|follow))(\/|$)/;

/**
 * An account that waits for its confirmation reads, but writes nothing that others see.
 * @throws ProblemError 'not-approved' with what it waits for (`waitsFor`)
 */
export function refuseWaiting(
  { waitsFor }: Standing,
  { method, path }: { method: string; path: string },
  isOwnAffair: (path: string) => boolean,
) {
  if (waitsFor === null || method === 'GET' || method === 'HEAD') return;
  if (unseen.test(path) || isOwnAffair(path)) return;
  throw new ProblemError('not-approved', waitingMessages[waitsFor], { extension: { waitsFor } });
}
