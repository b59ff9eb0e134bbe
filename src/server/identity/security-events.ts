import type { SecurityEvent } from '#shared/core/events.ts';
import type { PasswordResetResult } from '#shared/identity/account-recovery.ts';
import type { Logger } from 'pino';
import {
  buildSimpleEmail,
  type EmailSite,
  formatTime,
  inLanguage,
  queueEmail,
  translate,
} from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { onEventsCommitted, publish, type TopicEvent } from '#server/core/events.ts';
import type { JobQueue } from '#server/core/job-queue.ts';
import { countPasswordlessSignIn, type ProviderSettings } from './sign-in-methods-queries.ts';
import {
  claimUnsentSecurityEvents,
  deleteSecurityEvents,
  insertSecurityEvent,
} from './security-events-queries.ts';

/**
 * Records a security event of an account, for an email (if there is a mail server) and for the log (docs/product.md
 * 2.11). Both follow after the commit, and only then.
 * @param entry.to the recipient. Absent: the member's address as of this transaction. Null: no email, because another
 * one covers the event.
 */
export async function recordSecurityEvent(
  tx: Tx,
  entry: { memberId: number; event: SecurityEvent; to?: string | null },
): Promise<void> {
  const { memberId, event } = entry;
  await insertSecurityEvent(tx, entry);
  await publish(tx, `member:${memberId}`, { kind: 'account-changed', what: event });
}

/** Logs security events with the member's id, without names and addresses. */
export function logSecurityEvents(db: Database, log: Logger): void {
  onEventsCommitted(db, ({ events }) => {
    for (const { topic, event } of events)
      if (event.kind === 'account-changed')
        log.info({ memberId: Number(topic.slice('member:'.length)), event: event.what }, 'security event');
  });
}

/** Whether there are security events to email. */
export function hasSecurityEvent(events: readonly TopicEvent[]): boolean {
  return events.some(({ event }) => event.kind === 'account-changed');
}

/** Queues the emails to send. Every node can do this at any time. */
export async function queueSecurityEmails(
  db: Database,
  { jobs, site, settings }: { jobs: JobQueue; site: EmailSite; settings: ProviderSettings },
): Promise<void> {
  await transaction(db, async (tx) => {
    for (const unsent of await claimUnsentSecurityEvents(tx, { limit: 200 })) {
      const {
        id,
        member_id: memberId,
        event,
        notify_email: to,
        notify_language: language,
        created_at: at,
      } = unsent;
      const remaining =
        event === 'password-reset' ? await countPasswordlessSignIn(tx, { memberId, settings }) : undefined;
      const email = {
        ...buildSecurityEmail({ event, at, site: inLanguage(site, language), remaining }),
        to,
        memberId,
        expiresAtMs: at.getTime() + 3 * day,
      };
      await queueEmail(tx, jobs, { key: `security ${id}`, email });
    }
  });
}

/** Days for which security events are stored. */
const retentionDays = 90;

const day = 24 * 60 * 60 * 1_000;

/** @param isEmailEnabled false: no emails are sent, so events waiting for one lose their address. */
export async function deleteOldSecurityEvents(
  db: Database,
  { isEmailEnabled }: { isEmailEnabled: boolean },
): Promise<void> {
  await deleteSecurityEvents(db, { days: retentionDays, unsentDays: isEmailEnabled ? 3 : 0 });
}

/** @param remaining what still signs in after a reset of the password */
export function buildSecurityEmail({
  event,
  at,
  site,
  remaining = { passkeys: 0, linkedAccounts: 0 },
}: {
  event: SecurityEvent;
  at: Date;
  site: EmailSite;
  remaining?: PasswordResetResult | undefined;
}) {
  const { language, siteName } = site;
  const isGone = event === 'account-deleted';
  const hasRemaining = remaining.passkeys + remaining.linkedAccounts > 0;
  return buildSimpleEmail({
    site,
    subject: translate(language, `email.${event}.subject`),
    paragraphs: [
      translate(language, `email.${event}.text`, { siteName }),
      translate(language, 'email.security.when', { time: formatTime(language, at) }),
      ...(hasRemaining ? [translate(language, 'email.password-reset.remaining', remaining)] : []),
    ],
    action: isGone
      ? null
      : {
          label: translate(language, 'email.security.action'),
          link: `${site.site}/settings?tab=account#security`,
        },
    small: isGone
      ? translate(language, 'email.security.last')
      : translate(language, 'email.security.advice', { link: `${site.site}/forgot-password` }),
  });
}
