import { databaseNowMs } from '#server/core/database-clock.ts';
import type { Database, Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import { type Reauthentication } from '#shared/identity/two-factor.ts';
import { findPasswordHash } from './account-links-queries.ts';
import { lockSignInMethods } from './passkeys-queries.ts';
import { verifyPassword } from './passwords.ts';
import { findSessionCreatedAt } from './two-factor-queries.ts';

/**
 * @param field the field of the request that has the password. Default: `password`
 * @throws ProblemError 'invalid' at this field if it is wrong, 'too-many' after five attempts,
 * 'sign-in-again' if the member has no password and the sign-in is not recent.
 */
export type RequirePassword = (viewer: Viewer, proof: Reauthentication, field?: string) => Promise<void>;

/** Milliseconds for which a sign-in counts as recent, for members without a password. */
const maxSignInAgeMs = 15 * 60 * 1_000;

/**
 * Requires the password before irreversible actions and before changes of sign-in methods, so that an unlocked screen
 * does not give the account away. Members without a password (passkeys, an account at the provider) must have signed in
 * recently.
 */
export function createPasswordCheck(db: Database): RequirePassword {
  // As many attempts as for signing in. They count per session, so a stranger at an unlocked screen does not block the
  // member's other sessions.
  const guesses = createRateLimit(db, { name: 'password', points: 5, seconds: 15 * 60 });
  return async (viewer, { password }, field = 'password') => {
    const key = String(viewer.sessionId);
    const hash = await findPasswordHash(db, viewer.id);
    // Not a guess.
    if (hash !== undefined && !password) throw invalidFieldError(field, 'current-password-wrong');
    await requirePoint(guesses, { key, code: 'too-many-failed-sign-ins' });
    if (hash === undefined) {
      const sessionCreatedAt = await findSessionCreatedAt(db, viewer.sessionId);
      if (sessionCreatedAt === undefined || databaseNowMs() - sessionCreatedAt.getTime() > maxSignInAgeMs)
        throw new ProblemError('sign-in-too-old');
    } else if (!(await verifyPassword({ password: password ?? '', hash })))
      throw invalidFieldError(field, 'current-password-wrong');
    await guesses.reset(key);
  };
}

/**
 * Locks the sign-in methods of the viewer and checks the session again, in the transaction that adds access to the
 * account: a reset of the password, which ends all sessions, may have come after the check at the beginning of the request.
 * @throws ProblemError 'signed-out'
 */
export async function requireSession(tx: Tx, viewer: Viewer): Promise<void> {
  await lockSignInMethods(tx, viewer.id);
  if ((await findSessionCreatedAt(tx, viewer.sessionId)) === undefined) throw new ProblemError('signed-out');
}
