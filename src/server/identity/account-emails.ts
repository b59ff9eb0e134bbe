import { buildSimpleEmail, type DeliverEmail, type EmailContent } from '#server/notifications/email.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import type { JobAttempt, JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import { findLinkExpiry } from './account-links-queries.ts';
import { createLink, linkLifetimesMs } from './account-links.ts';
import { findMemberByEmail } from './accounts-queries.ts';

/** Puts mails with links on their way, in the transaction of what asks for them. Absent without a mail server. */
export type AccountEmails = {
  /** A link that sets a new password, to whoever has this address; nothing where nobody has. */
  sendPasswordReset: (tx: Tx, ask: { email: string }) => Promise<void>;
  /** A link that makes the address the member's, while it stands noted (links.ts). */
  sendEmailChangeConfirmation: (tx: Tx, ask: { memberId: number; address: string }) => Promise<void>;
  /** A link that makes it theirs again. */
  sendEmailChangeNotice: (tx: Tx, ask: { memberId: number; address: string }) => Promise<void>;
};

type Job =
  | { what: 'reset'; email: string }
  | { what: 'address' | 'return'; memberId: number; address: string };

/** Tried for an hour: who asks for such a mail waits for it. One that takes an address back has a day. */
const retries = { limit: 40, delaySeconds: 10, maxDelaySeconds: 3_600 };

export function createAccountEmails(jobs: JobQueue): AccountEmails {
  const add = (tx: Tx, key: string, job: Job) => jobs.enqueue(tx, 'account-mail', { key, data: job });
  return {
    sendPasswordReset: (tx, { email }) => add(tx, `reset ${email}`, { what: 'reset', email }),
    sendEmailChangeConfirmation: (tx, { memberId, address }) =>
      add(tx, `address ${memberId} ${address}`, { what: 'address', memberId, address }),
    sendEmailChangeNotice: (tx, { memberId, address }) =>
      add(tx, `return ${memberId} ${address}`, { what: 'return', memberId, address }),
  };
}

/**
 * The job that writes such a mail when it is sent: so no link waits in a queue where somebody could read it, and who asks
 * hears the same in the same time whether anybody has the address or not. A try that failed leaves a link that nobody
 * has; each works for itself.
 */
export function createAccountEmailJob({
  db,
  site,
  deliver,
}: {
  db: Database;
  site: string;
  deliver: DeliverEmail;
}) {
  return {
    name: 'account-mail',
    retries,
    timeoutSeconds: 180,
    concurrency: 2,
    run: work,
  } satisfies JobDefinition<Job>;

  async function work(job: Job, attempt: JobAttempt): Promise<void> {
    const email = await transaction(db, (tx) =>
      job.what === 'reset' ? writePasswordResetEmail(tx, job) : writeEmailChangeEmail(tx, job),
    );
    if (email !== null) await deliver({ ...email, id: attempt.id }, attempt);
  }

  async function writePasswordResetEmail(
    tx: Tx,
    { email }: { email: string },
  ): Promise<(EmailContent & { to: string }) | null> {
    const member = await findMemberByEmail(tx, email);
    if (member === undefined) return null;
    const expiresAt = new Date(databaseNowMs() + linkLifetimesMs.reset);
    const token = await createLink(tx, { memberId: member.id, purpose: 'reset', address: email, expiresAt });
    return { ...buildPasswordResetEmail(`${site}/reset-password#${token}`, site), to: email };
  }

  async function writeEmailChangeEmail(
    tx: Tx,
    { what: purpose, memberId, address: writeEmailChangeEmail }: Exclude<Job, { what: 'reset' }>,
  ): Promise<(EmailContent & { to: string }) | null> {
    const expiresAt = await findLinkExpiry(tx, { memberId, purpose, address: writeEmailChangeEmail });
    if (expiresAt === undefined) return null;
    const token = await createLink(tx, { memberId, purpose, address: writeEmailChangeEmail, expiresAt });
    const content =
      purpose === 'address'
        ? buildEmailChangeConfirmation(`${site}/new-address#${token}`, site)
        : buildEmailChangeNotice(`${site}/take-back-address#${token}`, site);
    return { ...content, to: writeEmailChangeEmail };
  }
}

function buildPasswordResetEmail(link: string, site: string): EmailContent {
  return buildSimpleEmail({
    subject: 'Set a new password on Parley',
    paragraphs: [
      `Somebody asked to set a new password for the account with this address on ${site}. If it was you, open this link within an hour:`,
    ],
    action: { label: 'Set a new password', link },
    small: 'If it was not you, there is nothing to do: your password is as it was.',
  });
}

function buildEmailChangeConfirmation(link: string, site: string): EmailContent {
  return buildSimpleEmail({
    subject: 'Please confirm your new address on Parley',
    paragraphs: [
      `Somebody with an account on ${site} wants to use this address for it. If it was you, open this link within a day and press the button there:`,
    ],
    action: { label: 'Use this address', link },
    small: 'If it was not you, there is nothing to do.',
  });
}

function buildEmailChangeNotice(link: string, site: string): EmailContent {
  return buildSimpleEmail({
    subject: 'Your address on Parley was changed',
    paragraphs: [
      `Your account on ${site} uses another address now.`,
      'If it was not you who changed it, open this link within 7 days and press the button there. It takes your address back, signs the account out everywhere, and sends you a link that sets a new password:',
    ],
    action: { label: 'Take my address back', link },
    small: 'If it was you, there is nothing to do.',
  });
}
