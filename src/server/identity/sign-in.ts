import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { twoFactorMessages } from '#shared/identity/two-factor.ts';
import type { Auth } from './auth.ts';
import type { Visitor } from './accounts.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { TwoFactor } from './two-factor.ts';
import { linkAccount } from './providers-accounts.ts';
import { findPasswordChangedAt } from './two-factor-queries.ts';
import { createEncryptedCookie } from '#server/core/encrypted-cookie.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/** How a try to sign in ended, with the cookies to set: signed in, or `memberId` null and asked for a second factor. */
export type SignInOutcome = { memberId: number | null; cookies: string[] };

/** @param subject an account at the identity provider, which is linked once the member has signed in. */
const pendingSignInSchema = z.object({
  memberId: z.number(),
  at: z.number(),
  subject: z.string().nullable(),
});

/** From having shown who one is to a session. */
export function createSignIn(deps: {
  db: Database;
  auth: Auth;
  settings: SiteSettings;
  secondFactor: TwoFactor;
}) {
  const { db, auth, settings, secondFactor: twoFactor } = deps;
  const knownBrowsers = createKnownBrowsers(db, settings);
  const pendingCookie = createEncryptedCookie(settings, {
    name: 'two_factor',
    schema: pendingSignInSchema,
    maxAgeSeconds: 10 * 60,
  });
  return { afterFirstFactor, withCode: submitTwoFactorCode, begin: startSession };

  /** Signs in who has shown one factor, or asks this browser for the second within ten minutes. */
  async function afterFirstFactor(
    memberId: number,
    headers: Headers,
    { subject = null }: { subject?: string | null } = {},
  ): Promise<SignInOutcome> {
    if (await twoFactor.isOn(memberId))
      return { memberId: null, cookies: [pendingCookie.set({ memberId, at: databaseNowMs(), subject })] };
    if (subject !== null) await link(memberId, subject);
    return { memberId, cookies: await startSession(memberId, headers) };
  }

  /** Signs in who was asked for the second factor in this browser. @throws ProblemError 'step-ended', 'wrong-code', 'too-many' */
  async function submitTwoFactorCode(
    code: string,
    { headers, networkAddress }: Visitor,
  ): Promise<SignInOutcome> {
    const begun = pendingCookie.read(headers);
    if (begun === null || (await isOutdated(begun)))
      throw new ProblemError('step-ended', twoFactorMessages.expired);
    const browser = await knownBrowsers.browserOf(headers, begun.memberId);
    await twoFactor.check(begun.memberId, code, { network: networkAddress, browser });
    if (begun.subject !== null) await link(begun.memberId, begun.subject);
    return {
      memberId: begun.memberId,
      cookies: [...(await startSession(begun.memberId, headers)), pendingCookie.clear()],
    };
  }

  /** Whether the password was changed after it was shown. */
  async function isOutdated({ memberId, at }: z.infer<typeof pendingSignInSchema>): Promise<boolean> {
    const setAt = await findPasswordChangedAt(db, memberId);
    return setAt !== undefined && setAt.getTime() > at;
  }

  async function link(memberId: number, subject: string): Promise<void> {
    await linkAccount(db, { memberId, subject, settings });
  }

  /** Begins a session for who has shown all that is asked of them. Returns its cookies. */
  async function startSession(memberId: number, headers: Headers): Promise<string[]> {
    const result = await auth.api.beginSession({ body: { memberId }, headers, returnHeaders: true });
    return [...result.headers.getSetCookie(), knownBrowsers.remember(headers, memberId)];
  }
}
