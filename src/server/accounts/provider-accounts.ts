import { type Database, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Settings } from '#server/platform/settings.ts';
import { providerAccountMessages } from '#shared/providers.ts';
import { countWaysIn, lockWaysIn } from './passkey-queries.ts';
import { accountOf, deleteAccount, insertAccount } from './provider-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

type Whose = { memberId: number; settings: Pick<Settings, 'identityProvider'> };

/** Accounts of one issuer say nothing about those of another, so each has its own name in `account.provider_id`. */
export function providerIdOf({ identityProvider }: Pick<Settings, 'identityProvider'>): string {
  if (identityProvider === null) throw new ProblemError('disabled', providerAccountMessages.off);
  return `oidc ${identityProvider.issuer}`;
}

/** Lets an account at the provider sign a member in, who has shown that both are theirs. */
export async function linkAccount(
  db: Database,
  { memberId, subject, settings }: Whose & { subject: string },
): Promise<void> {
  const providerId = providerIdOf(settings);
  await transaction(db, async (tx) => {
    await lockWaysIn(tx, memberId);
    if ((await accountOf(tx, { providerId, memberId })) !== undefined)
      throw new ProblemError('done-already', providerAccountMessages.linked);
    if (!(await insertAccount(tx, { providerId, memberId, subject })))
      throw new ProblemError('done-already', providerAccountMessages.otherMember);
    await tellOfSecurityEvent(tx, { memberId, event: 'sign-in-linked' });
  });
}

/** @throws ProblemError 'not-allowed' where the member could sign in no more. */
export async function unlinkAccount(db: Database, { memberId, settings }: Whose): Promise<void> {
  const providerId = providerIdOf(settings);
  await transaction(db, async (tx) => {
    await lockWaysIn(tx, memberId);
    const linked = await accountOf(tx, { providerId, memberId });
    if (linked === undefined) throw new ProblemError('done-already', providerAccountMessages.notLinked);
    await deleteAccount(tx, linked.id);
    if ((await countWaysIn(tx, memberId)) === 0)
      throw new ProblemError('not-allowed', providerAccountMessages.last);
    await tellOfSecurityEvent(tx, { memberId, event: 'sign-in-unlinked' });
  });
}
