import { z } from 'zod';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import { decrypt, encrypt } from '#server/core/encryption.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  type Reauthentication,
  twoFactorMessages,
  type TwoFactorSetup,
  type TwoFactorState,
} from '#shared/identity/two-factor.ts';
import { type AttemptSource, createTwoFactorAttemptLimit } from './sign-in-limits.ts';
import type { AskForPassword } from './reauthentication.ts';
import type { PasswordCost } from './passwords.ts';
import { deleteOtherSessions, findMemberByEmail, findOwnMember } from './accounts-queries.ts';
import { consumeRecoveryCode, createRecoveryCodes, storeRecoveryCodes } from './two-factor-recovery-codes.ts';
import {
  consumeTotpPeriod,
  countRecoveryCodes,
  deleteTwoFactor,
  findTwoFactor,
  insertTwoFactor,
} from './two-factor-queries.ts';
import { recordSecurityEvent } from './security-events.ts';
import { email as emailSchema } from '#shared/identity/accounts.ts';
import { findPasswordHash } from './account-links-queries.ts';
import { deleteAllPasskeys, lockSignInMethods } from './passkeys-queries.ts';
import { endAllSessions } from './password-resets.ts';
import { Secret, TOTP } from 'otpauth';

export type TwoFactor = ReturnType<typeof createTwoFactor>;

/** How long setting up may take, in milliseconds. */
const setupLifetimeMs = 30 * 60 * 1_000;

const setupSchema = z.object({ memberId: z.number(), key: z.string(), until: z.number() });

/**
 * The codes of an authenticator app (TOTP, RFC 6238), which a member may ask for beside the password, and ten recovery
 * codes for who has lost it.
 */
export function createTwoFactor(deps: {
  db: Database;
  settings: SiteSettings;
  askForPassword: AskForPassword;
  passwordCost: PasswordCost;
}) {
  const { db, settings, askForPassword } = deps;
  const quarterHour = 15 * 60;
  const attemptLimit = createTwoFactorAttemptLimit(db);
  // Of who is signed in, at a key of their own: against wasted work only.
  const enableLimit = createRateLimit(db, { name: 'second-factor-start', points: 5, seconds: quarterHour });
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
    const [stored, left] = await Promise.all([findTwoFactor(db, memberId), countRecoveryCodes(db, memberId)]);
    return { enabledAt: stored?.created_at.toISOString() ?? null, recoveryCodesLeft: left };
  }

  async function isEnabled(memberId: number): Promise<boolean> {
    return (await findTwoFactor(db, memberId)) !== undefined;
  }

  /** A key for the authenticator app. Nothing is kept of it until its first code has come. */
  async function beginSetup(viewer: Viewer, proof: Reauthentication): Promise<TwoFactorSetup> {
    await askForPassword(viewer, proof);
    if (await isEnabled(viewer.id)) throw new ProblemError('done-already', twoFactorMessages.alreadyEnabled);
    const member = await findOwnMember(db, viewer.id);
    const site = settings.publicUrl === null ? 'Parley' : `Parley (${new URL(settings.publicUrl).host})`;
    const made = createTotpKey({ site, email: member?.email ?? '' });
    const setup = { memberId: viewer.id, key: made.key, until: databaseNowMs() + setupLifetimeMs };
    return { ...made, setup: encrypt(setupEncryption, JSON.stringify(setup)) };
  }

  /**
   * From here on a password alone signs nobody in, and sessions that were begun by one end, but for the one that asks.
   * Returns the recovery codes.
   */
  async function enable(viewer: Viewer, form: { setup: string; code: string }): Promise<string[]> {
    const opened = setupSchema.safeParse(JSON.parse(decrypt(setupEncryption, form.setup) ?? 'null')).data;
    if (opened === undefined || opened.memberId !== viewer.id || opened.until < databaseNowMs())
      throw new ProblemError('sign-in-again', twoFactorMessages.expired);
    if (!(await enableLimit.consume(String(viewer.id))))
      throw new ProblemError('too-many', twoFactorMessages.tooMany, { retryAfter: quarterHour });
    const period = findTotpPeriod(opened.key, removeSpaces(form.code));
    if (period === null) throw invalidFieldError('code', twoFactorMessages.wrongCode);
    const made = await createRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      const encryptedKey = encrypt(getKeyEncryption(viewer.id), opened.key);
      if (!(await insertTwoFactor(tx, { memberId: viewer.id, encryptedKey, period })))
        throw new ProblemError('done-already', twoFactorMessages.alreadyEnabled);
      await storeRecoveryCodes(tx, viewer.id, made);
      await deleteOtherSessions(tx, { exceptSessionId: viewer.sessionId, memberId: viewer.id });
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-on' });
      await publish(tx, `member:${viewer.id}`, {
        kind: 'sessions-ended',
        sessionId: null,
        except: viewer.sessionId,
      });
    });
    await enableLimit.reset(String(viewer.id));
    return made.codes;
  }

  /** Ten recovery codes in the place of those before. */
  async function renewRecoveryCodes(viewer: Viewer, proof: Reauthentication): Promise<string[]> {
    await askForPassword(viewer, proof);
    if (!(await isEnabled(viewer.id)))
      throw new ProblemError('done-already', twoFactorMessages.alreadyDisabled);
    const made = await createRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      await storeRecoveryCodes(tx, viewer.id, made);
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'recovery-codes-made' });
    });
    return made.codes;
  }

  async function disable(viewer: Viewer, proof: Reauthentication): Promise<void> {
    await askForPassword(viewer, proof);
    await transaction(db, async (tx) => {
      if (!(await deleteTwoFactor(tx, viewer.id)))
        throw new ProblemError('done-already', twoFactorMessages.alreadyDisabled);
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-off' });
    });
  }

  /**
   * Takes a code of the app, or a recovery code; each once.
   * @throws ProblemError 'wrong-code', 'too-many'
   */
  async function verifyCode(memberId: number, code: string, source: AttemptSource): Promise<void> {
    if (!(await attemptLimit.attempt(memberId, source, () => isValidCode(memberId, code))))
      throw new ProblemError('wrong-code', twoFactorMessages.wrongCode);
  }

  async function isValidCode(memberId: number, code: string): Promise<boolean> {
    const digits = removeSpaces(code);
    if (!/^\d{6}$/.test(digits)) return consumeRecoveryCode(db, memberId, code);
    const stored = await findTwoFactor(db, memberId);
    // Null after the community's secret was changed: recovery codes are left.
    const key = stored === undefined ? null : decrypt(getKeyEncryption(memberId), stored.encrypted_key);
    const period = key === null ? null : findTotpPeriod(key, digits);
    return period !== null && consumeTotpPeriod(db, { memberId, period });
  }

  /** Bound to the member, so that a sealed key moved to another row opens nothing. */
  function getKeyEncryption(memberId: number) {
    return { secret: settings.secret, purpose: `second factor of ${memberId}` };
  }
}

