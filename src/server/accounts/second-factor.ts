import { z } from 'zod';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, transaction } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publish } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import { seal, unseal } from '#server/platform/sealed.ts';
import type { Settings } from '#server/platform/settings.ts';
import {
  type Proof,
  secondFactorMessages,
  type SecondFactorSetup,
  type SecondFactorState,
} from '#shared/second-factor.ts';
import { createCodeTries, type Source } from './failed-tries.ts';
import { newAppKey, periodOf } from './authenticator-app.ts';
import type { AskForPassword } from './own-password.ts';
import type { PasswordCost } from './password.ts';
import { deleteOtherSessions, ownMember } from './queries.ts';
import { keepRecoveryCodes, makeRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts';
import {
  countRecoveryCodes,
  deleteSecondFactor,
  insertSecondFactor,
  secondFactorOf,
  takePeriod,
} from './second-factor-queries.ts';
import { tellOfSecurityEvent } from './security-events.ts';

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** How long setting up may take, in milliseconds. */
const setupTime = 30 * 60 * 1_000;

const setupSchema = z.object({ memberId: z.number(), key: z.string(), until: z.number() });

/**
 * The codes of an authenticator app (TOTP, RFC 6238), which a member may ask for beside the password, and ten recovery
 * codes for who has lost it.
 */
export function createSecondFactor(deps: {
  db: Database;
  settings: Settings;
  askForPassword: AskForPassword;
  passwordCost: PasswordCost;
}) {
  const { db, settings, askForPassword } = deps;
  const quarterHour = 15 * 60;
  const tries = createCodeTries(db);
  // Of who is signed in, at a key of their own: against wasted work only.
  const starts = rateLimit(db, { name: 'second-factor-start', points: 5, seconds: quarterHour });
  const setupSealing = { secret: settings.secret, purpose: 'second factor setup' };
  return { state, setUp, switchOn, renewCodes, switchOff, isOn, check };

  async function state(memberId: number): Promise<SecondFactorState> {
    const [kept, left] = await Promise.all([secondFactorOf(db, memberId), countRecoveryCodes(db, memberId)]);
    return { since: kept?.created_at.toISOString() ?? null, recoveryCodesLeft: left };
  }

  async function isOn(memberId: number): Promise<boolean> {
    return (await secondFactorOf(db, memberId)) !== undefined;
  }

  /** A key for the authenticator app. Nothing is kept of it until its first code has come. */
  async function setUp(viewer: Viewer, proof: Proof): Promise<SecondFactorSetup> {
    await askForPassword(viewer, proof);
    if (await isOn(viewer.id)) throw new ProblemError('done-already', secondFactorMessages.isOn);
    const member = await ownMember(db, viewer.id);
    const site = settings.publicUrl === null ? 'Parley' : `Parley (${new URL(settings.publicUrl).host})`;
    const made = newAppKey({ site, email: member?.email ?? '' });
    const setup = { memberId: viewer.id, key: made.key, until: databaseTime() + setupTime };
    return { ...made, setup: seal(setupSealing, JSON.stringify(setup)) };
  }

  /**
   * From here on a password alone signs nobody in, and sessions that were begun by one end, but for the one that asks.
   * Returns the recovery codes.
   */
  async function switchOn(viewer: Viewer, form: { setup: string; code: string }): Promise<string[]> {
    const opened = setupSchema.safeParse(JSON.parse(unseal(setupSealing, form.setup) ?? 'null')).data;
    if (opened === undefined || opened.memberId !== viewer.id || opened.until < databaseTime())
      throw new ProblemError('sign-in-again', secondFactorMessages.ended);
    if (!(await starts.take(String(viewer.id))))
      throw new ProblemError('too-many', secondFactorMessages.tooMany, { retryAfter: quarterHour });
    const period = periodOf(opened.key, digitsOf(form.code));
    if (period === null) throw invalidField('code', secondFactorMessages.wrongCode);
    const made = await makeRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      const sealedKey = seal(keySealing(viewer.id), opened.key);
      if (!(await insertSecondFactor(tx, { memberId: viewer.id, sealedKey, period })))
        throw new ProblemError('done-already', secondFactorMessages.isOn);
      await keepRecoveryCodes(tx, viewer.id, made);
      await deleteOtherSessions(tx, { keep: viewer.sessionId, memberId: viewer.id });
      await tellOfSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-on' });
      await publish(tx, `member:${viewer.id}`, {
        kind: 'sessions-ended',
        sessionId: null,
        except: viewer.sessionId,
      });
    });
    await starts.reset(String(viewer.id));
    return made.codes;
  }

  /** Ten recovery codes in the place of those before. */
  async function renewCodes(viewer: Viewer, proof: Proof): Promise<string[]> {
    await askForPassword(viewer, proof);
    if (!(await isOn(viewer.id))) throw new ProblemError('done-already', secondFactorMessages.isOff);
    const made = await makeRecoveryCodes(deps.passwordCost);
    await transaction(db, async (tx) => {
      await keepRecoveryCodes(tx, viewer.id, made);
      await tellOfSecurityEvent(tx, { memberId: viewer.id, event: 'recovery-codes-made' });
    });
    return made.codes;
  }

  async function switchOff(viewer: Viewer, proof: Proof): Promise<void> {
    await askForPassword(viewer, proof);
    await transaction(db, async (tx) => {
      if (!(await deleteSecondFactor(tx, viewer.id)))
        throw new ProblemError('done-already', secondFactorMessages.isOff);
      await tellOfSecurityEvent(tx, { memberId: viewer.id, event: 'two-factor-off' });
    });
  }

  /**
   * Takes a code of the app, or a recovery code; each once.
   * @throws ProblemError 'wrong-code', 'too-many'
   */
  async function check(memberId: number, code: string, source: Source): Promise<void> {
    if (!(await tries.attempt(memberId, source, () => isRight(memberId, code))))
      throw new ProblemError('wrong-code', secondFactorMessages.wrongCode);
  }

  async function isRight(memberId: number, code: string): Promise<boolean> {
    const digits = digitsOf(code);
    if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(db, memberId, code);
    const kept = await secondFactorOf(db, memberId);
    // Null after the community's secret was changed: recovery codes are left.
    const key = kept === undefined ? null : unseal(keySealing(memberId), kept.encrypted_key);
    const period = key === null ? null : periodOf(key, digits);
    return period !== null && takePeriod(db, { memberId, period });
  }

  /** Bound to the member, so that a sealed key moved to another row opens nothing. */
  function keySealing(memberId: number) {
    return { secret: settings.secret, purpose: `second factor of ${memberId}` };
  }
}

/** Apps show '123 456'. */
const digitsOf = (code: string) => code.replaceAll(/\s/g, '');
