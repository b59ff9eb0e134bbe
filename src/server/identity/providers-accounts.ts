import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { lockSignInMethods } from './passkeys-queries.ts';
import { findProviderAccount, deleteProviderAccount, insertProviderAccount } from './providers-queries.ts';
import { recordSecurityEvent } from './security-events.ts';
import type { SignInMethods } from './sign-in-methods.ts';

type ProviderAccountOwner = { memberId: number; settings: Pick<SiteSettings, 'identityProvider'> };

/** Each issuer has its own `account.provider_id`, because accounts of one issuer are unrelated to those of another. */
export function getProviderId({ identityProvider }: Pick<SiteSettings, 'identityProvider'>): string {
  if (identityProvider === null) throw new ProblemError('provider-not-configured');
  return `oidc ${identityProvider.issuer}`;
}

/** Links an account at the provider to a member who has authenticated with both. */
export async function linkAccount(
  db: Database,
  { memberId, subject, settings }: ProviderAccountOwner & { subject: string },
): Promise<void> {
  const providerId = getProviderId(settings);
  await transaction(db, async (tx) => {
    await lockSignInMethods(tx, memberId);
    if ((await findProviderAccount(tx, { providerId, memberId })) !== undefined)
      throw new ProblemError('provider-already-linked');
    if (!(await insertProviderAccount(tx, { providerId, memberId, subject })))
      throw new ProblemError('provider-account-taken');
    await recordSecurityEvent(tx, { memberId, event: 'provider-linked' });
  });
}

/** @throws ProblemError 'not-allowed' if it is the member's only sign-in method. */
export async function unlinkAccount(
  db: Database,
  { memberId, settings, signInMethods }: ProviderAccountOwner & { signInMethods: SignInMethods },
): Promise<void> {
  const providerId = getProviderId(settings);
  await transaction(db, async (tx) => {
    await lockSignInMethods(tx, memberId);
    const linked = await findProviderAccount(tx, { providerId, memberId });
    if (linked === undefined) throw new ProblemError('provider-not-linked');
    await deleteProviderAccount(tx, linked.id);
    await signInMethods.requireOne(tx, memberId, 'last-sign-in-method');
    await recordSecurityEvent(tx, { memberId, event: 'provider-unlinked' });
  });
}
