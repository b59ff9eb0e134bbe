import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit, requirePoint } from '#server/core/rate-limits.ts';
import { decrypt, encrypt } from '#server/core/encryption.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import {
  type Reauthentication,
  type RemovedSignInFactors,
  type TwoFactorSetup,
  type TwoFactorState,
} from '#shared/identity/two-factor.ts';
import { type AttemptSource, createTwoFactorAttemptLimit } from './sign-in-limits.ts';
import { requireSession, type RequirePassword } from './reauthentication.ts';
import type { PasswordCost } from './passwords.ts';
import { deleteOtherSessions, findMemberByEmail, findOwnMember } from './accounts-queries.ts';
import { consumeRecoveryCode, createRecoveryCodes } from './two-factor-recovery-codes.ts';
import {
  consumeTotpPeriod,
  countRecoveryCodes,
  deleteTwoFactor,
  findTwoFactor,
  insertTwoFactor,
  replaceRecoveryCodes,
} from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import { findPasswordHash } from './account-links-queries.ts';
import { deleteAllPasskeys, lockSignInMethods } from './passkeys-queries.ts';
import { endAllSessions } from './password-resets.ts';
import { Secret, TOTP } from 'otpauth';

export type TwoFactor = ReturnType<typeof createTwoFactor>;

/** Milliseconds that the setup may take. */
const setupLifetimeMs = 30 * 60 * 1_000;

const setupSchema = z.object({ memberId: z.number(), key: z.string(), until: z.number() });

/** Two-factor authentication with codes of an authenticator app (TOTP, RFC 6238), and ten recovery codes. */
export function createTwoFactor(deps: {
  db: Database;
  settings: OperatorSettings;
  siteSettings: SiteSettings;
  requirePassword: RequirePassword;
  passwordCost: PasswordCost;
}) {
  const { db, settings, siteSettings, requirePassword } = deps;
  const quarterHour = 15 * 60;
  const attemptLimit = createTwoFactorAttemptLimit(db);
  // Counted per signed-in member: only against wasted work.
  const enableLimit = createRateLimit(db, { name: 'two-factor-setup', points: 5, seconds: quarterHour });
  const setupEncryption = { secret: settings.secret, purpose: 'second factor setup' };
  return {
    state: getState,
    setUp: beginSetup,
    switchOn: enable,
    renewCodes: renewRecoveryCodes,
    switchOff: disable,
    isOn: isEnabled,
    check: verifyCode,
  };

  async function getState(memberId: number): Promise<TwoFactorState> {
    const [stored, codesLeft] = await Promise.all([
      findTwoFactor(db, memberId),
      countRecoveryCodes(db, memberId),
    ]);
    return { enabledAt: stored?.created_at.toISOString() ?? null, recoveryCodesLeft: codesLeft };
  }

  async function isEnabled(memberId: number): Promise<boolean> {
    return (await findTwoFactor(db, memberId)) !== undefined;
  }

  /** Creates a key for the authenticator app. Nothing is stored until its first code is submitted. */
  async function beginSetup(viewer: Viewer, proof: Reauthentication): Promise<TwoFactorSetup> {
    await requirePassword(viewer, proof);
    if (await isEnabled(viewer.id)) throw new ProblemError('two-factor-already-on');
    const member = await findOwnMember(db, viewer.id);
    // A colon separates the issuer from the account.
    const name = siteSettings.get('siteName').replaceAll(':', ' ');
    const site = settings.publicUrl === null ? name : `${name} (${new URL(settings.publicUrl).host})`;
    const totpKey = createTotpKey({ site, email: member?.email ?? '' });
    const setup = { memberId: viewer.id, key: totpKey.key, until: databaseNowMs() + setupLifetimeMs };
    return { ...totpKey, setup: encrypt(setupEncryption, JSON.stringify(setup)) };
  }

  /**
   * Enables two-factor authentication: a password alone no longer signs in, and all other sessions end. Returns the
   * recovery codes.
   */
  async function enable(viewer: Viewer, form: { setup: string; code: string }): Promise<string[]> {
    const opened = setupSchema.safeParse(JSON.parse(decrypt(setupEncryption, form.setup) ?? 'null')).data;
    if (opened === undefined || opened.memberId !== viewer.id || opened.until < databaseNowMs())
      throw new ProblemError('two-factor-setup-expired');
    await requirePoint(enableLimit, { key: String(viewer.id), code: 'too-many-wrong-codes' });
    const period = findTotpPeriod(opened.key, removeSpaces(form.code));
    if (period === null) throw invalidFieldError('code', 'two-factor-code-not-valid');
    const created = await createRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      await requireSession(tx, viewer);
      const encryptedKey = encrypt(getKeyEncryption(viewer.id), opened.key);
      if (!(await insertTwoFactor(tx, { memberId: viewer.id, encryptedKey, period })))
        throw new ProblemError('two-factor-already-on');
      await replaceRecoveryCodes(tx, viewer.id, created.hashes);
      await deleteOtherSessions(tx, { exceptSessionId: viewer.sessionId, memberId: viewer.id });
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-on' });
      await publish(tx, `member:${viewer.id}`, {
        kind: 'sessions-ended',
        sessionId: null,
        except: viewer.sessionId,
      });
    });
    await enableLimit.reset(String(viewer.id));
    return created.codes;
  }

  /** Replaces the ten recovery codes. */
  async function renewRecoveryCodes(viewer: Viewer, proof: Reauthentication): Promise<string[]> {
    await requirePassword(viewer, proof);
    if (!(await isEnabled(viewer.id))) throw new ProblemError('two-factor-already-off');
    const created = await createRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      await requireSession(tx, viewer);
      await replaceRecoveryCodes(tx, viewer.id, created.hashes);
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'recovery-codes-created' });
    });
    return created.codes;
  }

  async function disable(viewer: Viewer, proof: Reauthentication): Promise<void> {
    await requirePassword(viewer, proof);
    await transaction(db, async (tx) => {
      if (!(await deleteTwoFactor(tx, viewer.id))) throw new ProblemError('two-factor-already-off');
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-off' });
    });
  }

  /**
   * Uses a code of the app, or a recovery code; each works once.
   * @throws ProblemError 'wrong-code', 'too-many'
   */
  async function verifyCode(memberId: number, code: string, source: AttemptSource): Promise<void> {
    if (!(await attemptLimit.attempt(memberId, source, () => isValidCode(memberId, code))))
      throw new ProblemError('two-factor-code-wrong');
  }

  async function isValidCode(memberId: number, code: string): Promise<boolean> {
    const digits = removeSpaces(code);
    if (!/^\d{6}$/.test(digits)) return consumeRecoveryCode(db, memberId, code);
    const stored = await findTwoFactor(db, memberId);
    // Null after the community's secret was changed: then only recovery codes work.
    const key = stored === undefined ? null : decrypt(getKeyEncryption(memberId), stored.encrypted_key);
    const period = key === null ? null : findTotpPeriod(key, digits);
    return period !== null && consumeTotpPeriod(db, { memberId, period });
  }

  /** Bound to the member, so that an encrypted key copied to another row cannot be decrypted. */
  function getKeyEncryption(memberId: number) {
    return { secret: settings.secret, purpose: `second factor of ${memberId}` };
  }
}

