import { randomUUID } from 'node:crypto';
import {
  buildSimpleEmail,
  type DeliverEmail,
  type EmailContent,
  type EmailSite,
  inLanguage,
  translate,
} from '#server/notifications/index.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import type { JobAttempt, JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { findLinkExpiry, lockMember } from './account-links-queries.ts';
import { createLink, linkLifetimesMs } from './account-links.ts';
import { findMemberByEmail, findOwnMember } from './accounts-queries.ts';

/** Queues emails with links, in the transaction of the request. Absent without a mail server. */
export type AccountEmails = {
  /** Sends a link that sets a new password to the member with this address; does nothing if there is none. */
  sendPasswordReset: (tx: Tx, request: { email: string }) => Promise<void>;
  /** Sends a link that confirms the new address, while the change is pending (account-links.ts). */
  sendEmailChangeConfirmation: (tx: Tx, request: { memberId: number; address: string }) => Promise<void>;
  /** Tells an applicant what the moderators decided. */
  sendApplicationDecision: (
    tx: Tx,
    request: { memberId: number; decision: 'approve' | 'refuse'; reason: string },
  ) => Promise<void>;
  /** Sends a link that reverts the change. */
  sendEmailChangeNotice: (tx: Tx, request: { memberId: number; address: string }) => Promise<void>;
};

/** `requestedAt`: in milliseconds. A job of an earlier version has none. */
type Job =
  | { what: 'reset_password'; email: string; requestedAt?: number }
  | { what: 'change_email' | 'revert_email'; memberId: number; address: string }
  | { what: 'application'; memberId: number; decision: 'approve' | 'refuse'; reason: string };

/** Retries for about 32 hours. A link is created with each attempt, so that it is valid when it arrives. */
const retries = { limit: 40, delaySeconds: 10, maxDelaySeconds: 3_600 };

export function createAccountEmails(jobs: JobQueue): AccountEmails {
  const add = (tx: Tx, key: string, job: Job) => jobs.enqueue(tx, 'account-email', { key, data: job });
  return {
    sendPasswordReset: (tx, { email }) =>
      // A key of its own: a request after an outage is not one of those that wait since before it.
      add(tx, `reset ${randomUUID()}`, { what: 'reset_password', email, requestedAt: databaseNowMs() }),
    sendEmailChangeConfirmation: (tx, { memberId, address }) =>
      add(tx, `address ${memberId} ${address}`, { what: 'change_email', memberId, address }),
    sendApplicationDecision: (tx, { memberId, decision, reason }) =>
      add(tx, `application ${memberId} ${decision}`, { what: 'application', memberId, decision, reason }),
    sendEmailChangeNotice: (tx, { memberId, address }) =>
      add(tx, `return ${memberId} ${address}`, { what: 'revert_email', memberId, address }),
  };
}

/**
 * Creates the job that writes these emails. It creates the link when it sends the email, so no queue contains a link,
 * and the request takes the same time whether or not the address exists. A failed attempt leaves a link that no one
 * received. Each link works independently.
 */
