import type { SecurityEvent } from '#shared/core/events.ts';
import type { Logger } from 'pino';
import { buildSimpleEmail, type EmailSite, queueEmail } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { onEventsCommitted, publish, type TopicEvent } from '#server/core/events.ts';
import type { JobQueue } from '#server/core/job-queue.ts';
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
export async function queueSecurityEmails(db: Database, jobs: JobQueue, site: EmailSite): Promise<void> {
  await transaction(db, async (tx) => {
    for (const { id, event, notify_email: to, created_at: at } of await claimUnsentSecurityEvents(tx, {
      limit: 200,
    })) {
      const email = {
        ...buildSecurityEmail({ event, at, ...site }),
        to,
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

function buildSecurityEmail({ event, at, ...look }: EmailSite & { event: SecurityEvent; at: Date }) {
  const { site, siteName } = look;
  const when = `When: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const [subject, message] = emailMessages[event];
  const isGone = event === 'account-deleted';
  return buildSimpleEmail({
    site: look,
    subject,
    paragraphs: [message.replace('{siteName}', () => siteName), when],
    action: isGone ? null : { label: 'Review your settings', link: `${site}/settings?tab=account#security` },
    small: isGone
      ? 'This is our last email to you.'
      : `If this was you, ignore this email. If this wasn't you, set a new password now: ${site}/forgot-password`,
  });
}

const emailMessages: Readonly<Record<SecurityEvent, readonly [subject: string, sentence: string]>> = {
  'password-changed': [
    'Your password was changed',
    'The password of your account on {siteName} was changed. All other sessions were signed out.',
  ],
  'password-reset': [
    'Your password was reset',
    'The password of your account on {siteName} was reset with a link. All sessions were signed out.',
  ],
  'email-changed': [
    'Your email address was changed',
    'Your account on {siteName} now uses another email address.',
  ],
  'email-reverted': [
    'Your email address was restored',
    'Your account on {siteName} uses this email address again. All sessions were signed out.',
  ],
  'sessions-ended': [
    'You were signed out',
    'A signed-in device signed out other sessions of your account on {siteName}.',
  ],
  'data-exported': [
    'Your data was downloaded',
    'A signed-in device downloaded all data of your account on {siteName}.',
  ],
  'account-deleted': ['Your account was deleted', 'Your account on {siteName} was deleted at your request.'],
  'two-factor-on': [
    'Two-factor authentication was turned on',
    'Signing in to your account on {siteName} now requires two-factor authentication.',
  ],
  'two-factor-off': [
    'Two-factor authentication was turned off',
    'Signing in to your account on {siteName} no longer requires two-factor authentication.',
  ],
  'recovery-codes-created': [
    'New recovery codes were generated',
    'New recovery codes were generated for your account on {siteName}. The previous codes no longer work.',
  ],
  'recovery-code-used': [
    'A recovery code was used',
    'One of your recovery codes was used to sign in to your account on {siteName}.',
  ],
  'passkey-added': ['A passkey was added', 'A passkey was added to your account on {siteName}.'],
  'passkey-removed': ['A passkey was removed', 'A passkey was removed from your account on {siteName}.'],
  'provider-linked': [
    'A sign-in method was added',
    'An external account was linked to your account on {siteName}. You can sign in with it.',
  ],
  'provider-unlinked': [
    'A sign-in method was removed',
    'An external account was unlinked from your account on {siteName}. You can no longer sign in with it.',
  ],
};
