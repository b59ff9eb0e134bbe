import path from 'node:path';
import type { ClientBase } from 'pg';
import { type ConvertOptions, type ConvertReport, type ConvertSummary, readWithProgress } from './convert.ts';
import { fillForumTables, remarkOtherTables } from './forum-sql.ts';
import { addForumRedirects, reportRows } from './forum-tables.ts';
import type { LineText } from './forum-texts.ts';
import { parseForumSite, writeForum } from './forum-writer.ts';
import { copyDump, type DumpTables } from './sql-dump.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

export type DumpFile = { file: string; name: string; onRead: (bytes: number, rows: number) => void };

/** How the dump of a product is converted. SQL reads the tables `dump_…` and those of forum-tables.ts. */
export type DumpConverter = {
  product: string;
  /** Copies the dump into tables. Returns remarks. */
  read: (client: ClientBase, file: DumpFile) => Promise<string[]>;
  /** Fills the tables of forum-tables.ts. */
  fill: (client: ClientBase, host: string) => Promise<void>;
  redirects: Parameters<typeof addForumRedirects>[1];
  convertContent: (text: { content: string; format: string }, site: string) => LineText;
  /** The names of the kinds of rows, each with SQL for the reasons why rows are left out: null for what is converted. */
  outcomes: readonly (readonly [name: string, reasons: string])[];
};

/**
 * Converts the dump of a forum.
 * @throws ArchiveError with the line of the first problem
 */
export async function convertDump(
  options: ConvertOptions,
  { product, read, fill, redirects, convertContent, outcomes }: DumpConverter,
): Promise<ConvertSummary> {
  const { client, input: file } = options;
  const site = parseForumSite(options.site);
  const name = path.basename(file);
  const remarks = await readWithProgress(options, [file], (report) =>
    read(client, { file, name, onRead: (bytes, rows) => report(name, bytes, rows) }),
  );
  await fillForumTables(client, { name, product }, () => fill(client, new URL(site).hostname));
  await addForumRedirects(client, redirects);
  const written = await writeForum({
    ...options,
    site,
    convertContent: (text) => convertContent(text, site),
  });
  const files: ConvertReport[] = [];
  for (const [rows, reasons] of outcomes) files.push(await reportRows(client, rows, reasons));
  return { site, files, written, remarks };
}

/** Reads an SQL dump that has to have the tables `required`. */
export const readDump =
  (
    product: string,
    { tables, required }: { tables: DumpTables; required: readonly string[] },
  ): DumpConverter['read'] =>
  async (client, { file, name, onRead }) => {
    const found = await copyDump(client, file, { tables, onRead });
    const missing = required.find((table) => !found.has(table));
    if (missing !== undefined)
      throw new ArchiveError(`${name} is not a dump of ${product}: it has no rows of a table ${missing}.`);
    return remarkOtherTables(found, tables);
  };
