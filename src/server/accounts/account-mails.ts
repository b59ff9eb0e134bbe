import type { Delivery, Letter } from '#server/mailing/mailing.ts';
import { noticeLetter } from '#server/mailing/mailing.ts';
import { databaseTime } from '#server/platform/clock.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import type { JobKind, Jobs, Try } from '#server/platform/jobs/jobs.ts';
import { addressStands } from './link-queries.ts';
import { linkTimes, makeLink } from './links.ts';
import { memberByEmail } from './queries.ts';

/** Puts mails with links on their way, in the transaction of what asks for them. Absent without a mail server. */
export type AccountMails = {
  /** A link that sets a new password, to whoever has this address; nothing where nobody has. */
  sendReset: (tx: Tx, ask: { email: string }) => Promise<void>;
  /** A link that makes the address the member's, while it stands noted (links.ts). */
  askNewAddress: (tx: Tx, ask: { memberId: number; address: string }) => Promise<void>;
  /** A link that makes it theirs again. */
  tellOldAddress: (tx: Tx, ask: { memberId: number; address: string }) => Promise<void>;
};

type Job =
  | { what: 'reset'; email: string }
  | { what: 'address' | 'return'; memberId: number; address: string };

/** Tried for an hour: who asks for such a mail waits for it. One that takes an address back has a day. */
const retries = { limit: 40, seconds: 10, most: 3_600 };

export function queueAccountMails(jobs: Jobs): AccountMails {
  const add = (tx: Tx, key: string, job: Job) => jobs.add(tx, 'account-mail', { key, data: job });
  return {
    sendReset: (tx, { email }) => add(tx, `reset ${email}`, { what: 'reset', email }),
    askNewAddress: (tx, { memberId, address }) =>
      add(tx, `address ${memberId} ${address}`, { what: 'address', memberId, address }),
    tellOldAddress: (tx, { memberId, address }) =>
      add(tx, `return ${memberId} ${address}`, { what: 'return', memberId, address }),
  };
}

/**
 * The job that writes such a mail when it is sent: so no link waits in a queue where somebody could read it, and who asks
 * hears the same in the same time whether anybody has the address or not. A try that failed leaves a link that nobody
 * has; each works for itself.
 */
export function accountMailJob({ db, site, deliver }: { db: Database; site: string; deliver: Delivery }) {
  return { name: 'account-mail', retries, seconds: 180, atOnce: 2, work } satisfies JobKind<Job>;

  async function work(job: Job, attempt: Try): Promise<void> {
    const mail = await transaction(db, (tx) => (job.what === 'reset' ? reset(tx, job) : address(tx, job)));
    if (mail !== null) await deliver({ ...mail, id: attempt.id }, attempt);
  }

  async function reset(tx: Tx, { email }: { email: string }): Promise<(Letter & { to: string }) | null> {
    const member = await memberByEmail(tx, email);
    if (member === undefined) return null;
    const expiresAt = new Date(databaseTime() + linkTimes.reset);
    const token = await makeLink(tx, { memberId: member.id, purpose: 'reset', address: email, expiresAt });
    return { ...resetLetter(`${site}/reset-password#${token}`, site), to: email };
  }

  async function address(
    tx: Tx,
    { what: purpose, memberId, address }: Exclude<Job, { what: 'reset' }>,
  ): Promise<(Letter & { to: string }) | null> {
    const expiresAt = await addressStands(tx, { memberId, purpose, address });
    if (expiresAt === undefined) return null;
    const token = await makeLink(tx, { memberId, purpose, address, expiresAt });
    const letter =
      purpose === 'address'
        ? newAddressLetter(`${site}/new-address#${token}`, site)
        : oldAddressLetter(`${site}/take-back-address#${token}`, site);
    return { ...letter, to: address };
  }
}

function resetLetter(link: string, site: string): Letter {
  return noticeLetter({
    subject: 'Set a new password on Parley',
    paragraphs: [
      `Somebody asked to set a new password for the account with this address on ${site}. If it was you, open this link within an hour:`,
    ],
    action: { label: 'Set a new password', link },
    small: 'If it was not you, there is nothing to do: your password is as it was.',
  });
}

function newAddressLetter(link: string, site: string): Letter {
  return noticeLetter({
    subject: 'Please confirm your new address on Parley',
    paragraphs: [
      `Somebody with an account on ${site} wants to use this address for it. If it was you, open this link within a day and press the button there:`,
    ],
    action: { label: 'Use this address', link },
    small: 'If it was not you, there is nothing to do.',
  });
}

function oldAddressLetter(link: string, site: string): Letter {
  return noticeLetter({
    subject: 'Your address on Parley was changed',
    paragraphs: [
      `Your account on ${site} uses another address now.`,
      'If it was not you who changed it, open this link within 7 days and press the button there. It takes your address back, signs the account out everywhere, and sends you a link that sets a new password:',
    ],
    action: { label: 'Take my address back', link },
    small: 'If it was you, there is nothing to do.',
  });
}
