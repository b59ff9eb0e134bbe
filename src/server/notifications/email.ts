import type { Logger } from 'pino';
import { markDelivered, listPendingNotifications } from './notifications.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import type { JobDefinition, JobQueue, JobAttempt } from '#server/core/job-queue.ts';
import { type Mailer, EmailRejectedError, type EmailMessage } from '#server/core/email.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { findConfirmedEmail, nextDigestTime, createUnsubscribeToken } from './preferences.ts';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import {
  buildConfirmationEmail,
  buildDigestEmail,
  type EmailContent,
  buildInstantEmail,
} from './email-templates.ts';
import {
  clearExpiredEmails,
  listDigestQuestions,
  claimMembersToDigest,
  claimMembersToEmail,
} from './email-queries.ts';

export { type EmailContent, buildSimpleEmail } from './email-templates.ts';

/** So long a notification waits before it is mailed 'at once', so that who is here reads it here; in seconds. */
export const instantEmailDelaySeconds = 120;

/** After one mail at once, no member gets another for so long: a flood of votes becomes one mail; in seconds. */
const instantEmailPauseSeconds = 600;

/** Lines of a mail at most; it says how many more there are. */
const maxLines = 20;
const maxQuestions = 5;

/** Tried again for about three days: after half a minute at first, at least every hour. */
const retries = { limit: 80, delaySeconds: 30, maxDelaySeconds: 3_600 };

/** Longer than the mail server has for all steps (core/email.ts); then the job counts as lost. */
const jobTimeoutSeconds = 180;

/** A mail that was written when it was queued, such as one with a link that works for some time. */
export type QueuedEmail = EmailContent & {
  to: string;
  /** From then on the mail is of no use, and dropped; in milliseconds since 1970. */
  expiresAtMs: number;
};

/**
 * Queues a mail in the transaction of what asks for it. It leaves after the commit, and never without it.
 * @param key of two with the same key, the second is dropped while the first is on its way
 */
export async function queueEmail(
  tx: Tx,
  jobs: JobQueue,
  { key, letter }: { key: string; letter: QueuedEmail },
): Promise<void> {
  await jobs.enqueue(tx, 'letter', { key, data: letter });
}

/** The mail behind `AskToConfirm` of the preferences. */
export function queueConfirmationEmail(
  tx: Tx,
  jobs: JobQueue,
  { site, memberId, email, token }: { site: string; memberId: number; email: string; token: string },
): Promise<void> {
  const letter = buildConfirmationEmail({ site, link: `${site}/confirm-mail/${token}` });
  const expiresAtMs = Date.now() + 24 * 60 * 60 * 1_000;
  return queueEmail(tx, jobs, { key: `confirm ${memberId}`, letter: { ...letter, to: email, expiresAtMs } });
}

/**
 * Queues what is due: a job for each member with news to be mailed at once, or with a digest. Each node may do it at any
 * time; the rows that say what is due change in the transaction that adds the jobs, so each is added once.
 */
export async function queueDueEmails(db: Database, jobs: JobQueue): Promise<void> {
  const limit = 500;
  await transaction(db, async (tx) => {
    const due = { delaySeconds: instantEmailDelaySeconds, pauseSeconds: instantEmailPauseSeconds, limit };
    for (const memberId of await claimMembersToEmail(tx, due))
      await jobs.enqueue(tx, 'mail-news', { key: String(memberId), data: { memberId } });
    for (const period of ['daily', 'weekly'] as const) {
      const next = nextDigestTime(period);
      for (const memberId of await claimMembersToDigest(tx, { period, next, limit }))
        await jobs.enqueue(tx, 'mail-digest', { key: `${period} ${memberId}`, data: { memberId, period } });
    }
  });
}

/** Also where there is no mail server (any more): nothing waits for ever. */
export async function dropExpiredEmails(db: Database, log: Logger): Promise<void> {
  const dropped = await clearExpiredEmails(db);
  if (dropped > 0)
    log.warn(`${dropped} notifications were not mailed: the mail server did not take them for days.`);
}

export type EmailDeps = { db: Database; settings: SiteSettings; site: string; deliver: DeliverEmail };

