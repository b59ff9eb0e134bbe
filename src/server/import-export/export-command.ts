import { type Command, Option } from 'commander';
import type { Client } from 'pg';
import type { ObjectStore } from '#server/core/object-store.ts';
import type { ExportSummary } from './export.ts';
import { type CommandOutput, runCommand } from './import-command.ts';
import { formatNumber } from './stack-exchange-tally.ts';

export type ExportCommandParts = CommandOutput & {
  /** Opens the community's database, applies pending migrations, and runs `work` with a dedicated connection. */
  withClient: <Result>(work: (client: Client, origin: string) => Promise<Result>) => Promise<Result>;
  /** The bucket for the files of pictures, if one is configured. */
  getObjectStore: () => ObjectStore | undefined;
};

const exportFormats = ['jsonl', 'stackexchange'] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Flags = { format: ExportFormat; private?: boolean; license?: string };

/** Adds `export DIRECTORY`. */
export function registerExportCommand(program: Command, parts: ExportCommandParts): void {
  program
    .command('export')
    .description('write the whole community to a directory, in a format that other programs read')
    .argument('<directory>', 'a directory that does not exist yet')
    .addOption(
      new Option(
        '--format <format>',
        'jsonl: JSON lines with everything; stackexchange: an archive like theirs',
      )
        .choices(exportFormats)
        .default('jsonl'),
    )
    .option('--private', 'also email addresses, who voted, follows and bookmarks')
    .option(
      '--license <name>',
      "the licence of your members' posts, such as 'CC BY-SA 4.0', to be stated in it; required for stackexchange if there are any",
    )
    .addHelpText('after', help)
    .action((directory: string, flags: Flags) => run(directory, flags, parts));
}

const help = `
The export has everything that members can see, as of the start of the command: hidden and deleted posts and deleted
accounts are left out. It never has passwords, sessions or drafts. docs/exporting.md describes both formats. 'parley
import jsonl' and 'parley import stackexchange' read them; 'parley backup' also has passwords and settings.

The command works whether or not Parley runs, and the community is served meanwhile. A directory whose name ends in
.partial-… is left if the command is killed; delete it.

Exit codes: 0 written; 1 failed; 130 interrupted. With 1 and 130, the directory does not exist.`;

function run(
  directory: string,
  { format, private: withPrivateData = false, license }: Flags,
  parts: ExportCommandParts,
): Promise<void> {
  return runCommand(parts, {
    effect: 'Nothing was written.',
    async run({ signal, print, createProgress }) {
      const { exportCommunity } = await import('./export.ts');
      const summary = await parts.withClient((client, origin) =>
        exportCommunity({
          directory,
          client,
          objectStore: parts.getObjectStore(),
          format,
          withPrivateData,
          license,
          origin,
          progress: createProgress('rows'),
          signal,
        }),
      );
      print([describe(summary), `The community was exported to ${directory}.`]);
    },
  });
}

function describe({ counts, pictureFiles, missingPictureFiles }: ExportSummary): string {
  const parts = [...counts].map(([kind, rows]) => `${kind} ${formatNumber(rows)}`);
  const missing =
    missingPictureFiles > 0
      ? ` ${formatNumber(missingPictureFiles)} files of pictures are missing in the object store and were left out.`
      : '';
  return `${[...parts, `files of pictures ${formatNumber(pictureFiles)}`].join(', ')}.${missing}`;
}
