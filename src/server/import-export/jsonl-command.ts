import type { Command } from 'commander';
import type { Client } from 'pg';
import { createTerminalProgress, type Output } from '#server/core/progress.ts';
import type { LineImportSummary } from './jsonl-import.ts';
import { ArchiveError, ConnectionLostError } from './stack-exchange-errors.ts';

export type LineCommandParts = {
  /** Opens the community's database, applies pending migrations, and runs `work` with a dedicated connection. */
  withClient: <Result>(work: (client: Client) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 for refused files, 130 for an interrupted import. */
  exitWith: (code: number) => unknown;
};

/** Adds `import jsonl DIRECTORY`. */
export function addJsonLinesCommand(group: Command, parts: LineCommandParts): void {
  group
    .command('jsonl')
    .description('import JSON lines, as parley export writes them, completely or not at all')
    .argument(
      '<directory>',
      'a directory with questions.jsonl and, if available, members.jsonl, answers.jsonl …',
    )
    .option(
      '--site <address>',
      'address of the source, such as https://forum.example.org; default: that of the export',
    )
    .option(
      '--license <name>',
      "licence of posts whose row has none, such as 'CC BY-SA 4.0'; default: that of the export",
    )
    .option('--dry-run', 'read all files and report every row, change nothing')
    .addHelpText('after', help)
    .action(async (directory: string, flags: Flags) => {
      parts.exitWith(await run(directory, flags, parts));
    });
}

const help = `
docs/importing.md describes the files, also for programs that convert another forum. Into a community without posts,
everything moves: posts keep their ids and belong to the community. Otherwise they get new ids and show their source and
licence. Importing again adds what is new and changes nothing else.
No member gets a password or a role. Those with an email address set a password with "Forgot password?".

Exit codes: 0 imported, or nothing to add; 1 the files were refused; 130 interrupted. With 1 and 130, nothing was
imported.`;

type Flags = { site?: string; license?: string; dryRun?: boolean };

async function run(
  directory: string,
  flags: Flags,
  { withClient, out, err }: LineCommandParts,
): Promise<number> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const { importJsonLines } = await import('./jsonl-import.ts');
  try {
    const summary = await withClient((client) =>
      importJsonLines({
        directory,
        client,
        ...flags,
        progress: createTerminalProgress(err),
        log: (message) => err.write(`${message}\n`),
        signal: interruption.signal,
      }),
    );
    for (const line of describeSummary(summary)) out.write(`${line}\n`);
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

function describeSummary(summary: LineImportSummary): string[] {
  const lines = summary.files.flatMap((file) => [
    `${file.file}: ${format(file.read)} rows read, ${format(file.imported)} imported` +
      (file.alreadyImported > 0 ? `, ${format(file.alreadyImported)} here before` : ''),
    ...file.skipped.map(({ reason, rows }) => `  ${format(rows)} skipped: ${reason}`),
  ]);
  lines.push(...summary.remarks.map((remark) => `Note: ${remark}.`));
  const counts = Object.entries(summary.added).map(([kind, rows]) => `${kind} ${format(rows)}`);
  return [...lines, `Added: ${counts.join(', ')}.`, describeOutcome(summary)];
}

function describeOutcome({ site, isDryRun, isUnchanged, isMove }: LineImportSummary): string {
  if (isUnchanged) return `Nothing to add: all of ${site} was imported before. Nothing was changed.`;
  if (isDryRun) return `This was a dry run: ${site} can be imported. Nothing was changed.`;
  return isMove ? `${site} was moved here.` : `${site} was imported.`;
}

const format = (number: number) => number.toLocaleString('en');
