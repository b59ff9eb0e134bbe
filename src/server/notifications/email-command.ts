import type { Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { Output } from '#server/core/progress.ts';
import { takeBounceMessage } from './email-bounces.ts';

export type EmailCommandDeps = {
  /** Opens the community's database. `signing` is null without BOUNCE_ADDRESS. */
  withBounces: <Result>(
    work: (db: Database, signing: { secret: string; bounceAddress: string } | null) => Promise<Result>,
  ) => Promise<Result>;
  input: AsyncIterable<Uint8Array>;
  out: Output;
  err: Output;
  exitWith: (code: number) => unknown;
};

/** The longest message that is read, in bytes. Reports contain at most the email that came back. */
const maxBytes = 1024 * 1024;

/** The exit code after which a mail server tries again (sysexits.h, EX_TEMPFAIL). */
const tryAgain = 75;

/** Adds `email bounce [RECIPIENT]`. */
export function addEmailCommand(program: Command, parts: EmailCommandDeps): void {
  const emails = program.command('email').description('emails that came back');
  emails
    .command('bounce')
    .description('take a message that arrived at BOUNCE_ADDRESS, from standard input')
    .argument('[recipient]', 'the address to which the message was delivered, if its headers do not say it')
    .addHelpText(
      'after',
      '\nFor the pipe of a mail server (docs/operating.md). A report of a failed delivery counts as a bounce of the member. Other\n' +
        'messages are ignored.\n\nExit codes: 0 counted or ignored; 1 BOUNCE_ADDRESS is not set; 75 the mail server should try again.',
    )
    .action(async (recipient: string | undefined) => {
      const raw = await readMessage(parts.input);
      try {
        await parts.withBounces(async (db, signing) => {
          if (signing === null) {
            parts.err.write('BOUNCE_ADDRESS is not set.\n');
            parts.exitWith(1);
            return;
          }
          const recipients = recipient === undefined ? [] : [recipient];
          const effect = await takeBounceMessage(db, signing, { raw, recipients });
          // The process would exit before its own notification is sent.
          if (effect === 'off') await notifyNodes(db, eventChannel, '');
          parts.out.write(`${descriptions[effect]}\n`);
        });
      } catch (error) {
        parts.err.write(`${error instanceof Error ? error.message : String(error)}\n`);
        parts.exitWith(tryAgain);
      }
    });
}

const descriptions = {
  off: 'Counted. Emails to this member are off now.',
  counted: 'Counted.',
  ignored: 'Ignored: it is no report about an email of this site, or it was counted before.',
} as const;

/** The first part of a longer message contains the report. */
async function readMessage(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    if (length < maxBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
