import type { Database } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import { accountMessages } from '#shared/accounts.ts';
import { passwordHash } from './link-queries.ts';
import { verifyPassword } from './password.ts';

/** @throws ProblemError 'invalid' at the field `password` for a wrong one, 'too-many' after five. */
export type AskForPassword = (viewer: Viewer, proof: { password: string }) => Promise<void>;

/** Asks for the password before what cannot be taken back, so that a screen left alone gives nobody the account. */
export function createPasswordCheck(db: Database): AskForPassword {
  // The same tries that changing the password has (routes.ts): both count under one name.
  const guesses = rateLimit(db, { name: 'password', points: 5, seconds: 15 * 60 });
  return async (viewer, { password }) => {
    const key = String(viewer.id);
    if (!(await guesses.take(key)))
      throw new ProblemError('too-many', accountMessages.tooManyLogins, { retryAfter: 15 * 60 });
    const hash = await passwordHash(db, viewer.id);
    if (hash === undefined || !(await verifyPassword({ password, hash })))
      throw invalidField('password', accountMessages.wrongPassword);
    await guesses.reset(key);
  };
}