/** Apps show '123 456'. */
const removeSpaces = (code: string) => code.replaceAll(/\s/g, '');

/**
 * Removes two-factor authentication and all passkeys of a member who lost them, and ends all their sessions, because a
 * lost device may be signed in. Emails the member. Returns null if no member signs in with this address.
 */
export async function removeSignInFactors(db: Database, input: string): Promise<RemovedSignInFactors | null> {
  const email = emailSchema.safeParse(input);
  if (!email.success) return null;
  return transaction(db, async (tx) => {
    const member = await findMemberByEmail(tx, email.data);
    return member === undefined ? null : removeSignInFactorsOf(tx, member.id);
  });
}

/** The same for a member's id. */
export async function removeSignInFactorsOf(tx: Tx, memberId: number): Promise<RemovedSignInFactors> {
  await lockSignInMethods(tx, memberId);
  const twoFactor = await deleteTwoFactor(tx, memberId);
  const passkeys = await deleteAllPasskeys(tx, memberId);
  const hasPassword = (await findPasswordHash(tx, memberId)) !== undefined;
  if (twoFactor || passkeys > 0) await endAllSessions(tx, memberId);
  if (twoFactor) await recordSecurityEvent(tx, { memberId, event: 'two-factor-off' });
  if (passkeys > 0) await recordSecurityEvent(tx, { memberId, event: 'passkey-removed' });
  return { twoFactor, passkeys, hasPassword };
}

/** RFC 6238 as every authenticator app implements it: SHA-1, six digits, 30 seconds. */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Creates a key in base32, of 20 bytes as RFC 4226 section 4 recommends, and the address for a QR code. */
export function createTotpKey({ site, email }: { site: string; email: string }): {
  key: string;
  uri: string;
} {
  const secret = new Secret({ size: 20 });
  return {
    key: secret.base32,
    uri: new TOTP({ ...totpParameters, secret, issuer: site, label: email }).toString(),
  };
}

/**
 * Returns the 30-second period that a code belongs to: the present one, the previous one (slow typing) or the next one
 * (a fast clock); null if none.
 */
export function findTotpPeriod(key: string, code: string, at = databaseNowMs()): number | null {
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(key) });
  const offset = totp.validate({ token: code, timestamp: at, window: 1 });
  return offset === null ? null : totp.counter({ timestamp: at }) + offset;
}
