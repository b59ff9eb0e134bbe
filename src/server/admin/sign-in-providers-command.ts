import type { Command } from 'commander';
import type { Database } from '#server/core/database.ts';
import type { MemberCommandDeps } from '#server/core/progress.ts';
import { listSignInProviders } from '#server/identity/index.ts';

/** Adds `sign-in-provider list`. */
export function addSignInProviderCommands(
  program: Command,
  { withDatabase, out }: Pick<MemberCommandDeps, 'withDatabase' | 'out'>,
): void {
  program
    .command('sign-in-provider')
    .description('show the sign-in providers that admins added in the browser')
    .command('list')
    .description('list the providers: ID, on or off, name, issuer')
    .addHelpText(
      'after',
      '\nThe provider of OIDC_ISSUER is not in the list. Secrets are encrypted and never printed.',
    )
    .action(async () => {
      for (const { id, name, issuer, is_enabled: isEnabled } of await withDatabase((db: Database) =>
        listSignInProviders(db),
      ))
        out.write(`${[id, isEnabled ? 'on' : 'off', name, issuer].join('\t')}\n`);
    });
}
