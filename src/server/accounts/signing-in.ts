import { z } from 'zod';
import { databaseTime } from '#server/platform/clock.ts';
import type { Database } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Settings } from '#server/platform/settings.ts';
import { secondFactorMessages } from '#shared/second-factor.ts';
import type { Auth } from './auth.ts';
import type { Visitor } from './accounts.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { SecondFactor } from './second-factor.ts';
import { linkAccount } from './provider-accounts.ts';
import { passwordSetAt } from './second-factor-queries.ts';
import { createStep } from './steps.ts';

export type SigningIn = ReturnType<typeof createSigningIn>;

/** How a try to sign in ended, with the cookies to set: signed in, or `memberId` null and asked for a second factor. */
export type SignInOutcome = { memberId: number | null; cookies: string[] };

/** @param subject an account at the identity provider, which is linked once the member has signed in. */
const pending = z.object({ memberId: z.number(), at: z.number(), subject: z.string().nullable() });

/** From having shown who one is to a session. */
export function createSigningIn(deps: {
  db: Database;
  auth: Auth;
  settings: Settings;
  secondFactor: SecondFactor;
}) {
  const { db, auth, settings, secondFactor } = deps;
  const known = createKnownBrowsers(db, settings);
  const step = createStep(settings, { name: 'two_factor', schema: pending, seconds: 10 * 60 });
  return { afterFirstFactor, withCode, begin };

  /** Signs in who has shown one factor, or asks this browser for the second within ten minutes. */
  async function afterFirstFactor(
    memberId: number,
    headers: Headers,
    { subject = null }: { subject?: string | null } = {},
  ): Promise<SignInOutcome> {
    if (await secondFactor.isOn(memberId))
      return { memberId: null, cookies: [step.begin({ memberId, at: databaseTime(), subject })] };
    if (subject !== null) await link(memberId, subject);
    return { memberId, cookies: await begin(memberId, headers) };
  }

  /** Signs in who was asked for the second factor in this browser. @throws ProblemError 'step-ended', 'wrong-code', 'too-many' */
  async function withCode(code: string, { headers, address }: Visitor): Promise<SignInOutcome> {
    const begun = step.read(headers);
    if (begun === null || (await isOutdated(begun)))
      throw new ProblemError('step-ended', secondFactorMessages.ended);
    const browser = await known.browserOf(headers, begun.memberId);
    await secondFactor.check(begun.memberId, code, { network: address, browser });
    if (begun.subject !== null) await link(begun.memberId, begun.subject);
    return { memberId: begun.memberId, cookies: [...(await begin(begun.memberId, headers)), step.end()] };
  }

  /** Whether the password was changed after it was shown. */
  async function isOutdated({ memberId, at }: z.infer<typeof pending>): Promise<boolean> {
    const setAt = await passwordSetAt(db, memberId);
    return setAt !== undefined && setAt.getTime() > at;
  }

  async function link(memberId: number, subject: string): Promise<void> {
    await linkAccount(db, { memberId, subject, settings });
  }

  /** Begins a session for who has shown all that is asked of them. Returns its cookies. */
  async function begin(memberId: number, headers: Headers): Promise<string[]> {
    const result = await auth.api.beginSession({ body: { memberId }, headers, returnHeaders: true });
    return [...result.headers.getSetCookie(), known.remember(headers, memberId)];
  }
}
