import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '#server/core/database.ts';
import { createMailer } from '#server/core/mailer.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { Output } from '#server/core/progress.ts';
import { takeBounceMessage } from './email-bounces.ts';
import { takeReceivedMessage } from './email-replies.ts';
import type { EmailSite } from './email-templates.ts';

/** What emails that arrive need. */
export type ReceivingEmails = {
  /** SECRET. Undefined: no server has started yet. */
  secret: string | undefined;
  /** Undefined without a mail server. */
  email:
    | { url: string; from: string; bounceAddress: string | undefined; replyAddress: string | undefined }
    | undefined;
  /** Where the node of this machine serves the API, such as 'http://127.0.0.1:3000'. */
  server: string;
  site: EmailSite;
};

export type EmailCommandDeps = {
  /** Opens the community's database. */
  withReceivedEmails: <Result>(
    work: (db: Database, receiving: ReceivingEmails) => Promise<Result>,
  ) => Promise<Result>;
  input: AsyncIterable<Uint8Array>;
  out: Output;
  err: Output;
  exitWith: (code: number) => unknown;
};

/** The longest part of a report that is read, in bytes. Reports contain at most the email that came back. */
const maxReportBytes = 1024 * 1024;

/** The longest email that is posted, in bytes: a picture of the allowed size, which base64 makes a third longer. */
export const maxReplyBytes = 15_000_000;

/** The exit codes by which a mail server tries again, or returns the email to its sender (sysexits.h). */
const exitCodes = { tryAgain: 75, refused: 69 } as const;

/** Adds `email bounce [RECIPIENT]` and `email reply [RECIPIENT]`. */
export function addEmailCommand(program: Command, deps: EmailCommandDeps): void {
  const { withReceivedEmails, input, out, err, exitWith } = deps;
  const emails = program.command('email').description('emails that arrive: bounces and replies');
  emails
    .command('bounce')
    .description('take a message that arrived at BOUNCE_ADDRESS, from standard input')
    .argument('[recipient]', recipientHelp)
    .addHelpText(
      'after',
      '\nFor the pipe of a mail server (docs/operating.md). A report of a failed delivery counts as a bounce of the member. Other\n' +
        'messages are ignored.\n\nExit codes: 0 counted or ignored; 1 BOUNCE_ADDRESS is not set; 75 the mail server should try again.',
    )
    .action(async (recipient: string | undefined) => {
      const raw = await readMessage(input, maxReportBytes);
      await run(async (db, { secret, email }) => {
        const bounceAddress = email?.bounceAddress;
        if (bounceAddress === undefined || secret === undefined) return 'BOUNCE_ADDRESS is not set.';
        const message = { raw, recipients: toList(recipient) };
        const effect = await takeBounceMessage(db, { secret, bounceAddress }, message);
        // The process would exit before its own notification is sent.
        if (effect === 'off') await notifyNodes(db, eventChannel, '');
        out.write(`${bounceEffects[effect]}\n`);
        return null;
      });
    });
  emails
    .command('reply')
    .description('post a message that arrived at REPLY_ADDRESS, from standard input')
    .argument('[recipient]', recipientHelp)
    .option('--server <url>', 'the address of a node (default: PORT on this machine)', toServerAddress)
    .addHelpText(
      'after',
      '\nFor the pipe of a mail server (docs/operating.md). Posts the text as the member who received the email: a reply to an\n' +
        'email about an answer or a comment becomes a comment, one about a question an answer. The quoted email and the signature\n' +
        'are left out; pictures are uploaded. The email must come from the address of the member. If it cannot be posted, the\n' +
        'member gets an email with the reason. Reports of failed deliveries are taken as by `email bounce`. Automatic\n' +
        'replies and other messages are ignored.\n\n' +
        'Exit codes: 0 posted, refused or ignored; 1 REPLY_ADDRESS is not set; 69 longer than 15 MB, or it\n' +
        'cannot be read; 75 the mail server should try again.',
    )
    .action(async (recipient: string | undefined, options: { server?: string }): Promise<void> => {
      const raw = await readMessage(input, maxReplyBytes);
      if (raw.length > maxReplyBytes) {
        err.write('The email is longer than 15 MB.\n');
        exitWith(exitCodes.refused);
        return;
      }
      await run(async (db, { secret, email, server: own, site }) => {
        const replyAddress = email?.replyAddress;
        if (email === undefined || replyAddress === undefined || secret === undefined)
          return 'REPLY_ADDRESS is not set.';
        const { send, stop } = createMailer({ ...email, getSenderName: () => site.siteName });
        try {
          const { bounceAddress, from: sender } = email;
          const server = options.server ?? own;
          const received = { db, secret, sender, replyAddress, bounceAddress, server, site, send };
          const effect = await takeReceivedMessage(received, { raw, recipients: toList(recipient) });
          if (effect === 'bounced-off') await notifyNodes(db, eventChannel, '');
          if (effect === 'unreadable') exitWith(exitCodes.refused);
          (effect === 'unreadable' ? err : out).write(`${receivedEffects[effect]}\n`);
        } finally {
          await stop();
        }
        return null;
      });
    });

  /** @param work returns what is not configured; null if it has succeeded */
  async function run(work: (db: Database, receiving: ReceivingEmails) => Promise<string | null>) {
    try {
      const missing = await withReceivedEmails(work);
      if (missing === null) return;
      err.write(`${missing}\n`);
      exitWith(1);
    } catch (error) {
      err.write(`${error instanceof Error ? error.message : String(error)}\n`);
      exitWith(exitCodes.tryAgain);
    }
  }
}

const recipientHelp = 'the address to which the message was delivered, if its headers do not say it';

const toList = (recipient: string | undefined) => (recipient === undefined ? [] : [recipient]);

function toServerAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.pathname !== '/')
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:3000.');
  return url.origin;
}

const bounceEffects = {
  off: 'Counted. Emails to this member are off now.',
  counted: 'Counted.',
  ignored: 'Ignored: it is no report about an email of this site, or it was counted before.',
} as const;

const receivedEffects = {
  posted: 'Posted.',
  held: 'Stored. A moderator decides whether it is posted.',
  refused: 'Refused. The member got an email with the reason.',
  unreadable: 'The email could not be read.',
  bounced: bounceEffects.counted,
  'bounced-off': bounceEffects.off,
  ignored: 'Ignored: it is no reply of a member to an email of this site, and no new report about one.',
} as const;

/** Reads to the end, so that the mail server can write everything. Stores only a little more than `maxBytes`. */
async function readMessage(input: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    if (length <= maxBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}
