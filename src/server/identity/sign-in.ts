import { z } from 'zod';
import { type Database, type Queryable, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { Auth } from './auth.ts';
import type { Visitor } from './accounts.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { TwoFactor } from './two-factor.ts';
import { linkAccount, type ProviderAccountKey } from './providers-accounts.ts';
import { deleteSession } from './accounts-queries.ts';
import { endReplacedSession } from './sessions.ts';
import { lockSignInMethods } from './passkeys-queries.ts';
import { findAccessState } from './sign-in-methods-queries.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/** The outcome of a sign-in attempt, with the cookies to set. `memberId` is null if a two-factor code is required. */
export type SignInOutcome = { memberId: number | null; cookies: string[] };

/**
 * A member who passed a factor, and the access state (sign-in-methods-queries.ts) that was read with the password, the
 * passkey or the account at a provider: not later, so that a change meanwhile is noticed.
 */
export type AuthenticatedMember = { memberId: number; accessState: string | null };

/** @param account the account at an identity provider to link after the sign-in. */
const pendingSignInSchema = z.object({
  memberId: z.number(),
  accessState: z.string(),
  account: z.object({ providerId: z.string(), subject: z.string() }).nullable(),
});

/** Creates a session for a member who has authenticated. */
export function createSignIn(deps: {
  db: Database;
  auth: Auth;
  settings: OperatorSettings;
  twoFactor: TwoFactor;
}) {
  const { db, auth, settings, twoFactor } = deps;
  const knownBrowsers = createKnownBrowsers(db, settings);
  const pendingCookie = createEncryptedCookie(settings, {
    name: 'two_factor',
    schema: pendingSignInSchema,
    maxAgeSeconds: 10 * 60,
  });
  return { afterFirstFactor, withCode: submitTwoFactorCode, begin: startSession };

  /** Signs in a member who passed the first factor, or requires the second one in this browser within ten minutes. */
  async function afterFirstFactor(
    member: AuthenticatedMember,
    headers: Headers,
    { account = null }: { account?: ProviderAccountKey | null } = {},
  ): Promise<SignInOutcome> {
    const { memberId, accessState } = member;
    if (accessState !== null && (await twoFactor.isOn(memberId)))
      return { memberId: null, cookies: [pendingCookie.set({ memberId, accessState, account })] };
    return { memberId, cookies: await startSession(member, headers, { account }) };
  }

  /**
   * Signs in with the two-factor code required in this browser.
   * @throws ProblemError 'sign-in-expired', 'wrong-code', 'too-many'
   */
  async function submitTwoFactorCode(
    code: string,
    { headers, networkAddress }: Visitor,
  ): Promise<SignInOutcome> {
    const pending = pendingCookie.read(headers);
    if (pending === null) throw new ProblemError('sign-in-expired');
    await requireAccessState(db, pending);
    const browser = await knownBrowsers.browserOf(headers, pending.memberId);
    await twoFactor.check(pending.memberId, code, { network: networkAddress, browser });
    const cookies = await startSession(pending, headers, { account: pending.account });
    return { memberId: pending.memberId, cookies: [...cookies, pendingCookie.clear()] };
  }

  /**
   * Starts a session for a member who passed all factors. Returns its cookies.
   * @param options.account the account at an identity provider to link
   * @throws ProblemError 'sign-in-expired' if the password or another sign-in method changed since it was checked: such
   * a change ends the sessions of the member, and this one must not begin after it
   */
  async function startSession(
    member: AuthenticatedMember,
    headers: Headers,
    { account = null }: { account?: ProviderAccountKey | null } = {},
  ): Promise<string[]> {
    const { memberId } = member;
    const { headers: responseHeaders, response } = await auth.api.beginSession({
      body: { memberId },
      headers,
      returnHeaders: true,
    });
    try {
      await transaction(db, async (tx) => {
        // Waits for a change that has ended the other sessions but is not committed.
        await lockSignInMethods(tx, memberId);
        await requireAccessState(tx, member);
        if (account !== null) await linkAccount(tx, { memberId, account });
        const { sessionId: id, replacedToken: token } = response;
        if (token !== null) await endReplacedSession(tx, { token, by: { id, memberId } });
      });
    } catch (error) {
      await deleteSession(db, { id: response.sessionId, memberId });
      throw error;
    }
    return [...responseHeaders.getSetCookie(), knownBrowsers.remember(headers, memberId)];
  }
}

async function requireAccessState(
  db: Queryable,
  { memberId, accessState }: AuthenticatedMember,
): Promise<void> {
  if (accessState === null || (await findAccessState(db, memberId)) !== accessState)
    throw new ProblemError('sign-in-expired');
}
