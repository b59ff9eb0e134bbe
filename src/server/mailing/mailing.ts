import type { Logger } from 'pino';
import { noteTold, waitingNews } from '#server/notifications/notifications.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import type { JobKind, Jobs, Try } from '#server/platform/jobs/jobs.ts';
import { type Mailer, MailRefused, type Message } from '#server/platform/mail/mailer.ts';
import type { Settings } from '#server/platform/settings.ts';
import { mailableAddress, nextMorning, unsubscribeToken } from '#server/preferences/preferences.ts';
import type { MailScope } from '#shared/notification-settings.ts';
import { confirmationLetter, digest, type Letter, lettersOfNews } from './letters.ts';
import { forgetOldMails, goodQuestionsFor, takeMembersToDigest, takeMembersToMail } from './queries.ts';

export { type Letter, noticeLetter } from './letters.ts';

/** So long a notification waits before it is mailed 'at once', so that who is here reads it here; in seconds. */
export const mailDelay = 120;

/** After one mail at once, no member gets another for so long: a flood of votes becomes one mail; in seconds. */
const mailPause = 600;

/** Lines of a mail at most; it says how many more there are. */
const linesMax = 20;
const questionsMax = 5;

/** Tried again for about three days: after half a minute at first, at least every hour. */
const retries = { limit: 80, seconds: 30, most: 3_600 };

/** Longer than the mail server has for all steps (platform/mail/mailer.ts); then the job counts as lost. */
const jobSeconds = 180;

/** A mail that was written when it was queued, such as one with a link that works for some time. */
export type QueuedLetter = Letter & {
  to: string;
  /** From then on the mail is of no use, and dropped; in milliseconds since 1970. */
  until: number;
};

/**
 * Queues a mail in the transaction of what asks for it. It leaves after the commit, and never without it.
 * @param key of two with the same key, the second is dropped while the first is on its way
 */
export async function queueLetter(
  tx: Tx,
  jobs: Jobs,
  { key, letter }: { key: string; letter: QueuedLetter },
): Promise<void> {
  await jobs.add(tx, 'letter', { key, data: letter });
}

/** The mail behind `AskToConfirm` of the preferences. */
export function queueConfirmation(
  tx: Tx,
  jobs: Jobs,
  { site, memberId, email, token }: { site: string; memberId: number; email: string; token: string },
): Promise<void> {
  const letter = confirmationLetter({ site, link: `${site}/confirm-mail/${token}` });
  const until = Date.now() + 24 * 60 * 60 * 1_000;
  return queueLetter(tx, jobs, { key: `confirm ${memberId}`, letter: { ...letter, to: email, until } });
}

/**
 * Queues what is due: a job for each member with news to be mailed at once, or with a digest. Each node may do it at any
 * time; the rows that say what is due change in the transaction that adds the jobs, so each is added once.
 */
export async function queueMails(db: Database, jobs: Jobs): Promise<void> {
  const limit = 500;
  await transaction(db, async (tx) => {
    const due = { delaySeconds: mailDelay, pauseSeconds: mailPause, limit };
    for (const memberId of await takeMembersToMail(tx, due))
      await jobs.add(tx, 'mail-news', { key: String(memberId), data: { memberId } });
    for (const period of ['daily', 'weekly'] as const) {
      const next = nextMorning(period);
      for (const memberId of await takeMembersToDigest(tx, { period, next, limit }))
        await jobs.add(tx, 'mail-digest', { key: `${period} ${memberId}`, data: { memberId, period } });
    }
  });
}

/** Also where there is no mail server (any more): nothing waits for ever. */
export async function forgetOld(db: Database, log: Logger): Promise<void> {
  const dropped = await forgetOldMails(db);
  if (dropped > 0)
    log.warn(`${dropped} notifications were not mailed: the mail server did not take them for days.`);
}

export type MailingDeps = { db: Database; settings: Settings; site: string; deliver: Delivery };

