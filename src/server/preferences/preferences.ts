import { approveAccounts } from '#server/accounts/registrations.ts';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, type Queryable, transaction, type Tx } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { rateLimit } from '#server/platform/rate-limits.ts';
import type { Settings } from '#server/platform/settings.ts';
import { sign, verify } from '#server/platform/signed.ts';
import {
  defaultChoice,
  mailScope,
  type MailScope,
  type MailState,
  notificationAbout,
  type NotificationAbout,
  type NotificationChoice,
  type NotificationChoiceChange,
} from '#shared/notification-settings.ts';
import {
  addressOf,
  choicesOf,
  confirmAddress,
  forgetWaiting,
  isTimeZone,
  lockChoices,
  planDigests,
  saveChoice,
  switchMailOff,
} from './queries.ts';

export { nextMorning } from './queries.ts';

/** Puts a mail that asks for confirmation on its way, in the transaction. Absent where Parley has no mail server. */
export type AskToConfirm = (tx: Tx, ask: { memberId: number; email: string; token: string }) => Promise<void>;

export type PreferenceDeps = { db: Database; settings: Settings; askToConfirm: AskToConfirm | undefined };

/** How long the link of a confirmation works, in hours. */
const confirmHours = 24;

/** What members choose to hear of, and how. */
export function createPreferences({ db, settings, askToConfirm }: PreferenceDeps) {
  const { secret } = settings;
  // For somebody who cannot find the first mail; an address is not flooded at somebody else's wish.
  const confirmations = rateLimit(db, { name: 'confirm', points: 3, seconds: 24 * 60 * 60 });

  return { read, choose, askNewMember, sendConfirmation, confirm, unsubscribe };

  async function read(viewer: Viewer): Promise<{ choices: NotificationChoice[]; mail: MailState }> {
    const chosen = await choicesOf(db, viewer.id);
    const choices = notificationAbout.options.map(
      (about) => chosen.find((choice) => choice.about === about) ?? defaultChoice(about),
    );
    return { choices, mail: await mailState(viewer.id) };
  }

  /**
   * Changes what is named. The first choice of mail by somebody whose address is not confirmed sends the mail that asks
   * for it.
   * @throws ProblemError 'disabled' for mail where Parley has no mail server, 'invalid' for a time zone nobody knows.
   */
  async function choose(
    viewer: Viewer,
    about: NotificationAbout,
    { timeZone, ...change }: NotificationChoiceChange,
  ): Promise<void> {
    const wantsMail = change.mail !== undefined && change.mail !== 'off';
    if (wantsMail && askToConfirm === undefined) throw noMail();
    const isFirst = await transaction(db, async (tx) => {
      await lockChoices(tx, viewer.id);
      if (timeZone !== undefined && !(await isTimeZone(tx, timeZone)))
        throw invalidField('timeZone', 'This time zone is not known.');
      const chosen = await choicesOf(tx, viewer.id);
      const before = chosen.find((choice) => choice.about === about) ?? defaultChoice(about);
      const choice: NotificationChoice = {
        about,
        inApp: change.inApp ?? before.inApp,
        mail: change.mail ?? before.mail,
        push: change.push ?? before.push,
      };
      await saveChoice(tx, viewer.id, choice);
      await forgetWaiting(tx, viewer.id, choice);
      if (wantsMail || chosen.some(({ mail }) => mail !== 'off'))
        await planDigests(tx, viewer.id, timeZone ?? null);
      return wantsMail && chosen.every(({ mail }) => mail === 'off');
    });
    // At most so many a day; the page says how to ask for another.
    if (isFirst && (await mailState(viewer.id)) === 'unconfirmed') await mayAsk(viewer.id);
  }

  /** Somebody has registered: the mail to their address asks whether it is theirs. Nothing waits for the answer. */
  async function askNewMember(memberId: number): Promise<void> {
    await mayAsk(memberId);
  }

  /** @throws ProblemError 'too-many', 'disabled' where Parley has no mail server. */
  async function sendConfirmation(viewer: Viewer): Promise<void> {
    if (askToConfirm === undefined) throw noMail();
    if (await mayAsk(viewer.id)) return;
    throw new ProblemError(
      'too-many',
      'We have sent you a few of these mails today. Please look for them first.',
      {
        retryAfter: 24 * 60 * 60,
      },
    );
  }

  /** False when it was asked for too often. */
  async function mayAsk(memberId: number): Promise<boolean> {
    const address = await addressOf(db, memberId);
    if (address === undefined || address.isConfirmed || askToConfirm === undefined) return true;
    if (!(await confirmations.take(String(memberId))) || !(await confirmations.take(address.email)))
      return false;
    const { email } = address;
    const token = confirmationToken(settings, { memberId, email });
    await transaction(db, (tx) => askToConfirm(tx, { memberId, email, token }));
    return true;
  }

  /** @throws ProblemError 'gone' for a link that is too old, not ours, or of an address that is the member's no more. */
  async function confirm(token: string): Promise<void> {
    const memberId = Number(token.split('.', 1)[0]);
    const address = Number.isSafeInteger(memberId) ? await addressOf(db, memberId) : undefined;
    if (address === undefined) throw oldLink();
    const claim = verify({ secret, purpose: purposeFor(address.email) }, token);
    if (claim === null || !(Number(claim.split('.')[1]) > databaseTime())) throw oldLink();
    const { email } = address;
    const isConfirmed = await transaction(db, async (tx) => {
      const isTheirs = await confirmAddress(tx, { memberId, email });
      if (isTheirs) await approveAccounts(tx, [memberId]);
      return isTheirs;
    });
    if (!isConfirmed) throw oldLink();
  }

  /** Ends the mails that a link names, whoever follows it, and as often as they like. @throws ProblemError 'gone' */
  async function unsubscribe(token: string): Promise<MailScope> {
    const claim = verify({ secret, purpose: unsubscribing }, token);
    const [id, name] = claim?.split('.') ?? [];
    const scope = mailScope.safeParse(name);
    if (!scope.success) throw oldLink();
    const memberId = Number(id);
    await transaction(db, async (tx) => {
      await lockChoices(tx, memberId);
      const about = notificationAbout.safeParse(scope.data);
      await switchMailOff(tx, memberId, about.success ? { about: about.data } : { mail: scope.data });
      await planDigests(tx, memberId, null);
    });
    return scope.data;
  }

  async function mailState(memberId: number): Promise<MailState> {
    if (askToConfirm === undefined) return 'unavailable';
    return (await addressOf(db, memberId))?.isConfirmed === true ? 'confirmed' : 'unconfirmed';
  }
}

