import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, type Queryable, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit, requireBothPoints } from '#server/core/rate-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { signToken, verifyToken } from '#server/core/signed-tokens.ts';
import {
  getDefaultPreference,
  unsubscribeScope,
  type UnsubscribeScope,
  type EmailStatus,
  notificationCategory,
  type NotificationCategory,
  type NotificationPreference,
  type NotificationPreferenceChange,
} from '#shared/notifications/preferences.ts';
import {
  findEmailOfMember,
  listPreferences,
  markEmailConfirmed,
  clearPendingDeliveries,
  isKnownTimeZone,
  lockPreferences,
  scheduleDigests,
  upsertPreference,
  disableEmail,
} from './preferences-queries.ts';

export { nextDigestTime } from './preferences-queries.ts';

/** Queues a confirmation email in the transaction. Absent without a mail server. */
export type QueueConfirmationEmail = (
  tx: Tx,
  request: { memberId: number; email: string; language: string | null; token: string },
) => Promise<void>;

export type NotificationPreferenceDeps = {
  db: Database;
  settings: OperatorSettings;
  queueConfirmationEmail: QueueConfirmationEmail | undefined;
  /** Lets members post who had to confirm their address first. */
  noteConfirmedEmail: (tx: Tx, memberId: number) => Promise<void>;
};

/** The lifetime of a confirmation link in hours. */
const confirmationLifetimeHours = 24;

/** The notification preferences of members. */
export function createNotificationPreferences({
  db,
  settings,
  queueConfirmationEmail,
  noteConfirmedEmail,
}: NotificationPreferenceDeps) {
  const { secret } = settings;
  // A member can request another email, but not send many to someone else's address.
  const byMember = createRateLimit(db, { name: 'email-confirmation', points: 3, seconds: 24 * 60 * 60 });
  // By the hour, so that accounts of others with an address do not keep its owner from confirming it for a day.
  const byAddress = createRateLimit(db, {
    name: 'email-confirmation-address',
    points: 3,
    seconds: 60 * 60,
  });

  return {
    read: getPreferences,
    update: updatePreference,
    sendConfirmationToNewMember,
    sendConfirmation,
    confirm: confirmEmail,
    unsubscribe,
  };

  async function getPreferences(
    viewer: Viewer,
  ): Promise<{ preferences: NotificationPreference[]; emailStatus: EmailStatus }> {
    const chosen = await listPreferences(db, viewer.id);
    const isModerator = canModerate(viewer.memberStatus.role);
    const categories = notificationCategory.options.filter(
      (category) => category !== 'moderation' || isModerator,
    );
    const choices = categories.map(
      (category) => chosen.find((choice) => choice.category === category) ?? getDefaultPreference(category),
    );
    return { preferences: choices, emailStatus: await getEmailState(viewer.id) };
  }

  /**
   * Changes the named preferences. If a member without a confirmed address chooses emails for the first time, a
   * confirmation email is sent.
   * @throws ProblemError 'disabled' for emails without a mail server, 'invalid' for an unknown time zone
   */
  async function updatePreference(
    viewer: Viewer,
    category: NotificationCategory,
    { timeZone, ...change }: NotificationPreferenceChange,
  ): Promise<void> {
    const wantsEmail = change.email !== undefined && change.email !== 'off';
    if (wantsEmail && queueConfirmationEmail === undefined) throw createEmailDisabledError();
    const isFirst = await transaction(db, async (tx) => {
      await lockPreferences(tx, viewer.id);
      if (timeZone !== undefined && !(await isKnownTimeZone(tx, timeZone)))
        throw invalidFieldError('timeZone', 'time-zone-unknown');
      const chosen = await listPreferences(tx, viewer.id);
      const before = chosen.find((choice) => choice.category === category) ?? getDefaultPreference(category);
      const choice: NotificationPreference = {
        category,
        inApp: change.inApp ?? before.inApp,
        email: change.email ?? before.email,
        push: change.push ?? before.push,
      };
      await upsertPreference(tx, viewer.id, choice);
      await clearPendingDeliveries(tx, viewer.id, choice);
      if (wantsEmail || chosen.some(({ email }) => email !== 'off'))
        await scheduleDigests(tx, viewer.id, timeZone ?? null);
      return wantsEmail && chosen.every(({ email }) => email === 'off');
    });
    // Limited per day. The page explains how to request another.
    if (isFirst && (await getEmailState(viewer.id)) === 'unconfirmed') await trySendConfirmation(viewer.id);
  }

  /** Sends a confirmation email to a new member. Registration does not wait for the confirmation. */
  async function sendConfirmationToNewMember(memberId: number): Promise<void> {
    await trySendConfirmation(memberId);
  }

  /**
   * Sends a confirmation email.
   * @throws ProblemError 'too-many', or 'disabled' without a mail server
   */
  async function sendConfirmation(viewer: Viewer): Promise<void> {
    if (queueConfirmationEmail === undefined) throw createEmailDisabledError();
    await sendLimited(viewer.id);
  }

  /** Sends a confirmation email unless the limit is reached. */
  async function trySendConfirmation(memberId: number): Promise<void> {
    try {
      await sendLimited(memberId);
    } catch (error) {
      if (!(error instanceof ProblemError && error.kind === 'too-many')) throw error;
    }
  }

  /** @throws ProblemError 'too-many' */
  async function sendLimited(memberId: number): Promise<void> {
    const address = await findEmailOfMember(db, memberId);
    if (address === undefined || address.isConfirmed || queueConfirmationEmail === undefined) return;
    const { email, language } = address;
    await requireBothPoints(
      { limit: byMember, key: String(memberId), code: 'too-many-confirmation-emails' },
      { limit: byAddress, key: email, code: 'too-many-emails-to-address' },
    );
    const token = createConfirmationToken(settings, { memberId, email });
    await transaction(db, (tx) => queueConfirmationEmail(tx, { memberId, email, language, token }));
  }

  /**
   * Confirms an address.
   * @throws ProblemError 'gone' if the link is expired or invalid, or the address is no longer the member's
   */
  async function confirmEmail(token: string): Promise<void> {
    const { memberId, address } = await findMemberOfToken(token, 'confirmation-link-not-valid');
    const claim = verifyToken({ secret, purpose: getConfirmationPurpose(address.email) }, token);
    if (claim === null || !(Number(claim.split('.')[1]) > databaseNowMs()))
      throw new ProblemError('confirmation-link-not-valid');
    const { email } = address;
    const isConfirmed = await transaction(db, async (tx) => {
      const isTheirs = await markEmailConfirmed(tx, { memberId, email });
      if (isTheirs) await noteConfirmedEmail(tx, memberId);
      return isTheirs;
    });
    if (!isConfirmed) throw new ProblemError('confirmation-link-not-valid');
  }

  /**
   * Ends the emails that a link names. Works without a session and can be repeated.
   * @throws ProblemError 'gone' if the link is invalid, or the member has another address now
   */
  async function unsubscribe(token: string): Promise<UnsubscribeScope> {
    const { memberId, address } = await findMemberOfToken(token, 'unsubscribe-link-not-valid');
    const claim = verifyToken({ secret, purpose: getUnsubscribePurpose(address.email) }, token);
    const scope = unsubscribeScope.safeParse(claim?.split('.')[1]);
    if (!scope.success) throw new ProblemError('unsubscribe-link-not-valid');
    await transaction(db, async (tx) => {
      await lockPreferences(tx, memberId);
      const category = notificationCategory.safeParse(scope.data);
      await disableEmail(
        tx,
        memberId,
        category.success ? { category: category.data } : { scope: scope.data },
      );
      await scheduleDigests(tx, memberId, null);
    });
    return scope.data;
  }

  /** The member that a token names. Whether it is valid depends on the present address. */
  async function findMemberOfToken(
    token: string,
    code: 'confirmation-link-not-valid' | 'unsubscribe-link-not-valid',
  ) {
    const memberId = Number(token.split('.', 1)[0]);
    const address = Number.isSafeInteger(memberId) ? await findEmailOfMember(db, memberId) : undefined;
    if (address === undefined) throw new ProblemError(code);
    return { memberId, address };
  }

  async function getEmailState(memberId: number): Promise<EmailStatus> {
    if (queueConfirmationEmail === undefined) return 'unavailable';
    const address = await findEmailOfMember(db, memberId);
    if (address?.isOff === true) return 'off';
    return address?.isConfirmed === true ? 'confirmed' : 'unconfirmed';
  }
}

