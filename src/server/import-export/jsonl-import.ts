import path from 'node:path';
import type { Client, ClientBase } from 'pg';
import { type Progress, runWithProgress } from '#server/core/progress.ts';
import { addWithPendingLists } from '#server/discovery/index.ts';
import { runInImportSession, runInTransaction } from './import-session.ts';
import type { LineCounts, LineTallies } from './jsonl-accounting.ts';
import { addLines } from './jsonl-add.ts';
import { readJsonLines } from './json-lines.ts';
import { DumpText } from './sql-dump-text.ts';
import { findLineFiles, type LineFiles } from './jsonl-files.ts';
import { type LineKind, type LineRow, rowSchemas } from './jsonl-format.ts';
import { stagePictures } from './jsonl-pictures.ts';
import { type CopiedKind, type StageContext, stageRows } from './jsonl-stage.ts';
import { checkReferences, createLineTables } from './jsonl-tables.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { analyzeTables } from './stack-exchange-queries.ts';
import { parseSiteName } from './stack-exchange-site.ts';
import { type FileReport, RowTally } from './stack-exchange-tally.ts';

export type LineImportOptions = {
  directory: string;
  /** A dedicated connection. The import restores its settings. */
  client: Client;
  /** The address of the source, such as 'https://forum.example.org' or its host. Default: that of the export. */
  site?: string;
  /** The licence of posts whose row has none, shown with the source. Default: that of the export. */
  license?: string;
  /** Reads and reports everything, then rolls back. */
  dryRun?: boolean;
  progress?: Progress;
  /** Receives messages for the operator. */
  log?: (message: string) => void;
  /** Aborts the import; nothing of it stays. */
  signal?: AbortSignal;
};

export type LineImportSummary = {
  site: string;
  isDryRun: boolean;
  /** Nothing was added, because all of it exists already. */
  isUnchanged: boolean;
  /** The posts became this community's own, with their ids. */
  isMove: boolean;
  added: LineCounts;
  files: FileReport[];
  remarks: string[];
};

/**
 * Imports JSON lines (docs/importing.md) completely or not at all. The rows are read into temporary tables of this
 * connection, each batch in its own transaction; a single transaction then adds everything. Importing again adds what is
 * new.
 * @throws ArchiveError if the files cannot be imported, ConnectionLostError if the connection broke, and the signal's
 * reason if it was aborted
 */
export async function importJsonLines(options: LineImportOptions): Promise<LineImportSummary> {
  const files = await findLineFiles(options.directory);
  return runInImportSession(options, async () => {
    const summary = await runImport(options, files);
    if (!summary.isDryRun && !summary.isUnchanged) await analyzeTables(options.client);
    return summary;
  });
}

async function runImport(options: LineImportOptions, files: LineFiles): Promise<LineImportSummary> {
  const { client, dryRun: isDryRun = false, log = () => {} } = options;
  const source = findOrigin(options, files);
  const { site } = source;
  await createLineTables(client);
  const tallies = await readFiles(options, files, source);
  await checkReferences(client);
  log('Adding the rows…');
  const { added, isMove, remarks } = await addWithPendingLists(client, () =>
    runInTransaction(client, isDryRun ? 'rollback' : 'commit', () =>
      addLines(client, {
        file: path.resolve(options.directory),
        site,
        origin: source.origin,
        license: options.license ?? files.manifest?.license ?? null,
        isDryRun,
        tallies,
      }),
    ),
  );
  return {
    site,
    isDryRun,
    isMove,
    isUnchanged: Object.values(added).every((rows) => rows === 0),
    added,
    files: Object.values(tallies).map((tally) => tally.toReport()),
    remarks,
  };
}

/** The address and host of the source. The host is its name here. */
function findOrigin({ site }: LineImportOptions, { manifest }: LineFiles): { site: string; origin: string } {
  const given = site ?? manifest?.origin;
  if (given === undefined)
    throw new ArchiveError(
      'There is no export.json with the address of the source. Give it with "--site https://forum.example.org".',
    );
  const url = URL.parse(/^https?:\/\//u.test(given) ? given : `https://${given}`);
  const name = url === null ? null : parseSiteName(url.hostname);
  if (url === null || name === null)
    throw new ArchiveError(
      `${given} is not an address such as https://forum.example.org. Give one with "--site".`,
    );
  return { site: name, origin: url.href.replace(/\/+$/u, '') };
}

async function readFiles(
  options: LineImportOptions,
  files: LineFiles,
  { site, origin }: ReturnType<typeof findOrigin>,
): Promise<LineTallies> {
  const { client, signal } = options;
  const tallies: LineTallies = {};
  const pictures = new Map<string, string>();
  const context: StageContext = {
    client,
    origin,
    isExport: files.manifest !== null,
    now: await readTime(client),
    pictures,
  };
  const total = files.files.reduce((sum, { bytes }) => sum + bytes, 0);
  await runWithProgress(options, total, async (report) => {
    for (const file of files.files) {
      const tally = new RowTally(file);
      tallies[file.kind] = tally;
      const source = new DumpText(file.path, (bytes) => report(file.name, bytes, 0));
      for await (const rows of readJsonLines<LineRow<LineKind>>(source, rowSchemas[file.kind])) {
        tally.read += rows.length;
        if (file.kind === 'pictures')
          await stagePictures(
            { client, directory: files.directory, site, paths: pictures, tally, signal },
            rows as Parameters<typeof stagePictures>[1],
          );
        else await stageRows(context, file.kind, rows as Parameters<typeof stageRows<CopiedKind>>[2]);
        report(file.name, 0, rows.length);
      }
    }
  });
  return tallies;
}

async function readTime(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: Date }>('select now() as now');
  return (rows[0]?.now ?? new Date()).toISOString();
}
