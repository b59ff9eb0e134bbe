import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import { accountMessages } from '#shared/identity/accounts.ts';
import { type Reauthentication, twoFactorMessages } from '#shared/identity/two-factor.ts';
import { findPasswordHash } from './account-links-queries.ts';
import { verifyPassword } from './passwords.ts';
import { findSessionCreatedAt } from './two-factor-queries.ts';

/**
 * @throws ProblemError 'invalid' at the field `password` for a wrong one, 'too-many' after five, 'sign-in-again' where
 * there is none and the sign-in is not fresh.
 */
export type AskForPassword = (viewer: Viewer, proof: Reauthentication) => Promise<void>;

/** For how long a sign-in shows who asks, in milliseconds, where there is no password to ask for. */
const maxSignInAgeMs = 15 * 60 * 1_000;

/**
 * Asks for the password before what cannot be taken back, and before ways to sign in are added or taken away, so that a
 * screen left alone gives nobody the account. Who has none (passkeys, an account elsewhere) must have signed in a short
 * time ago.
 */
export function createPasswordCheck(db: Database): AskForPassword {
  // The same tries that changing the password has (routes.ts): both count under one name.
  const guesses = createRateLimit(db, { name: 'password', points: 5, seconds: 15 * 60 });
  return async (viewer, { password }) => {
    const key = String(viewer.sessionId);
    if (!(await guesses.consume(key)))
      throw new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: 15 * 60 });
    const hash = await findPasswordHash(db, viewer.id);
    if (hash === undefined) {
      const begun = await findSessionCreatedAt(db, viewer.sessionId);
      if (begun === undefined || databaseNowMs() - begun.getTime() > maxSignInAgeMs)
        throw new ProblemError('sign-in-again', twoFactorMessages.signInAgain);
    } else if (!(await verifyPassword({ password: password ?? '', hash })))
      throw invalidFieldError('password', accountMessages.wrongPassword);
    await guesses.reset(key);
  };
}
