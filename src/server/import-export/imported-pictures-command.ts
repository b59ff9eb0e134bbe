import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '#server/core/database.ts';
import { createTerminalProgress, type Output } from '#server/core/progress.ts';
import { runUntilInterrupted } from '#server/core/signals.ts';
import { allowPublicAddresses } from '#server/core/public-addresses.ts';
import { createDownload } from './imported-pictures-download.ts';
import { importPictures, type PictureImportSummary } from './imported-pictures.ts';
import { formatNumber } from './stack-exchange-tally.ts';

export type PicturesCommandParts = {
  /** Opens the community's database and applies pending migrations. */
  withDatabase: <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
  /** Sets the exit code: 1 if pictures failed, 130 for an interrupted import. */
  exitWith: (code: number) => unknown;
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
    .action(async (options: Flags) => {
      parts.exitWith(await run(options, parts));
    });
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

async function run(
  { concurrency, allowAddress }: Flags,
  { withDatabase, out, err }: PicturesCommandParts,
): Promise<number> {
  let isAllowed;
  try {
    isAllowed = allowPublicAddresses(allowAddress);
  } catch (error) {
    err.write(`${(error as Error).message}\n`);
    return 1;
  }
  return runUntilInterrupted(err, {
    async run(signal) {
      const describe = (_bytes: number, pictures: number) => `${formatNumber(pictures)} pictures`;
      const summary = await withDatabase((db) =>
        importPictures({
          db,
          download: createDownload(isAllowed),
          concurrency,
          progress: createTerminalProgress(err, { describe }),
          log: (message) => err.write(`${message}\n`),
          signal,
        }),
      );
      for (const line of describeSummary(summary)) out.write(`${line}\n`);
      signal.throwIfAborted();
      return summary.failed.size === 0 ? 0 : 1;
    },
    interrupted: 'Run the command again to continue.',
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