export function createAccountEmailJob({
  db,
  getSite,
  deliver,
}: {
  db: Database;
  getSite: () => EmailSite;
  deliver: DeliverEmail;
}) {
  return {
    name: 'account-email',
    retries,
    timeoutSeconds: 180,
    concurrency: 2,
    run: work,
  } satisfies JobDefinition<Job>;

  async function work(job: Job, attempt: JobAttempt): Promise<void> {
    const email = await transaction(db, (tx) => writeEmail(tx, job));
    if (email !== null) await deliver({ ...email, id: attempt.id }, attempt);
  }

  function writeEmail(tx: Tx, job: Job): Promise<(EmailContent & { to: string; memberId?: number }) | null> {
    switch (job.what) {
      case 'reset_password':
        return writePasswordResetEmail(tx, job);
      case 'application':
        return writeApplicationEmail(tx, job);
      case 'change_email':
      case 'revert_email':
        return writeEmailChangeEmail(tx, job);
    }
  }

  /** Writes no email if the account is deleted, or the decision was changed meanwhile. */
  async function writeApplicationEmail(
    tx: Tx,
    { memberId, decision, reason }: Extract<Job, { what: 'application' }>,
  ): Promise<(EmailContent & { to: string; memberId: number }) | null> {
    const member = await findOwnMember(tx, memberId);
    if (member === undefined || member.email === null || member.email_off_at !== null) return null;
    if (member.application !== (decision === 'approve' ? null : 'refused')) return null;
    const site = inLanguage(getSite(), member.language);
    const content = decision === 'approve' ? buildApprovalEmail(site) : buildRefusalEmail(reason, site);
    return { ...content, to: member.email, memberId };
  }

  /** Writes no email for a request that is older than a link lives: the member no longer expects one. */
  async function writePasswordResetEmail(
    tx: Tx,
    { email, requestedAt = databaseNowMs() }: Extract<Job, { what: 'reset_password' }>,
  ): Promise<(EmailContent & { to: string; memberId: number }) | null> {
    if (databaseNowMs() - requestedAt > linkLifetimesMs.reset_password) return null;
    const member = await findMemberByEmail(tx, email);
    if (member === undefined) return null;
    // A change of the address deletes the links to it.
    if ((await lockMember(tx, member.id, { changesEmail: false }))?.email !== email) return null;
    const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.reset_password);
    const token = await createLink(tx, {
      memberId: member.id,
      purpose: 'reset_password',
      address: email,
      expiresAt,
    });
    const site = inLanguage(getSite(), member.language);
    return { ...buildPasswordResetEmail(`reset-password#${token}`, site), to: email, memberId: member.id };
  }

  async function writeEmailChangeEmail(
    tx: Tx,
    { what: purpose, memberId, address }: Extract<Job, { what: 'change_email' | 'revert_email' }>,
  ): Promise<(EmailContent & { to: string }) | null> {
    // What cancels the change deletes its links under this lock, so that none is added afterwards.
    if ((await lockMember(tx, memberId, { changesEmail: false })) === undefined) return null;
    const expiresAt = await findLinkExpiry(tx, { memberId, purpose, address });
    if (expiresAt === undefined) return null;
    const token = await createLink(tx, { memberId, purpose, address, expiresAt });
    const site = inLanguage(getSite(), (await findOwnMember(tx, memberId))?.language ?? null);
    const content =
      purpose === 'change_email'
        ? buildEmailChangeConfirmation(`change-email#${token}`, site)
        : buildEmailChangeNotice(`revert-email#${token}`, site);
    return { ...content, to: address };
  }
}

/** @param page the path of the link, as for the other emails with a link */
export function buildPasswordResetEmail(page: string, site: EmailSite): EmailContent {
  const { language, siteName } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.reset.subject', { siteName }),
    paragraphs: [translate(language, 'email.reset.text', { site: site.site })],
    action: { label: translate(language, 'email.reset.action'), link: `${site.site}/${page}` },
    small: translate(language, 'email.reset.ignore'),
  });
}

export function buildApprovalEmail(site: EmailSite): EmailContent {
  const { language, siteName } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.approved.subject', { siteName }),
    paragraphs: [translate(language, 'email.approved.text')],
    action: { label: translate(language, 'email.approved.action', { siteName }), link: `${site.site}/` },
    small: null,
  });
}

export function buildRefusalEmail(reason: string, site: EmailSite): EmailContent {
  const { language, siteName } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.refused.subject', { siteName }),
    paragraphs: [translate(language, 'email.refused.text'), reason],
    action: { label: translate(language, 'email.refused.action'), link: `${site.site}/application` },
    small: null,
  });
}

export function buildEmailChangeConfirmation(page: string, site: EmailSite): EmailContent {
  const { language } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.change.subject'),
    paragraphs: [translate(language, 'email.change.text', { site: site.site })],
    action: { label: translate(language, 'email.change.action'), link: `${site.site}/${page}` },
    small: translate(language, 'email.ignore'),
  });
}

export function buildEmailChangeNotice(page: string, site: EmailSite): EmailContent {
  const { language, siteName } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.changed.subject', { siteName }),
    paragraphs: [
      translate(language, 'email.changed.text', { site: site.site }),
      translate(language, 'email.changed.revert'),
    ],
    action: { label: translate(language, 'email.changed.action'), link: `${site.site}/${page}` },
    small: translate(language, 'email.changed.ignore'),
  });
}
