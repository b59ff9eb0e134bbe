import type { Logger } from 'pino';
import { markDelivered, listPendingNotifications } from './notifications.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import type { JobDefinition, JobQueue, JobAttempt } from '#server/core/job-queue.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import {
  type Mailer,
  EmailRejectedError,
  type EmailMessage,
  getRecipientRefusal,
} from '#server/core/mailer.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { findConfirmedEmail, nextDigestTime, createUnsubscribeToken } from './preferences.ts';
import { createReplyAddress, type RepliedPost } from './email-replies-address.ts';
import { findPostText } from './email-replies-queries.ts';
import { createBounceAddress, recordBounce } from './email-bounces.ts';
import { countEmailsOff, insertEmailFailure, listEmailFailures } from './email-bounces-queries.ts';
import { createLogoAttachment, type ReadLogo } from './email-logo.ts';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import {
  buildConfirmationEmail,
  buildDigestEmail,
  type EmailContent,
  type EmailedPost,
  type EmailLinks,
  type EmailSite,
  buildInstantEmail,
  inLanguage,
} from './email-templates.ts';
import {
  clearExpiredEmails,
  listDigestQuestions,
  claimMembersToDigest,
  claimMembersToEmail,
  wantsDigest,
} from './email-queries.ts';

/** The delay before an instant email, so that members who are online read the notification first. In seconds. */
export const instantEmailDelaySeconds = 120;

/** The minimum time between two instant emails to a member, in seconds. Many votes become one email. */
const instantEmailPauseSeconds = 600;

/** The maximum number of lines in an email, which states how many more there are. */
const maxLines = 20;
const maxQuestions = 5;

/** Retries for about three days: first after half a minute, then at least every hour. */
const retries = { limit: 80, delaySeconds: 30, maxDelaySeconds: 3_600 };

/** Longer than the timeouts of the mail server (core/mailer.ts). Afterwards the job counts as lost. */
const jobTimeoutSeconds = 180;

/** An email whose content was created when it was queued, such as one with a link that expires. */
export type QueuedEmail = EmailContent & {
  to: string;
  memberId?: number;
  /** The time after which the email is useless and dropped, in milliseconds since 1970. */
  expiresAtMs: number;
};

/**
 * Queues an email in the caller's transaction. It is sent after the commit, and never without it.
 * @param key while an email with this key is queued, a second one is dropped
 */
export async function queueEmail(
  tx: Tx,
  jobs: JobQueue,
  { key, email }: { key: string; email: QueuedEmail },
): Promise<void> {
  await jobs.enqueue(tx, 'email', { key, data: email });
}

/** Implements `QueueConfirmationEmail` of preferences.ts. */
export function queueConfirmationEmail(
  tx: Tx,
  jobs: JobQueue,
  {
    site,
    memberId,
    email,
    language,
    token,
  }: { site: EmailSite; memberId: number; email: string; language: string | null; token: string },
): Promise<void> {
  const link = `${site.site}/confirm-email/${token}`;
  const message = buildConfirmationEmail({ ...inLanguage(site, language), link });
  const expiresAtMs = Date.now() + 24 * 60 * 60 * 1_000;
  return queueEmail(tx, jobs, {
    key: `confirm ${memberId}`,
    email: { ...message, to: email, memberId, expiresAtMs },
  });
}

/** After this time, the next run queues the rest. The job that calls it may take a little longer. */
const maxQueueingMs = 40_000;

/**
 * Queues due emails: a job for each member with a due instant email or digest. Any node may call this at any time: the
 * rows that state what is due change in the transaction that adds the jobs, so each job is added once.
 */
export async function queueDueEmails(db: Database, jobs: JobQueue): Promise<void> {
  const limit = 500;
  const start = performance.now();
  await repeatWhileFull(async (tx) => {
    const due = { delaySeconds: instantEmailDelaySeconds, pauseSeconds: instantEmailPauseSeconds, limit };
    const members = await claimMembersToEmail(tx, due);
    const toJob = (memberId: number) => ({ key: String(memberId), data: { memberId } });
    await jobs.enqueue(tx, 'instant-email', ...members.map(toJob));
    return members;
  });
  for (const period of ['daily', 'weekly'] as const)
    await repeatWhileFull(async (tx) => {
      const members = await claimMembersToDigest(tx, { period, next: nextDigestTime(period), limit });
      const toJob = (memberId: number) => ({ key: `${period} ${memberId}`, data: { memberId, period } });
      await jobs.enqueue(tx, 'email-digest', ...members.map(toJob));
      return members;
    });

  async function repeatWhileFull(claim: (tx: Tx) => Promise<number[]>): Promise<void> {
    while ((await transaction(db, claim)).length === limit && performance.now() - start < maxQueueingMs);
  }
}

