import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, type Queryable, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { createRateLimit } from '#server/core/rate-limits.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
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
  findEmail,
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

/** Puts a mail that asks for confirmation on its way, in the transaction. Absent where Parley has no mail server. */
export type QueueConfirmationEmail = (
  tx: Tx,
  ask: { memberId: number; email: string; token: string },
) => Promise<void>;

export type NotificationPreferenceDeps = {
  db: Database;
  settings: SiteSettings;
  queueConfirmationEmail: QueueConfirmationEmail | undefined;
  /** Lets members post who had to confirm their address first. */
  approveAccounts: (tx: Tx, memberIds: readonly number[]) => Promise<unknown>;
};

/** How long the link of a confirmation works, in hours. */
const confirmationLifetimeHours = 24;

/** What members choose to hear of, and how. */
export function createNotificationPreferences({
  db,
  settings,
  queueConfirmationEmail,
  approveAccounts,
}: NotificationPreferenceDeps) {
  const { secret } = settings;
  // For somebody who cannot find the first mail; an address is not flooded at somebody else's wish.
  const confirmationLimit = createRateLimit(db, { name: 'confirm', points: 3, seconds: 24 * 60 * 60 });

  return {
    read: getPreferences,
    choose: updatePreference,
    askNewMember: confirmNewMember,
    sendConfirmation,
    confirm: confirmEmail,
    unsubscribe,
  };

  async function getPreferences(
    viewer: Viewer,
  ): Promise<{ preferences: NotificationPreference[]; emailStatus: EmailStatus }> {
    const chosen = await listPreferences(db, viewer.id);
    const choices = notificationCategory.options.map(
      (about) => chosen.find((choice) => choice.category === about) ?? getDefaultPreference(about),
    );
    return { preferences: choices, emailStatus: await getEmailState(viewer.id) };
  }

  /**
   * Changes what is named. The first choice of mail by somebody whose address is not confirmed sends the mail that asks
   * for it.
   * @throws ProblemError 'disabled' for mail where Parley has no mail server, 'invalid' for a time zone nobody knows.
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
        throw invalidFieldError('timeZone', 'This time zone is not known.');
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
    // At most so many a day; the page says how to ask for another.
    if (isFirst && (await getEmailState(viewer.id)) === 'unconfirmed') await trySendConfirmation(viewer.id);
  }

  /** Somebody has registered: the mail to their address asks whether it is theirs. Nothing waits for the answer. */
  async function confirmNewMember(memberId: number): Promise<void> {
    await trySendConfirmation(memberId);
  }

  /** @throws ProblemError 'too-many', 'disabled' where Parley has no mail server. */
  async function sendConfirmation(viewer: Viewer): Promise<void> {
    if (queueConfirmationEmail === undefined) throw createEmailDisabledError();
    if (await trySendConfirmation(viewer.id)) return;
    throw new ProblemError(
      'too-many',
      'We have sent you a few of these mails today. Please look for them first.',
      {
        retryAfter: 24 * 60 * 60,
      },
    );
  }

  /** False when it was asked for too often. */
  async function trySendConfirmation(memberId: number): Promise<boolean> {
    const address = await findEmail(db, memberId);
    if (address === undefined || address.isConfirmed || queueConfirmationEmail === undefined) return true;
    if (
      !(await confirmationLimit.consume(String(memberId))) ||
      !(await confirmationLimit.consume(address.email))
    )
      return false;
    const { email } = address;
    const token = createConfirmationToken(settings, { memberId, email });
    await transaction(db, (tx) => queueConfirmationEmail(tx, { memberId, email, token }));
    return true;
  }

  /** @throws ProblemError 'gone' for a link that is too old, not ours, or of an address that is the member's no more. */
  async function confirmEmail(token: string): Promise<void> {
    const memberId = Number(token.split('.', 1)[0]);
    const address = Number.isSafeInteger(memberId) ? await findEmail(db, memberId) : undefined;
    if (address === undefined) throw createInvalidLinkError();
    const claim = verifyToken({ secret, purpose: getConfirmationPurpose(address.email) }, token);
    if (claim === null || !(Number(claim.split('.')[1]) > databaseNowMs())) throw createInvalidLinkError();
    const { email } = address;
    const isConfirmed = await transaction(db, async (tx) => {
      const isTheirs = await markEmailConfirmed(tx, { memberId, email });
      if (isTheirs) await approveAccounts(tx, [memberId]);
      return isTheirs;
    });
    if (!isConfirmed) throw createInvalidLinkError();
  }

  /** Ends the mails that a link names, whoever follows it, and as often as they like. @throws ProblemError 'gone' */
  async function unsubscribe(token: string): Promise<UnsubscribeScope> {
    const claim = verifyToken({ secret, purpose: unsubscribePurpose }, token);
    const [id, name] = claim?.split('.') ?? [];
    const scope = unsubscribeScope.safeParse(name);
    if (!scope.success) throw createInvalidLinkError();
    const memberId = Number(id);
    await transaction(db, async (tx) => {
      await lockPreferences(tx, memberId);
      const about = notificationCategory.safeParse(scope.data);
      await disableEmail(tx, memberId, about.success ? { about: about.data } : { mail: scope.data });
      await scheduleDigests(tx, memberId, null);
    });
    return scope.data;
  }

  async function getEmailState(memberId: number): Promise<EmailStatus> {
    if (queueConfirmationEmail === undefined) return 'unavailable';
    return (await findEmail(db, memberId))?.isConfirmed === true ? 'confirmed' : 'unconfirmed';
  }
}

export type NotificationPreferences = ReturnType<typeof createNotificationPreferences>;

const unsubscribePurpose = 'unsubscribe';

/** The token of a link that ends mails; it works for ever, from every node, and gives nothing else. */
export function createUnsubscribeToken(
  settings: SiteSettings,
  { memberId, scope }: { memberId: number; scope: UnsubscribeScope },
) {
  return signToken({ secret: settings.secret, purpose: unsubscribePurpose }, `${memberId}.${scope}`);
}

/** The token of a link that confirms an address, for a day, and gives nothing else. */
export function createConfirmationToken(
  { secret }: SiteSettings,
  { memberId, email }: { memberId: number; email: string },
) {
  const until = databaseNowMs() + confirmationLifetimeHours * 60 * 60 * 1_000;
  return signToken({ secret, purpose: getConfirmationPurpose(email) }, `${memberId}.${until}`);
}

/** Whom mails go to: members who have shown that the address is theirs, never imported ones. */
export async function findConfirmedEmail(db: Queryable, memberId: number) {
  const address = await findEmail(db, memberId);
  return address?.isConfirmed === true ? address : undefined;
}

const getConfirmationPurpose = (email: string) => `confirm ${email}`;

const createEmailDisabledError = () =>
  new ProblemError('disabled', 'This Parley has no mail server, so it cannot mail you.');

const createInvalidLinkError = () =>
  new ProblemError(
    'gone',
    'This link does not work any more. You can change what we mail you in your settings.',
  );