/** Sends a mail, or gives it up. Throws while another try may help. */
export type Delivery = (message: Message, attempt: Try) => Promise<void>;

/** The way of every mail to the mail server. */
export function createDelivery({ mailer, log }: { mailer: Mailer; log: Logger }): Delivery {
  return async function deliver(message, { isLast }) {
    try {
      await mailer.send(message);
    } catch (error) {
      const isForGood = error instanceof MailRefused;
      if (!isForGood && !isLast) throw error;
      // Without the address: a log is no place for it.
      log.warn(
        { reason: reasonOf(error), messageId: message.id },
        isForGood
          ? 'A mail was dropped: the mail server refuses it.'
          : 'A mail was dropped after days of trying.',
      );
    }
  };
}

/**
 * The jobs that mail. What a mail says is read when it is sent, so that what was read or deleted meanwhile is not mailed,
 * and who changed their mind is not either. A crash before the mail server took the mail over repeats the try; one
 * between that and the commit that follows sends the mail again, under the same Message-ID.
 */
export function mailJobs({ db, settings, site, deliver, log }: MailingDeps & { log: Logger }) {
  const rules = { retries, seconds: jobSeconds, atOnce: 2 };
  return [
    { name: 'letter', ...rules, work: letter } satisfies JobKind<QueuedLetter>,
    { name: 'mail-news', ...rules, work: news } satisfies JobKind<{ memberId: number }>,
    { name: 'mail-digest', ...rules, work: digestOf } satisfies JobKind<Period>,
  ];

  async function letter({ until, ...message }: QueuedLetter, attempt: Try): Promise<void> {
    if (Date.now() > until) return log.warn('A mail was dropped: the mail server did not take it in time.');
    await deliver({ ...message, id: attempt.id }, attempt);
  }

  async function news({ memberId }: { memberId: number }, attempt: Try): Promise<void> {
    const wanted = { memberId, way: 'at_once', limit: linesMax } as const;
    const { items, total } = await waitingNews(db, wanted);
    const [newest, ...others] = items;
    if (newest === undefined) return;
    const isOfOne = others.every(({ about }) => about === newest.about) && total === items.length;
    const scope: MailScope = isOfOne ? newest.about : 'at_once';
    await mail({ memberId, scope, attempt }, (links) => lettersOfNews({ items, total }, links, scope));
    await noteTold(db, { memberId, way: 'at_once', upTo: newest.id });
  }

  async function digestOf({ memberId, period }: Period, attempt: Try): Promise<void> {
    const { items, total } = await waitingNews(db, { memberId, way: period, limit: linesMax });
    const questions =
      period === 'weekly' ? await goodQuestionsFor(db, { memberId, limit: questionsMax }) : [];
    const [newest] = items;
    if (newest === undefined && questions.length === 0) return;
    await mail({ memberId, scope: period, attempt }, (links) =>
      digest(period, { items, total, questions }, links),
    );
    if (newest !== undefined) await noteTold(db, { memberId, way: period, upTo: newest.id });
  }

  /** Mails a member whose address is confirmed; others not at all. */
  async function mail(
    { memberId, scope, attempt }: { memberId: number; scope: MailScope; attempt: Try },
    write: (links: { site: string; unsubscribe: string }) => Letter,
  ): Promise<void> {
    const address = await mailableAddress(db, memberId);
    if (address === undefined) return;
    const unsubscribe = `${site}/unsubscribe/${unsubscribeToken(settings, { memberId, scope })}`;
    // One click in a mail program ends these mails (RFC 2369, RFC 8058).
    const headers = {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    await deliver({ ...write({ site, unsubscribe }), to: address.email, headers, id: attempt.id }, attempt);
  }
}

type Period = { memberId: number; period: 'daily' | 'weekly' };

/** The reply's code, or the kind of failure; the texts of mail servers repeat addresses. */
function reasonOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  const cause = (error as Error).cause as { responseCode?: number } | undefined;
  return String(cause?.responseCode ?? responseCode ?? code ?? 'unknown');
}