export type NotificationPreferences = ReturnType<typeof createNotificationPreferences>;

/**
 * Creates the token of an unsubscribe link. It works on every node, as long as the member has this address, and permits
 * nothing else.
 */
export function createUnsubscribeToken(
  settings: OperatorSettings,
  { memberId, email, scope }: { memberId: number; email: string; scope: UnsubscribeScope },
) {
  const { secret } = settings;
  return signToken({ secret, purpose: getUnsubscribePurpose(email) }, `${memberId}.${scope}`);
}

/** Creates the token of a confirmation link. It is valid for a day and permits nothing else. */
export function createConfirmationToken(
  { secret }: OperatorSettings,
  { memberId, email }: { memberId: number; email: string },
) {
  const until = databaseNowMs() + confirmationLifetimeHours * 60 * 60 * 1_000;
  return signToken({ secret, purpose: getConfirmationPurpose(email) }, `${memberId}.${until}`);
}

/** The confirmed address of a member. Undefined for unconfirmed addresses, imported members, and while emails are off. */
export async function findConfirmedEmail(db: Queryable, memberId: number) {
  const address = await findEmailOfMember(db, memberId);
  return address?.isConfirmed === true && !address.isOff ? address : undefined;
}

const getConfirmationPurpose = (email: string) => `confirm ${email}`;

const getUnsubscribePurpose = (email: string) => `unsubscribe ${email}`;

const createEmailDisabledError = () => new ProblemError('email-disabled');
