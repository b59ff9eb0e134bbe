import type { Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { Output } from '#server/core/progress.ts';
import { type RemovedFactors, removeSignInFactors } from './two-factor.ts';
import { createResetLink } from './password-resets.ts';

export type AccountCommandDeps = {
  /** Opens the community's database, migrated. */
  withDatabase: <Result>(work: (db: Database, site: string) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 where nobody has the address. */
  exitWith: (code: number) => unknown;
};

/** Adds `reset-password EMAIL`. */
export function addResetPasswordCommand(program: Command, parts: AccountCommandDeps): void {
  program
    .command('reset-password')
    .description('print a link that sets a new password for a member who forgot theirs')
    .argument('<email>', 'the address the member signs in with')
    .addHelpText(
      'after',
      '\nThe link works once, within an hour; whoever has it gets the account, so hand it to the member and nobody else.\n' +
        'Using it signs the member out everywhere. Works beside a running server.\n\n' +
        'Exit codes: 0 printed; 1 nobody signs in with this address.',
    )
    .action(async (email: string) => {
      const link = await parts.withDatabase(async (db, site) => {
        const token = await createResetLink(db, email);
        return token === null ? null : `${site}/reset-password#${token}`;
      });
      if (link === null) {
        parts.err.write('Nobody signs in with this address.\n');
        parts.exitWith(1);
        return;
      }
      parts.out.write(`${link}\n`);
      parts.err.write('It works once, within an hour. Hand it to the member and nobody else.\n');
    });
}

/** Adds `remove-factors EMAIL` to the commands about members. */
export function addRemoveTwoFactorCommand(members: Command, parts: AccountCommandDeps): void {
  members
    .command('remove-factors')
    .description('take the second factor and all passkeys off a member who has lost them')
    .argument('<email>', 'the address the member signs in with')
    .addHelpText(
      'after',
      '\nFrom then on their password alone signs them in; they are signed out everywhere, and mailed. Make sure that it is the\n' +
        'member who asks. Works beside a running server.\n\n' +
        'Exit codes: 0 done, or there was nothing to take off; 1 nobody signs in with this address.',
    )
    .action(async (email: string) => {
      const taken = await parts.withDatabase(async (db) => {
        const found = await removeSignInFactors(db, email);
        // This process ends before it would wake the nodes by itself.
        await notifyNodes(db, eventChannel, '');
        return found;
      });
      if (taken === null) {
        parts.err.write('Nobody signs in with this address.\n');
        parts.exitWith(1);
        return;
      }
      parts.out.write(`${describeRemovedFactors(taken)}\n`);
      if (!taken.hasPassword)
        parts.err.write('They have no password: parley reset-password prints a link that sets one.\n');
    });
}

function describeRemovedFactors({ twoFactor, passkeys }: RemovedFactors): string {
  if (!twoFactor && passkeys === 0) return 'There is neither a second factor nor a passkey.';
  const gone = [
    ...(twoFactor ? ['the second factor'] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`] : []),
  ];
  return `Taken off: ${gone.join(' and ')}. The member is signed out everywhere.`;
}