/** How an admin sends a test email, and from where. */
export type EmailSending = {
  sender: string;
  bounceAddress: string | null;
  replyAddress: string | null;
  /** REPLY_SECRET. Null: no emails arrive by HTTP. */
  replySecret: string | null;
  /** Resolves with the answer of the mail server. Rejects with its error. */
  send: (message: EmailMessage) => Promise<string>;
};

/** Sends emails at once, without a retry. */
export function createEmailSending(of: {
  from: string;
  bounceAddress: string | undefined;
  replyAddress: string | undefined;
  replySecret: string | undefined;
  mailer: Mailer;
  readLogo: ReadLogo;
}): EmailSending {
  const attachLogo = createLogoAttachment(of.readLogo);
  return {
    sender: of.from,
    bounceAddress: of.bounceAddress ?? null,
    replyAddress: of.replyAddress ?? null,
    replySecret: of.replySecret ?? null,
    send: async (message) => of.mailer.send(await attachLogo(message)),
  };
}

/** The state that admins see: failed attempts, and how many members get no emails after bounces. */
export async function readEmailState(db: Reader) {
  return { failures: await listEmailFailures(db, { limit: 20 }), membersOff: await countEmailsOff(db) };
}

/** Drops emails that were not sent for days, also if there is no mail server any more. */
export async function dropExpiredEmails(db: Database, log: Logger): Promise<void> {
  const dropped = await clearExpiredEmails(db);
  if (dropped > 0)
    log.warn(
      `${dropped} notifications were not emailed, because for days the mail server did not accept them or their posts were hidden.`,
    );
}

export type EmailDeps = {
  db: Database;
  settings: OperatorSettings;
  getSite: () => EmailSite;
  deliver: DeliverEmail;
  /** REPLY_ADDRESS. */
  replyAddress: string | undefined;
};

/** Sends an email or drops it. Throws if a retry may help. */
export type DeliverEmail = (message: EmailMessage, attempt: JobAttempt) => Promise<void>;

/** Sends all emails to the mail server. */
export function createEmailDelivery({
  db,
  secret,
  bounceAddress,
  mailer,
  readLogo,
  log,
}: {
  db: Database;
  secret: string;
  /** BOUNCE_ADDRESS. */
  bounceAddress: string | undefined;
  mailer: Mailer;
  readLogo: ReadLogo;
  log: Logger;
}): DeliverEmail {
  const attachLogo = createLogoAttachment(readLogo);
  return async function deliver(message, { isLast }) {
    try {
      await mailer.send(await attachLogo(addBounceAddress(message)));
    } catch (error) {
      const isPermanent = error instanceof EmailRejectedError;
      await insertEmailFailure(db, getFailureReason(error).slice(0, 60));
      const refusal = getRecipientRefusal(error);
      if (refusal !== null && message.memberId !== undefined && (isPermanent || isLast))
        await recordBounce(db, {
          memberId: message.memberId,
          email: message.to,
          ...refusal,
          key: `refusal ${message.id}`,
        });
      if (!isPermanent && !isLast) throw error;
      // Logs no address.
      log.warn(
        { reason: getFailureReason(error), messageId: message.id },
        isPermanent
          ? 'An email was dropped: the mail server rejected it.'
          : 'An email was dropped after days of retries.',
      );
    }
  };

  function addBounceAddress(message: EmailMessage): EmailMessage {
    const { memberId, to: email } = message;
    if (bounceAddress === undefined || memberId === undefined) return message;
    const sent = { memberId, email, sentAtMs: databaseNowMs() };
    return { ...message, bounceAddress: createBounceAddress({ secret, bounceAddress }, sent) };
  }
}

/**
 * Creates the email jobs. The content is read when the email is sent, so that nothing is emailed that was read, deleted
 * or turned off in between. If the process crashes before the mail server accepts the email, the attempt is repeated.
 * If it crashes between acceptance and commit, the email is sent again with the same Message-ID.
 */
