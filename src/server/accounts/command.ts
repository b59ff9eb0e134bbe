import type { Command } from 'commander';
import type { Database } from '#server/platform/database.ts';
import type { Output } from '#server/platform/progress.ts';
import { makeResetLink } from './reset.ts';

export type AccountCommandParts = {
  /** Opens the community's database, migrated. */
  withDatabase: <Result>(work: (db: Database, site: string) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 where nobody has the address. */
  exitWith: (code: number) => unknown;
};

/** Adds `reset-password EMAIL`. */
export function registerResetPassword(program: Command, parts: AccountCommandParts): void {
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
        const token = await makeResetLink(db, email);
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
