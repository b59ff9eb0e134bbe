import type { Command } from 'commander';
import type { Client } from 'pg';
import { ArchiveError, ConnectionLostError, importStackExchange } from './stack-exchange-import.ts';
import { createTerminalProgress, type Output } from '#server/core/progress.ts';
import { formatImportReport } from './stack-exchange-report.ts';

export interface ImportCommandParts {
  /** Opens the community's database, migrated, and runs `work` with a connection of its own. */
  withClient: <Result>(work: (client: Client) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 for a refused archive, 130 for an interrupted import. */
  exitWith: (code: number) => unknown;
}

/** Adds `import stackexchange FOLDER`. */
export function registerImportCommand(program: Command, parts: ImportCommandParts): void {
  const group = program.command('import').description('bring in what another community wrote');
  group
    .command('stackexchange')
    .description(
      'import an unpacked Stack Exchange archive: all of it, or nothing if anything is wrong with it',
    )
    .argument(
      '<folder>',
      'the folder with Posts.xml and, where there are, Users.xml, PostHistory.xml, Comments.xml …',
    )
    .option(
      '--site <host>',
      'the site it is from, such as cooking.stackexchange.com; told from the archive where it can be',
    )
    .option(
      '--continues <host>',
      'the name under which posts of the site are here already, where the site was renamed since',
    )
    .option('--dry-run', 'read and account for every row, change nothing')
    .addHelpText('after', help)
    .action(async (folder: string, options: ImportFlags) => {
      parts.exitWith(await runImport(folder, options, parts));
    });
}

const help = `
Importing again changes nothing; a newer archive of the same site adds new posts and leaves the rest as it is, also
what was hidden or deleted here.
Imported members have no address and no password: nobody can sign in as them, and they are never mailed.
Every imported post shows its source, its author and its licence.

Exit codes: 0 imported, or nothing to add; 1 the archive was refused, nothing is imported; 130 interrupted, likewise.`;

interface ImportFlags {
  site?: string;
  continues?: string;
  dryRun?: boolean;
}

async function runImport(
  directory: string,
  options: ImportFlags,
  { withClient, out, err }: ImportCommandParts,
): Promise<number> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const summary = await withClient((client) =>
      importStackExchange({
        directory,
        client,
        ...options,
        progress: createTerminalProgress(err),
        log: (sentence) => err.write(`${sentence}\n`),
        signal: interruption.signal,
      }),
    );
    for (const line of formatImportReport(summary)) out.write(`${line}\n`);
    return 0;
  } catch (error) {
    if (interruption.signal.aborted) {
      err.write('Interrupted. Nothing was imported.\n');
      return 130;
    }
    if (error instanceof ConnectionLostError) {
      err.write(`${error.message}\n`);
      return 1;
    }
    if (!(error instanceof ArchiveError)) throw error;
    err.write(`${error.message} Nothing was imported.\n`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