export type Preferences = ReturnType<typeof createPreferences>;

const unsubscribing = 'unsubscribe';

/** The token of a link that ends mails; it works for ever, from every node, and gives nothing else. */
export function unsubscribeToken(
  settings: Settings,
  { memberId, scope }: { memberId: number; scope: MailScope },
) {
  return sign({ secret: settings.secret, purpose: unsubscribing }, `${memberId}.${scope}`);
}

/** The token of a link that confirms an address, for a day, and gives nothing else. */
export function confirmationToken(
  { secret }: Settings,
  { memberId, email }: { memberId: number; email: string },
) {
  const until = databaseTime() + confirmHours * 60 * 60 * 1_000;
  return sign({ secret, purpose: purposeFor(email) }, `${memberId}.${until}`);
}

/** Whom mails go to: members who have shown that the address is theirs, never imported ones. */
export async function mailableAddress(db: Queryable, memberId: number) {
  const address = await addressOf(db, memberId);
  return address?.isConfirmed === true ? address : undefined;
}

const purposeFor = (email: string) => `confirm ${email}`;

const noMail = () => new ProblemError('disabled', 'This Parley has no mail server, so it cannot mail you.');

const oldLink = () =>
  new ProblemError(
    'gone',
    'This link does not work any more. You can change what we mail you in your settings.',
  );