/** Apps show '123 456'. */
const removeSpaces = (code: string) => code.replaceAll(/\s/g, '');

/** What was taken off a member, and whether a password is left to sign in with. */
export type RemovedFactors = { twoFactor: boolean; passkeys: number; hasPassword: boolean };

/**
 * Takes the second factor and all passkeys off a member who has lost them, and signs them out everywhere: a lost device may
 * be signed in still. The member is mailed. Null where nobody signs in with this address.
 */
export async function removeSignInFactors(db: Database, input: string): Promise<RemovedFactors | null> {
  const email = emailSchema.safeParse(input);
  if (!email.success) return null;
  return transaction(db, async (tx) => {
    const member = await findMemberByEmail(tx, email.data);
    if (member === undefined) return null;
    const memberId = member.id;
    await lockSignInMethods(tx, memberId);
    const secondFactor = await deleteTwoFactor(tx, memberId);
    const passkeys = await deleteAllPasskeys(tx, memberId);
    const hasPassword = (await findPasswordHash(tx, memberId)) !== undefined;
    if (secondFactor || passkeys > 0) await endAllSessions(tx, memberId);
    if (secondFactor) await recordSecurityEvent(tx, { memberId, event: 'two-factor-off' });
    if (passkeys > 0) await recordSecurityEvent(tx, { memberId, event: 'passkey-removed' });
    return { twoFactor: secondFactor, passkeys, hasPassword };
  });
}

/** RFC 6238 as every authenticator app has it: SHA-1, six digits, 30 seconds. */
const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** A new key in base32, of 20 bytes as RFC 4226 section 4 has it, and the address that a QR code shows. */
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
 * The period of 30 seconds that a code belongs to: this one, the one before (a slow hand) or the next (a clock that is
 * ahead); null for a code of none of them.
 */
export function findTotpPeriod(key: string, code: string, at = databaseNowMs()): number | null {
  const totp = new TOTP({ ...totpParameters, secret: Secret.fromBase32(key) });
  const offset = totp.validate({ token: code, timestamp: at, window: 1 });
  return offset === null ? null : totp.counter({ timestamp: at }) + offset;
}
