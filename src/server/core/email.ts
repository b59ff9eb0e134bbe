import nodemailer from 'nodemailer';
import { truncateWithEllipsis } from '#shared/core/text.ts';

/** A mail as it leaves. Nothing of it may hold markup that was not made here. */
export type EmailMessage = {
  /** An address alone. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Beside those of every mail. */
  headers?: Record<string, string>;
  /** The same for every try at the same mail, so that mail programs show one that came twice once. */
  id: string;
};

export type Mailer = {
  /**
   * Resolves when the mail server has taken the mail over.
   * @throws MailRefused when it never will; other errors when another try may help.
   */
  send: (message: EmailMessage) => Promise<void>;
  /** Connects and signs in, and sends nothing. @throws when that fails */
  check: () => Promise<void>;
  stop: () => Promise<void>;
};

/** The mail server refused a mail for good (RFC 5321, replies 5yz). */
export class EmailRejectedError extends Error {}

/** Milliseconds for the steps of SMTP; together they end before a job counts as lost. */
const timeoutsMs = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** @param url SMTP_URL @param from MAIL_FROM */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: 3,
    maxMessages: 100,
    ...timeoutsMs,
    // A mail has no files, and nothing in it is an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const host = parseHost(from);
  return {
    async send({ to, subject, text, html, headers = {}, id }) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject: sanitizeHeader(subject),
          text,
          html,
          messageId: `<${id}@${host}>`,
          // Answered by no out-of-office (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        });
      } catch (error) {
        if (isRejection(error)) throw new EmailRejectedError(error.message, { cause: error });
        throw error;
      }
    },
    async check() {
      await transport.verify();
    },
    async stop() {
      transport.close();
    },
  };
}

/** Characters in a subject at most. */
const maxSubjectLength = 150;

/**
 * Text as a header can show it: one line, and nothing that steers or hides (control characters, marks that turn the
 * direction of what follows, halves of characters).
 */
export function sanitizeHeader(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFD]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return truncateWithEllipsis(line, maxSubjectLength);
}

/** The host of an address such as 'Parley <parley@example.org>'. */
function parseHost(from: string): string {
  return /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

/** Refused recipients and texts; a refused sign-in is the operator's to mend, and the mail waits for it. */
function isRejection(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  return (
    typeof responseCode === 'number' && responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  );
}
