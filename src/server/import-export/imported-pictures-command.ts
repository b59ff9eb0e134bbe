import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '#server/core/database.ts';
import { allowPublicAddresses } from '#server/core/public-addresses.ts';
import { type CommandOutput, runCommand } from './import-command.ts';
import { createDownload } from './imported-pictures-download.ts';
import type { PictureImportSummary } from './imported-pictures.ts';
import { formatNumber } from './stack-exchange-tally.ts';

export type PicturesCommandParts = CommandOutput & {
  /** Opens the community's database and applies pending migrations. */
  withDatabase: <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;
};

/** Adds `import pictures`. */
export function addPicturesCommand(group: Command, parts: PicturesCommandParts): void {
  group
    .command('pictures')
    .description('fetch the pictures that imported posts link to, and show them in the posts')
    .option('--concurrency <number>', 'pictures fetched at the same time, 1 to 16', toConcurrency, 4)
    .option(
      '--allow-address <address...>',
      'also connect to these private IP addresses or ranges, such as 10.1.0.0/16, for an old site in your network',
    )
    .addHelpText('after', help)
    .action((options: Flags) => run(options, parts));
}

const help = `
Until a picture is fetched, its post shows a link. Only http and https addresses on the public internet are fetched:
at most 10 MB and 30 s each, with 5 redirects, two at a time from one host. A host that does not respond is left alone.
Pictures are stored without metadata, like those that members upload.

The command works whether or not Parley runs, and can be interrupted. Run it again to continue, to try again what failed,
and after another import.

Exit codes: 0 done; 1 some pictures failed, or an option is wrong; 130 interrupted.`;

type Flags = { concurrency: number; allowAddress?: string[] };

function toConcurrency(text: string): number {
  if (!/^(?:[1-9]|1[0-6])$/.test(text))
    throw new InvalidArgumentError('Expected a whole number from 1 to 16.');
  return Number(text);
}

async function run({ concurrency, allowAddress }: Flags, parts: PicturesCommandParts): Promise<void> {
  let isAllowed;
  try {
    isAllowed = allowPublicAddresses(allowAddress);
  } catch (error) {
    parts.err.write(`${(error as Error).message}\n`);
    parts.exitWith(1);
    return;
  }
  const download = createDownload(isAllowed);
  await runCommand(parts, {
    effect: 'Run the command again to continue.',
    async run({ signal, log, print, createProgress }) {
      const { importPictures } = await import('./imported-pictures.ts');
      const progress = createProgress('pictures');
      const summary = await parts.withDatabase((db) =>
        importPictures({ db, download, concurrency, progress, log, signal }),
      );
      print(describeSummary(summary));
      signal.throwIfAborted();
      return summary.failed.size === 0 ? 0 : 1;
    },
  });
}

function describeSummary({ known, fetched, posts, refused, failed }: PictureImportSummary): string[] {
  const megabytes = (fetched.bytes / 1_000_000).toFixed(1);
  return [
    `Fetched: ${formatNumber(fetched.pictures)} (${megabytes} MB)`,
    ...(known === 0 ? [] : [`Fetched earlier, shown in more posts: ${formatNumber(known)}`]),
    ...describeReasons('Refused', refused),
    ...describeReasons('Failed', failed),
    ...(failed.size === 0 ? [] : ['Run the command again to try those that failed once more.']),
    `Posts that show pictures now: ${formatNumber(posts)}`,
  ];
}

function describeReasons(what: string, reasons: ReadonlyMap<string, number>): string[] {
  const all = [...reasons].toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other));
  if (all.length === 0) return [];
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  return [
    `${what}: ${formatNumber(total)}`,
    ...all.map(([reason, count]) => `  ${formatNumber(count)}: ${reason}`),
  ];
}
