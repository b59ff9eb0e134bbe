import { approveAccounts } from '#server/identity/index.ts';
import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import { pageById } from '#server/core/cursor.ts';
import type { RegisteredAccount, RegistrationNetwork } from '#shared/moderation/removals.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import { selectAccounts, selectNetworks } from './registrations-queries.ts';

/** Networks in one response at most, and accounts per page. */
const pageSizes = { networks: 100, accounts: 100 } as const;

/** Returns the networks of recent registrations: those with waiting accounts first, then the largest. */
export async function readRegistrationNetworks(
  db: Reader,
  { hours }: { hours: number },
): Promise<{ items: RegistrationNetwork[] }> {
  return { items: await selectNetworks(db, { hours, limit: pageSizes.networks }) };
}

/** Returns the accounts of one network, latest first. */
export async function readRegisteredAccounts(
  db: Reader,
  { network, hours, cursor }: { network: string | null; hours: number; cursor: string | undefined },
): Promise<{ items: RegisteredAccount[]; nextCursor: string | null }> {
  return pageById(cursor, pageSizes.accounts, (before, limit) =>
    selectAccounts(db, { network, hours, before, limit }),
  );
}

/**
 * Approves accounts that wait for approval, so that they can post.
 * @throws ProblemError 'already-handled' if none of them waits.
 */
export async function approveRegistrations(
  db: Database,
  { moderatorId, memberIds }: { moderatorId: number; memberIds: readonly number[] },
): Promise<void> {
  await transaction(db, async (tx) => {
    const accounts = await approveAccounts(tx, memberIds);
    if (accounts === 0) throw new ProblemError('accounts-already-approved');
    const [only] = memberIds;
    const memberId = memberIds.length === 1 && only !== undefined ? only : null;
    await insertLogEntry(tx, {
      moderatorId,
      action: 'approve',
      reason: '',
      post: null,
      memberId,
      before: { accounts },
    });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}
