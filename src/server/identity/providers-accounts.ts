import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { providerAccountMessages } from '#shared/identity/sign-in-providers.ts';
import { countSignInMethods, lockSignInMethods } from './passkeys-queries.ts';
import { findProviderAccount, deleteProviderAccount, insertProviderAccount } from './providers-queries.ts';
import { recordSecurityEvent } from './security-events.ts';

type ProviderAccountOwner = { memberId: number; settings: Pick<SiteSettings, 'identityProvider'> };

/** Accounts of one issuer say nothing about those of another, so each has its own name in `account.provider_id`. */
export function getProviderId({ identityProvider }: Pick<SiteSettings, 'identityProvider'>): string {
  if (identityProvider === null) throw new ProblemError('disabled', providerAccountMessages.notConfigured);
  return `oidc ${identityProvider.issuer}`;
}

/** Lets an account at the provider sign a member in, who has shown that both are theirs. */
export async function linkAccount(
  db: Database,
  { memberId, subject, settings }: ProviderAccountOwner & { subject: string },
): Promise<void> {
  const providerId = getProviderId(settings);
  await transaction(db, async (tx) => {
    await lockSignInMethods(tx, memberId);
    if ((await findProviderAccount(tx, { providerId, memberId })) !== undefined)
      throw new ProblemError('done-already', providerAccountMessages.linked);
    if (!(await insertProviderAccount(tx, { providerId, memberId, subject })))
      throw new ProblemError('done-already', providerAccountMessages.otherMember);
    await recordSecurityEvent(tx, { memberId, event: 'sign-in-linked' });
  });
}

/** @throws ProblemError 'not-allowed' where the member could sign in no more. */
export async function unlinkAccount(
  db: Database,
  { memberId, settings }: ProviderAccountOwner,
): Promise<void> {
  const providerId = getProviderId(settings);
  await transaction(db, async (tx) => {
    await lockSignInMethods(tx, memberId);
    const linked = await findProviderAccount(tx, { providerId, memberId });
    if (linked === undefined) throw new ProblemError('done-already', providerAccountMessages.notLinked);
    await deleteProviderAccount(tx, linked.id);
    if ((await countSignInMethods(tx, memberId)) === 0)
      throw new ProblemError('not-allowed', providerAccountMessages.lastSignInMethod);
    await recordSecurityEvent(tx, { memberId, event: 'sign-in-unlinked' });
  });
}
