import type { Command } from 'commander';
import { type CommandParts, runImportCommand } from './import-command.ts';
import type { LineImportSummary } from './jsonl-import.ts';
import { formatNumber } from './stack-exchange-tally.ts';

/** Adds `import jsonl DIRECTORY`. */
export function addJsonLinesCommand(group: Command, parts: CommandParts): void {
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
    .action((directory: string, flags: { site?: string; license?: string; dryRun?: boolean }) =>
      runImportCommand(parts, async (session) => {
        const { importJsonLines } = await import('./jsonl-import.ts');
        return describeSummary(await importJsonLines({ directory, ...flags, ...session }));
      }),
    );
}

const help = `
docs/importing.md describes the files, also for programs that convert another forum. Into a community without posts,
everything moves: posts keep their ids and belong to the community. Otherwise they get new ids and show their source and
licence. Importing again adds what is new and changes nothing else.
No member gets a password or a role. Those with an email address set a password with "Forgot password?".

Exit codes: 0 imported, or nothing to add; 1 the files were refused; 130 interrupted. With 1 and 130, nothing was
imported.`;

function describeSummary(summary: LineImportSummary): string[] {
  const lines = summary.files.flatMap((file) => [
    `${file.file}: ${formatNumber(file.read)} rows read, ${formatNumber(file.imported)} imported` +
      (file.alreadyImported > 0 ? `, ${formatNumber(file.alreadyImported)} here before` : ''),
    ...file.skipped.map(({ reason, rows }) => `  ${formatNumber(rows)} skipped: ${reason}`),
  ]);
  lines.push(...summary.remarks.map((remark) => `Note: ${remark}.`));
  const counts = Object.entries(summary.added).map(([kind, rows]) => `${kind} ${formatNumber(rows)}`);
  return [...lines, `Added: ${counts.join(', ')}.`, describeOutcome(summary)];
}

function describeOutcome({ site, isDryRun, isUnchanged, isMove }: LineImportSummary): string {
  if (isUnchanged) return `Nothing to add: all of ${site} was imported before. Nothing was changed.`;
  if (isDryRun) return `This was a dry run: ${site} can be imported. Nothing was changed.`;
  return isMove ? `${site} was moved here.` : `${site} was imported.`;
}
