import { databaseTime } from '#server/platform/clock.ts';
import type { Database } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import { accountMessages } from '#shared/accounts.ts';
import { type Proof, secondFactorMessages } from '#shared/second-factor.ts';
import { passwordHash } from './link-queries.ts';
import { verifyPassword } from './password.ts';
import { sessionBegun } from './second-factor-queries.ts';

/**
 * @throws ProblemError 'invalid' at the field `password` for a wrong one, 'too-many' after five, 'sign-in-again' where
 * there is none and the sign-in is not fresh.
 */
export type AskForPassword = (viewer: Viewer, proof: Proof) => Promise<void>;

/** For how long a sign-in shows who asks, in milliseconds, where there is no password to ask for. */
const fresh = 15 * 60 * 1_000;

/**
 * Asks for the password before what cannot be taken back, and before ways to sign in are added or taken away, so that a
 * screen left alone gives nobody the account. Who has none (passkeys, an account elsewhere) must have signed in a short
 * time ago.
 */
export function createPasswordCheck(db: Database): AskForPassword {
  // The same tries that changing the password has (routes.ts): both count under one name.
  const guesses = rateLimit(db, { name: 'password', points: 5, seconds: 15 * 60 });
  return async (viewer, { password }) => {
    const key = String(viewer.sessionId);
    if (!(await guesses.take(key)))
      throw new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: 15 * 60 });
    const hash = await passwordHash(db, viewer.id);
    if (hash === undefined) {
      const begun = await sessionBegun(db, viewer.sessionId);
      if (begun === undefined || databaseTime() - begun.getTime() > fresh)
        throw new ProblemError('sign-in-again', secondFactorMessages.signInAgain);
    } else if (!(await verifyPassword({ password: password ?? '', hash })))
      throw invalidField('password', accountMessages.wrongPassword);
    await guesses.reset(key);
  };
}