export function createEmailJobs(deps: EmailDeps & { log: Logger }) {
  const { db, settings, getSite, deliver, replyAddress, log } = deps;
  const rules = { retries, timeoutSeconds: jobTimeoutSeconds, concurrency: 2 };
  return [
    { name: 'email', ...rules, run: sendQueuedEmail } satisfies JobDefinition<QueuedEmail>,
    { name: 'instant-email', ...rules, run: sendInstantEmail } satisfies JobDefinition<{ memberId: number }>,
    { name: 'email-digest', ...rules, run: sendDigest } satisfies JobDefinition<DigestJob>,
  ];

  async function sendQueuedEmail(
    { expiresAtMs, ...message }: QueuedEmail,
    attempt: JobAttempt,
  ): Promise<void> {
    if (Date.now() > expiresAtMs)
      return log.warn('An email was dropped: the mail server did not accept it in time.');
    await deliver({ ...message, id: attempt.id }, attempt);
  }

  async function sendInstantEmail({ memberId }: { memberId: number }, attempt: JobAttempt): Promise<void> {
    const wanted = { memberId, channel: 'instant', limit: maxLines } as const;
    const { items, pending } = await listPendingNotifications(db, wanted);
    const [newest, ...others] = items;
    if (newest === undefined) return;
    const total = pending.length;
    const hasSingleCategory =
      others.every(({ category }) => category === newest.category) && total === items.length;
    const scope: UnsubscribeScope = hasSingleCategory ? newest.category : 'instant';
    const post = total === 1 && replyAddress !== undefined ? newest.post : null;
    const text = post === null ? undefined : await findPostText(db, post);
    const shown = post === null || text === undefined ? undefined : { post, text };
    await sendToMember({ memberId, scope, attempt, replyTo: shown?.post ?? null }, (links) =>
      buildInstantEmail({ items, total, post: shown && toEmailedPost(shown) }, links, scope),
    );
    await markDelivered(db, { memberId, channel: 'instant', ids: pending });
  }

  async function sendDigest({ memberId, period }: DigestJob, attempt: JobAttempt): Promise<void> {
    if (!(await wantsDigest(db, memberId, period))) return;
    const { items, pending } = await listPendingNotifications(db, {
      memberId,
      channel: period,
      limit: maxLines,
    });
    const questions =
      period === 'weekly' ? await listDigestQuestions(db, { memberId, limit: maxQuestions }) : [];
    const total = pending.length;
    if (total === 0 && questions.length === 0) return;
    await sendToMember({ memberId, scope: period, attempt }, (links) =>
      buildDigestEmail(period, { items, total, questions }, links),
    );
    await markDelivered(db, { memberId, channel: period, ids: pending });
  }

  /** Emails a member whose address is confirmed. Does nothing for others. */
  async function sendToMember(
    to: { memberId: number; scope: UnsubscribeScope; attempt: JobAttempt; replyTo?: RepliedPost | null },
    write: (links: EmailLinks) => EmailContent,
  ): Promise<void> {
    const { memberId, scope, attempt, replyTo: post = null } = to;
    const address = await findConfirmedEmail(db, memberId);
    if (address === undefined) return;
    const { email } = address;
    const { secret } = settings;
    const replyTo =
      post === null || replyAddress === undefined
        ? undefined
        : createReplyAddress({ secret, replyAddress }, { memberId, post, email });
    const site = inLanguage(getSite(), address.language);
    const token = createUnsubscribeToken(settings, { memberId, email, scope });
    const unsubscribe = `${site.site}/unsubscribe/${token}`;
    // One-click unsubscribe in email programs (RFC 2369, RFC 8058).
    const headers = {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    await deliver(
      {
        ...write({ ...site, unsubscribe }),
        ...(replyTo !== undefined && { replyTo }),
        to: email,
        memberId,
        headers,
        id: attempt.id,
      },
      attempt,
    );
  }
}

/** How much of a post an email shows, in characters. */
const maxPostText = 3_000;

const toEmailedPost = ({ post, text }: { post: RepliedPost; text: string }): EmailedPost => ({
  text: truncateWithEllipsis(text, maxPostText),
  becomes: post.kind === 'question' ? 'answer' : 'comment',
});

type DigestJob = { memberId: number; period: 'daily' | 'weekly' };

/** The reply code or the error type. Mail servers repeat addresses in their texts, so these are not logged. */
function getFailureReason(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  const cause = (error as Error).cause as { responseCode?: number } | undefined;
  return String(cause?.responseCode ?? responseCode ?? code ?? 'unknown');
}
