import type { Queryable, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import {
  countMembersOfProvider,
  countMembersWithPasswordOnly,
  hasPassword,
  hasPasswordlessSignIn,
} from './sign-in-methods-queries.ts';

export type SignInMethods = ReturnType<typeof createSignInMethods>;

/** Which sign-in methods a member has left. */
export function createSignInMethods({
  passwordSignIn,
  listProviderIds,
}: {
  passwordSignIn: PasswordSignIn;
  /** Returns the `account.provider_id` of all providers that members can use now. */
  listProviderIds: (db: Queryable) => Promise<string[]>;
}) {
  return {
    requireOne,
    requireOther,
    countMembersWithPasswordOnly: countWithPasswordOnly,
    countMembersOfProvider: countOfProvider,
  };

  /** Refuses the removal of a member's last sign-in method, in the transaction of the removal. */
  async function requireOne(
    tx: Tx,
    memberId: number,
    code: 'last-passkey' | 'last-sign-in-method' | 'other-sign-in-method-needed',
  ): Promise<void> {
    if ((await passwordSignIn.isOnDuring(tx)) && (await hasPassword(tx, memberId))) return;
    if (!(await isPasswordless(tx, memberId))) throw new ProblemError(code);
  }

  /**
   * Refuses a change after which an admin cannot sign in any more, because passwords are off.
   * @throws ProblemError 'not-allowed'
   */
  async function requireOther(tx: Tx, memberId: number): Promise<void> {
    if (!(await isPasswordless(tx, memberId))) throw new ProblemError('other-sign-in-method-needed');
  }

  async function countWithPasswordOnly(db: Queryable): Promise<number> {
    return countMembersWithPasswordOnly(db, await listProviderIds(db));
  }

  /** Counts members with an account at a provider, and those who could not sign in without it. */
  async function countOfProvider(db: Queryable, providerId: string) {
    const others = (await listProviderIds(db)).filter((each) => each !== providerId);
    return countMembersOfProvider(db, { providerId, others, hasPasswords: passwordSignIn.isOn() });
  }

  async function isPasswordless(tx: Tx, memberId: number): Promise<boolean> {
    return hasPasswordlessSignIn(tx, { memberId, providerIds: await listProviderIds(tx) });
  }
}
