import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { lockSignInMethods } from './passkeys-queries.ts';
import { findProviderAccount, deleteProviderAccount, insertProviderAccount } from './providers-queries.ts';
import { recordSecurityEvent } from './security-events.ts';
import type { SignInMethods } from './sign-in-methods.ts';

/** An account at a provider. `providerId`: the `account.provider_id` of its issuer. */
export type ProviderAccountKey = { providerId: string; subject: string };

/** Links an account at a provider to a member who has authenticated with both. */
export async function linkAccount(
  tx: Tx,
  { memberId, account: { providerId, subject } }: { memberId: number; account: ProviderAccountKey },
): Promise<void> {
  await lockSignInMethods(tx, memberId);
  if ((await findProviderAccount(tx, { providerId, memberId })) !== undefined)
    throw new ProblemError('provider-already-linked');
  if (!(await insertProviderAccount(tx, { providerId, memberId, subject })))
    throw new ProblemError('provider-account-taken');
  await recordSecurityEvent(tx, { memberId, event: 'provider-linked' });
}

/** @throws ProblemError 'not-allowed' if it is the member's only sign-in method. */
export async function unlinkAccount(
  db: Database,
  {
    memberId,
    providerId,
    signInMethods,
  }: { memberId: number; providerId: string; signInMethods: SignInMethods },
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockSignInMethods(tx, memberId);
    const linked = await findProviderAccount(tx, { providerId, memberId });
    if (linked === undefined) throw new ProblemError('provider-not-linked');
    await deleteProviderAccount(tx, linked.id);
    await signInMethods.requireOne(tx, memberId, 'last-sign-in-method');
    await recordSecurityEvent(tx, { memberId, event: 'provider-unlinked' });
  });
}
