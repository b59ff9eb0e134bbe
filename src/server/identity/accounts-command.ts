import type { Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { Output } from '#server/core/progress.ts';
import { readSiteSettings } from '#server/core/site-settings.ts';
import type { RemovedSignInFactors } from '#shared/identity/two-factor.ts';
import { removeSignInFactors } from './two-factor.ts';
import { createResetLink } from './password-resets.ts';

export type AccountCommandDeps = {
  /** Opens the community's database and applies pending migrations. */
  withDatabase: <Result>(work: (db: Database, site: string) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 if no member has the address. */
  exitWith: (code: number) => unknown;
};

/** Adds `reset-password EMAIL`. */
export function addResetPasswordCommand(program: Command, parts: AccountCommandDeps): void {
  program
    .command('reset-password')
    .description('print a link that sets a new password for a member who forgot theirs')
    .argument('<email>', 'email address of the member')
    .addHelpText(
      'after',
      '\nThe link works once, within an hour. It gives access to the account, so hand it only to the member.\n' +
        'Using it ends all sessions of the member. The command also works while a server runs.\n\n' +
        'Exit codes: 0 printed; 1 no member signs in with this address.',
    )
    .action(async (email: string) => {
      const reset = await parts.withDatabase(async (db, site) => {
        const token = await createResetLink(db, email);
        if (token === null) return null;
        const { passwordSignIn } = await readSiteSettings(db);
        return { link: `${site}/reset-password#${token}`, isPasswordSignInOn: passwordSignIn };
      });
      if (reset === null) {
        parts.err.write('No member signs in with this address.\n');
        parts.exitWith(1);
        return;
      }
      parts.out.write(`${reset.link}\n`);
      parts.err.write('The link works once, within an hour. Hand it only to the member.\n');
      if (!reset.isPasswordSignInOn)
        parts.err.write(
          'Password sign-in is off. The link works only while it is on: parley settings set passwordSignIn true\n',
        );
    });
}

/** Adds `remove-two-factor EMAIL` to the command group `member`. */
export function addRemoveTwoFactorCommand(members: Command, parts: AccountCommandDeps): void {
  members
    .command('remove-two-factor')
    .description('remove two-factor authentication and all passkeys of a member who lost them')
    .argument('<email>', 'email address of the member')
    .addHelpText(
      'after',
      '\nAfterwards the password alone signs in. All sessions of the member end, and the member gets an email. Make sure that\n' +
        'the request comes from the member. The command also works while a server runs.\n\n' +
        'Exit codes: 0 done, or there was nothing to remove; 1 no member signs in with this address.',
    )
    .action(async (email: string) => {
      const removed = await parts.withDatabase(async (db) => {
        const exists = await removeSignInFactors(db, email);
        // The process would exit before its own notification is sent.
        await notifyNodes(db, eventChannel, '');
        return exists;
      });
      if (removed === null) {
        parts.err.write('No member signs in with this address.\n');
        parts.exitWith(1);
        return;
      }
      parts.out.write(`${describeRemovedFactors(removed)}\n`);
      if (!removed.hasPassword)
        parts.err.write('The member has no password. parley reset-password prints a link that sets one.\n');
    });
}

function describeRemovedFactors({ twoFactor, passkeys }: RemovedSignInFactors): string {
  if (!twoFactor && passkeys === 0) return 'The member has neither two-factor authentication nor a passkey.';
  const removed = [
    ...(twoFactor ? ['two-factor authentication'] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`] : []),
  ];
  return `Removed: ${removed.join(' and ')}. All sessions of the member are ended.`;
}
