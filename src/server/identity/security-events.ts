import type { SecurityEvent } from '#shared/core/events.ts';
import type { Logger } from 'pino';
import { buildSimpleEmail, queueEmail } from '#server/notifications/email.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { onEventsCommitted, publish, type TopicEvent } from '#server/core/events.ts';
import type { JobQueue } from '#server/core/job-queue.ts';
import {
  claimUnsentSecurityEvents,
  deleteSecurityEvents,
  insertSecurityEvent,
} from './security-events-queries.ts';

/**
 * Tells a member, by mail where Parley has a mail server, and the log that something happened to the safety of their
 * account. It is told once the transaction is committed, and never without it.
 * @param told.to where the mail goes; absent: to the member's address as it is in this transaction; null: nowhere, where
 * another mail tells of it.
 */
export async function recordSecurityEvent(
  tx: Tx,
  entry: { memberId: number; event: SecurityEvent; to?: string | null },
): Promise<void> {
  const { memberId, event } = entry;
  await insertSecurityEvent(tx, entry);
  await publish(tx, `member:${memberId}`, { kind: 'account-changed', what: event });
}

/** The log says what happened to whom, by number: it is no place for names and addresses. */
export function logSecurityEvents(db: Database, log: Logger): void {
  onEventsCommitted(db, ({ events }) => {
    for (const { topic, event } of events)
      if (event.kind === 'account-changed')
        log.info({ memberId: Number(topic.slice('member:'.length)), event: event.what }, 'security event');
  });
}

/** Whether mails of security events wait to be queued. */
export function hasSecurityEvent(events: readonly TopicEvent[]): boolean {
  return events.some(({ event }) => event.kind === 'account-changed');
}

/** Queues the mails that are to be sent; every node may, at any time. */
export async function queueSecurityEmails(
  db: Database,
  jobs: JobQueue,
  { site }: { site: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    for (const { id, event, notify_email: to, created_at: at } of await claimUnsentSecurityEvents(tx, {
      limit: 200,
    })) {
      const email = { ...buildSecurityEmail({ event, at, site }), to, expiresAtMs: at.getTime() + 3 * day };
      await queueEmail(tx, jobs, { key: `security ${id}`, letter: email });
    }
  });
}

/** Days for which security events are kept. */
const retentionDays = 90;

const day = 24 * 60 * 60 * 1_000;

/** @param mails false: nothing is mailed, so no address waits for it. */
export async function deleteOldSecurityEvents(
  db: Database,
  { isEmailEnabled }: { isEmailEnabled: boolean },
): Promise<void> {
  await deleteSecurityEvents(db, { days: retentionDays, unsentDays: isEmailEnabled ? 3 : 0 });
}

function buildSecurityEmail({ event, at, site }: { event: SecurityEvent; at: Date; site: string }) {
  const when = `When: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const [subject, message] = emailMessages[event];
  const isGone = event === 'account-deleted';
  return buildSimpleEmail({
    subject,
    paragraphs: [message, when],
    action: isGone ? null : { label: 'Look at your settings', link: `${site}/settings?tab=account#security` },
    small: isGone
      ? 'This is the last mail from us.'
      : `If it was you, there is nothing to do. If it was not, set a new password now: ${site}/forgot-password`,
  });
}

const emailMessages: Readonly<Record<SecurityEvent, readonly [subject: string, sentence: string]>> = {
  'password-changed': [
    'Your password was changed',
    'The password of your account on Parley was changed. It is signed out everywhere else.',
  ],
  'password-reset': [
    'Your password was reset',
    'A new password was set for your account on Parley by a link. It is signed out everywhere.',
  ],
  'address-changed': ['Your address was changed', 'Another address is used for your account on Parley now.'],
  'address-returned': [
    'Your address was taken back',
    'This address is the one of your account on Parley again. It is signed out everywhere.',
  ],
  'sessions-ended': [
    'You were signed out',
    'Your account on Parley was signed out on other devices, from one where it is signed in.',
  ],
  'data-downloaded': [
    'Your data was downloaded',
    'Everything that is yours on Parley was downloaded, from a device where you are signed in.',
  ],
  'account-deleted': ['Your account was deleted', 'Your account on Parley was deleted, as you asked.'],
  'two-factor-on': [
    'Two-factor sign-in was switched on',
    'Your account on Parley asks for a second factor now when somebody signs in.',
  ],
  'two-factor-off': [
    'Two-factor sign-in was switched off',
    'Your account on Parley asks for no second factor any more.',
  ],
  'recovery-codes-made': [
    'You have new recovery codes',
    'New recovery codes were made for your account on Parley. The ones before do not work any more.',
  ],
  'recovery-code-used': [
    'A recovery code was used',
    'Somebody signed in to your account on Parley with one of its recovery codes.',
  ],
  'passkey-added': [
    'A passkey was added',
    'Your account on Parley can be signed in to with another passkey.',
  ],
  'passkey-removed': ['A passkey was removed', 'A passkey of your account on Parley was removed.'],
  'sign-in-linked': [
    'Another way to sign in was added',
    'Your account on Parley can be signed in to by an account elsewhere now.',
  ],
  'sign-in-unlinked': [
    'A way to sign in was removed',
    'Your account on Parley can be signed in to by an account elsewhere no more.',
  ],
};
