import { randomBytes } from 'node:crypto';
import { type Database, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { PasswordChange } from '#shared/identity/profiles.ts';
import { deleteLinks, findPasswordHash, lockMember, upsertPasswordHash } from './account-links-queries.ts';
import { deleteOtherSessions, updateSessionToken } from './accounts-queries.ts';
import type { Auth } from './auth.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { hashPassword, type PasswordCost, refuseCommonPassword } from './passwords.ts';
import type { RequirePassword } from './reauthentication.ts';
import { recordSecurityEvent } from './security-events.ts';

export type ChangePassword = ReturnType<typeof createPasswordChange>;

/** New passwords for members who know theirs. */
export function createPasswordChange({
  db,
  auth,
  settings,
  passwordSignIn,
  requirePassword,
  passwordCost,
}: {
  db: Database;
  auth: Auth;
  settings: OperatorSettings;
  passwordSignIn: PasswordSignIn;
  requirePassword: RequirePassword;
  passwordCost: PasswordCost;
}) {
  const knownBrowsers = createKnownBrowsers(db, settings);

  /**
   * Changes the password, and ends every other session of the member. This session gets a new token, so that copies of
   * its cookie no longer sign in. Returns the cookies to set.
   */
  return async function changePassword(
    viewer: Viewer,
    { currentPassword, newPassword }: PasswordChange,
    headers: Headers,
  ): Promise<string[]> {
    passwordSignIn.require();
    const { id: memberId, sessionId } = viewer;
    // Before the limit: it says nothing about the current password.
    await refuseCommonPassword(settings, newPassword, 'newPassword');
    const before = await findPasswordHash(db, memberId);
    if (before === undefined) throw invalidFieldError('currentPassword', 'current-password-wrong');
    await requirePassword(viewer, { password: currentPassword }, 'currentPassword');
    const hash = await hashPassword(newPassword, passwordCost);
    const token = randomBytes(24).toString('base64url');
    await transaction(db, async (tx) => {
      await lockMember(tx, memberId, { changesEmail: false });
      if (!(await updateSessionToken(tx, { id: sessionId, memberId, token })))
        throw new ProblemError('signed-out');
      // The form was submitted twice. Of two tokens, the browser would keep the one whose response arrives last.
      if ((await findPasswordHash(tx, memberId)) !== before)
        throw invalidFieldError('currentPassword', 'current-password-wrong');
      await upsertPasswordHash(tx, { memberId, hash });
      await deleteOtherSessions(tx, { exceptSessionId: sessionId, memberId });
      await publish(tx, `member:${memberId}`, {
        kind: 'sessions-ended',
        sessionId: null,
        except: sessionId,
        hasNewToken: true,
      });
      // As for a password reset: the pending change of address may be the reason.
      await deleteLinks(tx, { memberId, purposes: ['reset_password', 'change_email'] });
      await recordSecurityEvent(tx, { memberId, event: 'password-changed' });
    });
    const session = await auth.api.setSessionToken({ body: { token }, returnHeaders: true });
    return [...session.headers.getSetCookie(), knownBrowsers.remember(headers, memberId)];
  };
}
