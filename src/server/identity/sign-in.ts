import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { Auth } from './auth.ts';
import type { Visitor } from './accounts.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { TwoFactor } from './two-factor.ts';
import { linkAccount, type ProviderAccountKey } from './providers-accounts.ts';
import { findPasswordChangedAt } from './two-factor-queries.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/** The outcome of a sign-in attempt, with the cookies to set. `memberId` is null if a two-factor code is required. */
export type SignInOutcome = { memberId: number | null; cookies: string[] };

/** @param account the account at an identity provider to link after the sign-in. */
const pendingSignInSchema = z.object({
  memberId: z.number(),
  at: z.number(),
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
    memberId: number,
    headers: Headers,
    { account = null }: { account?: ProviderAccountKey | null } = {},
  ): Promise<SignInOutcome> {
    if (await twoFactor.isOn(memberId))
      return { memberId: null, cookies: [pendingCookie.set({ memberId, at: databaseNowMs(), account })] };
    if (account !== null) await linkAccount(db, { memberId, account });
    return { memberId, cookies: await startSession(memberId, headers) };
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
    if (pending === null || (await isOutdated(pending))) throw new ProblemError('sign-in-expired');
    const browser = await knownBrowsers.browserOf(headers, pending.memberId);
    await twoFactor.check(pending.memberId, code, { network: networkAddress, browser });
    const { memberId, account } = pending;
    if (account !== null) await linkAccount(db, { memberId, account });
    return { memberId, cookies: [...(await startSession(memberId, headers)), pendingCookie.clear()] };
  }

  /** Whether the password was changed after the first step. */
  async function isOutdated({ memberId, at }: z.infer<typeof pendingSignInSchema>): Promise<boolean> {
    const setAt = await findPasswordChangedAt(db, memberId);
    return setAt !== undefined && setAt.getTime() > at;
  }

  /** Starts a session for a member who passed all factors. Returns its cookies. */
  async function startSession(memberId: number, headers: Headers): Promise<string[]> {
    const result = await auth.api.beginSession({ body: { memberId }, headers, returnHeaders: true });
    return [...result.headers.getSetCookie(), knownBrowsers.remember(headers, memberId)];
  }
}
