import type { Command } from 'commander';
import type { ImportCommandParts } from './stack-exchange-command.ts';
import { type ImportRun, listRuns } from './import-runs.ts';

/** Adds `import list`. */
export function addImportRunCommands(group: Command, parts: ImportCommandParts): void {
  group
    .command('list')
    .description('list the imports of this community')
    .option('--json', 'print JSON, with the outcome of the rows of each file')
    .addHelpText(
      'after',
      '\nColumns: number, site, time of the import, newest time in the archive, questions, answers, replies and members\n' +
        'that it added, file.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const runs = await parts.withClient((client) => listRuns(client));
      if (json === true) parts.out.write(`${JSON.stringify(runs, null, 2)}\n`);
      else for (const line of formatRuns(runs)) parts.out.write(`${line}\n`);
    });
}

function formatRuns(runs: readonly ImportRun[]): string[] {
  if (runs.length === 0) return ['Nothing was imported.'];
  return runs.map(({ id, site, importedAt, newestAt, rows, file }) =>
    [
      id,
      site,
      importedAt.slice(0, 16).replace('T', ' '),
      newestAt?.slice(0, 10) ?? 'unknown',
      rows.questions,
      rows.answers,
      rows.replies,
      rows.members,
      file ?? 'unknown',
    ].join('\t'),
  );
}
