import { type Command, InvalidArgumentError } from 'commander';
import { runCommand } from './import-command.ts';
import type { ImportCommandParts } from './stack-exchange-command.ts';
import { type ImportRun, listRuns } from './import-runs.ts';
import type { UndoPreview } from './import-undo.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { formatNumber } from './stack-exchange-tally.ts';

/** Adds `import list` and `import undo ID`. */
export function addImportRunCommands(group: Command, parts: ImportCommandParts): void {
  group
    .command('list')
    .description('list the imports of this community')
    .option('--json', 'print JSON, with the outcome of the rows of each file')
    .addHelpText(
      'after',
      '\nColumns: number, site, time of the import, newest time in the archive, questions, answers, replies,\n' +
        'members and texts of tags that it added, file.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const runs = await parts.withClient((client) => listRuns(client));
      if (json === true) parts.out.write(`${JSON.stringify(runs, null, 2)}\n`);
      else for (const line of formatRuns(runs)) parts.out.write(`${line}\n`);
    });
  group
    .command('undo')
    .description('remove the latest import of a site with everything that hangs on it')
    .argument('<number>', 'the number of the import, as "parley import list" shows it', wholeNumber)
    .option('--yes', 'do not ask')
    .addHelpText('after', undoHelp)
    .action((id: number, { yes = false }: { yes?: boolean }) => undo(id, yes, parts));
}

const undoHelp = `
Removes the posts, comments and members that the import added, also with the answers, votes and bookmarks that
members here added to them, and shows posts again that it hid. Texts, scores and profiles of earlier imports that
it changed stay as they are; importing the earlier archive again then brings them back. Posts that were hidden or
deleted here are removed too, and later imports of the site leave them out.

It removes them in small steps, so that members can go on working meanwhile. If it is interrupted, run it again: it
removes the rest.

Exit codes: 0 removed; 1 refused, not confirmed or failed; 130 interrupted.`;

const wholeNumber = (text: string) => {
  if (!/^[1-9]\d{0,14}$/u.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
};

async function undo(id: number, yes: boolean, parts: ImportCommandParts): Promise<void> {
  const { withClient, ask } = parts;
  const { previewUndo, undoImport } = await import('./import-undo.ts');
  let confirmedSite: string | null = null;
  await runCommand(parts, {
    effect: 'Nothing was changed.',
    async run({ print }) {
      const preview = await withClient((client) => previewUndo(client, id));
      const { site } = preview.run;
      print(describeUndo(preview));
      if (!yes) {
        if (ask === null) throw new ArchiveError('Without a terminal, --yes is needed.');
        const answer = await ask(`Type the name of the site, ${site}, to remove all this: `);
        if (answer.trim() !== site) throw new ArchiveError('Not confirmed.');
      }
      confirmedSite = site;
    },
  });
  if (confirmedSite === null) return;
  await runCommand(parts, {
    effect:
      'Run the command again to remove the rest. If there is no such import then, all of it was removed.',
    async run({ signal, print, createProgress }) {
      const progress = createProgress('questions');
      await withClient((client) => undoImport(client, id, { progress, signal }));
      print([`Import ${id} of ${confirmedSite} was undone.`]);
    },
  });
}

function describeUndo({ run, added, local, hidden, shown, changed }: UndoPreview): string[] {
  const lines = [
    `Import ${run.id} of ${run.site}, ${run.importedAt.slice(0, 16).replace('T', ' ')}. To be removed:`,
    `  what it added: questions ${formatNumber(added.questions)}, answers ${formatNumber(added.answers)}, ` +
      `replies ${formatNumber(added.replies)}, members ${formatNumber(added.members)}, badges ${formatNumber(added.badges)}, ` +
      `texts of tags ${formatNumber(added.tagTexts)}`,
    `  of members here, on these posts: answers ${formatNumber(local.answers)}, replies ${formatNumber(local.replies)}, ` +
      `votes ${formatNumber(local.votes)}, bookmarks ${formatNumber(local.bookmarks)}, follows ${formatNumber(local.follows)}, ` +
      `edits ${formatNumber(local.edits)}`,
  ];
  if (hidden > 0)
    lines.push(
      `Posts that it added and that were hidden or deleted here: ${formatNumber(hidden)}. Later imports leave them out.`,
    );
  if (shown > 0) lines.push(`Posts that it hid, and that are shown again: ${formatNumber(shown)}.`);
  if (changed > 0)
    lines.push(
      `Changes to earlier imports that stay: ${formatNumber(changed)}. Importing the earlier archive again brings them back.`,
    );
  return lines;
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
      rows.tagTexts,
      file ?? 'unknown',
    ].join('\t'),
  );
}
