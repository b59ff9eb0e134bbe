import { type Command, Option } from 'commander';
import { type CommandParts, runCommand, runImportCommand } from './import-command.ts';
import { type RedirectFormat, redirectFormats, writeRedirects } from './stack-exchange-redirects.ts';
import { addImportRunCommands } from './import-runs-command.ts';
import { formatImportReport } from './stack-exchange-report.ts';

export type ImportCommandParts = CommandParts & {
  /** Asks on the terminal and returns the answer; null without a terminal. */
  ask: ((question: string) => Promise<string>) | null;
};

/**
 * Adds `import stackexchange DIRECTORY`, `import redirects [SITE]`, `import list` and `import undo`. Returns the group
 * `import`.
 */
export function registerImportCommand(program: Command, parts: ImportCommandParts): Command {
  const group = program.command('import').description('import from another platform');
  group
    .command('stackexchange')
    .description('import a Stack Exchange archive, completely or not at all')
    .argument(
      '<path...>',
      'the downloaded .7z file or files, or a directory with Posts.xml and, if available, Users.xml, PostHistory.xml, Comments.xml …',
    )
    .option(
      '--site <host>',
      'site of the archive, such as cooking.stackexchange.com; inferred from the archive if possible',
    )
    .option(
      '--continues <host>',
      'former name of the site, under which its posts were imported, if it was renamed since',
    )
    .option('--dry-run', 'read all files, report every row and list what would change; change nothing')
    .option('--add-only', 'add what is new, and change nothing of earlier imports')
    .option('--no-history', 'leave out the earlier versions of posts and their editors')
    .option('--allow-removals', 'also remove posts if so many are missing that the archive looks incomplete')
    .addHelpText('after', help)
    .action((paths: string[], { history: withHistory, ...flags }: ImportFlags) =>
      runImportCommand(parts, async (session) => {
        const { importStackExchange } = await import('./stack-exchange-import.ts');
        return formatImportReport(await importStackExchange({ paths, withHistory, ...flags, ...session }));
      }),
    );
  group
    .command('redirects')
    .description('print a map of the addresses of imported posts on their old site to those in Parley')
    .argument('[site]', 'the old site; can be omitted if archives of only one site were imported')
    .addOption(
      new Option('--format <format>', 'the web server of the old site')
        .choices(redirectFormats)
        .default('nginx'),
    )
    .addHelpText('after', redirectsHelp)
    .action((site: string | undefined, { format }: { format: RedirectFormat }) =>
      runCommand(parts, {
        effect: '',
        run({ signal }) {
          const write = (text: string) => {
            signal.throwIfAborted();
            parts.out.write(text);
          };
          return parts.withClient((client) => writeRedirects(client, { site, format, out: { write } }));
        },
      }),
    );
  addImportRunCommands(group, parts);
  return group;
}

const redirectsHelp = `
The first lines of the map say how to use it. It has the posts that are visible now: print it again after an
import.

Exit codes: 0 printed; 1 no archive of the site was imported.`;

const help = `
Importing again changes nothing. A newer archive of the same site also brings what was imported up to date, and
keeps what happened here: edits, votes, answers, and what was hidden, deleted or locked.
Imported members have no email address and no password: no one can sign in as them, and they get no emails.
Every imported post shows its source, its author and its licence.

Exit codes: 0 imported, or nothing to add; 1 the archive was refused; 130 interrupted. With 1 and 130,
nothing was imported.`;

interface ImportFlags {
  site?: string;
  continues?: string;
  dryRun?: boolean;
  addOnly?: boolean;
  allowRemovals?: boolean;
  /** False with `--no-history`. */
  history: boolean;
}