/** Sends a mail, or gives it up. Throws while another try may help. */
export type DeliverEmail = (message: EmailMessage, attempt: JobAttempt) => Promise<void>;

/** The channel of every mail to the mail server. */
export function createEmailDelivery({ mailer, log }: { mailer: Mailer; log: Logger }): DeliverEmail {
  return async function deliver(message, { isLast }) {
    try {
      await mailer.send(message);
    } catch (error) {
      const isForGood = error instanceof EmailRejectedError;
      if (!isForGood && !isLast) throw error;
      // Without the address: a log is no place for it.
      log.warn(
        { reason: getFailureReason(error), messageId: message.id },
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
export function createEmailJobs({ db, settings, site, deliver, log }: EmailDeps & { log: Logger }) {
  const rules = { retries, timeoutSeconds: jobTimeoutSeconds, concurrency: 2 };
  return [
    { name: 'letter', ...rules, run: sendQueuedEmail } satisfies JobDefinition<QueuedEmail>,
    { name: 'mail-news', ...rules, run: sendInstantEmail } satisfies JobDefinition<{ memberId: number }>,
    { name: 'mail-digest', ...rules, run: sendDigest } satisfies JobDefinition<DigestJob>,
  ];

  async function sendQueuedEmail(
    { expiresAtMs, ...message }: QueuedEmail,
    attempt: JobAttempt,
  ): Promise<void> {
    if (Date.now() > expiresAtMs)
      return log.warn('A mail was dropped: the mail server did not take it in time.');
    await deliver({ ...message, id: attempt.id }, attempt);
  }

  async function sendInstantEmail({ memberId }: { memberId: number }, attempt: JobAttempt): Promise<void> {
    const wanted = { memberId, channel: 'at_once', limit: maxLines } as const;
    const { items, total } = await listPendingNotifications(db, wanted);
    const [newest, ...others] = items;
    if (newest === undefined) return;
    const isOfOne = others.every(({ about }) => about === newest.about) && total === items.length;
    const scope: UnsubscribeScope = isOfOne ? newest.about : 'at_once';
    await sendToMember({ memberId, scope, attempt }, (links) =>
      buildInstantEmail({ items, total }, links, scope),
    );
    await markDelivered(db, { memberId, channel: 'at_once', upTo: newest.id });
  }

  async function sendDigest({ memberId, period }: DigestJob, attempt: JobAttempt): Promise<void> {
    const { items, total } = await listPendingNotifications(db, {
      memberId,
      channel: period,
      limit: maxLines,
    });
    const questions =
      period === 'weekly' ? await listDigestQuestions(db, { memberId, limit: maxQuestions }) : [];
    const [newest] = items;
    if (newest === undefined && questions.length === 0) return;
    await sendToMember({ memberId, scope: period, attempt }, (links) =>
      buildDigestEmail(period, { items, total, questions }, links),
    );
    if (newest !== undefined) await markDelivered(db, { memberId, channel: period, upTo: newest.id });
  }

  /** Mails a member whose address is confirmed; others not at all. */
  async function sendToMember(
    { memberId, scope, attempt }: { memberId: number; scope: UnsubscribeScope; attempt: JobAttempt },
    write: (links: { site: string; unsubscribe: string }) => EmailContent,
  ): Promise<void> {
    const address = await findConfirmedEmail(db, memberId);
    if (address === undefined) return;
    const unsubscribe = `${site}/unsubscribe/${createUnsubscribeToken(settings, { memberId, scope })}`;
    // One click in a mail program ends these mails (RFC 2369, RFC 8058).
    const headers = {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    await deliver({ ...write({ site, unsubscribe }), to: address.email, headers, id: attempt.id }, attempt);
  }
}

type DigestJob = { memberId: number; period: 'daily' | 'weekly' };

/** The reply's code, or the kind of failure; the texts of mail servers repeat addresses. */
function getFailureReason(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  const cause = (error as Error).cause as { responseCode?: number } | undefined;
  return String(cause?.responseCode ?? responseCode ?? code ?? 'unknown');
}
