import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { CsvMapping, CsvSection } from './csv-mapping.ts';
import { lineError } from './jsonl-files.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

/** Bytes of the longest row. */
const maxRowBytes = 16 * 1024 * 1024;

/** Rows that are returned at once. */
const batchSize = 500;

/** A row: the values of the mapped columns by the names in the mapping, and its first line. */
export type CsvRow = {
  line: number;
  values: Readonly<Record<string, string>>;
  /** Why the mapping leaves the row out; null if it has the values of `only`. */
  leftOut: string | null;
};

export type CsvSource = {
  directory: string;
  section: CsvSection;
  options: CsvMapping;
  /** Receives the number of bytes that were read since the last call. */
  onBytes: (bytes: number) => void;
};

/**
 * Reads the rows of a file in batches.
 * @throws ArchiveError with the name of the file and the number of the line for what is not CSV, and missing columns
 */
export async function* readCsv({
  directory,
  section,
  options,
  onBytes,
}: CsvSource): AsyncGenerator<CsvRow[]> {
  const file = path.resolve(directory, section.file);
  const name = path.basename(file);
  const parser = parse({
    bom: true,
    info: true,
    delimiter: options.delimiter,
    quote: options.quote,
    escape: options.escape ?? options.quote,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
  });
  // Errors of both streams end the loop below.
  pipeline(Readable.from(decode(file, { name, encoding: options.encoding, onBytes })), parser, () => {});
  let columns: Columns | null = null;
  let batch: CsvRow[] = [];
  let line = 1;
  try {
    for await (const each of parser as AsyncIterable<{ info: { lines: number }; record: string[] }>) {
      if (columns === null) columns = findColumns(name, each.record, section);
      else batch.push(toRow(name, line, each.record, columns));
      line = each.info.lines + 1;
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw error instanceof CsvError ? describeError(name, line, error) : error;
  }
  if (columns === null) throw new ArchiveError(`${name} is empty. Its first line must name the columns.`);
  if (batch.length > 0) yield batch;
}

type Columns = {
  count: number;
  mapped: [field: string, index: number][];
  only: [column: string, index: number, values: string[]][];
};

function findColumns(name: string, header: readonly string[], { columns, only }: CsvSection): Columns {
  const find = (column: string) => {
    const index = header.indexOf(column);
    if (index < 0)
      throw lineError(
        name,
        1,
        `there is no column "${column}", only ${header.map((each) => `"${each}"`).join(', ')}`,
      );
    return index;
  };
  return {
    count: header.length,
    mapped: Object.entries(columns).flatMap(([field, column]) =>
      column === undefined ? [] : [[field, find(column)] as [string, number]],
    ),
    only: Object.entries(only).map(([column, values]) => [column, find(column), [values].flat()]),
  };
}

function toRow(
  name: string,
  line: number,
  record: readonly string[],
  { count, mapped, only }: Columns,
): CsvRow {
  if (record.length !== count)
    throw lineError(name, line, `the row has ${record.length} fields, but there are ${count} columns`);
  const failed = only.find(([, index, values]) => !values.includes(record[index] ?? ''));
  return {
    line,
    values: Object.fromEntries(mapped.map(([field, index]) => [field, record[index] ?? ''])),
    leftOut: failed === undefined ? null : `${failed[0]} is not ${failed[2].join(' or ')}`,
  };
}

const problems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field does not end',
  CSV_INVALID_CLOSING_QUOTE: 'a quoted field is followed by other characters than a delimiter',
  INVALID_OPENING_QUOTE: 'a field that is not quoted has a quotation mark',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    'a quoted field is followed by other characters than a delimiter',
  CSV_MAX_RECORD_SIZE: 'the row is longer than 16 MB',
};

function describeError(name: string, line: number, error: CsvError): ArchiveError {
  const failed = /(?:at|on) line (\d+)/u.exec(error.message)?.[1];
  return lineError(name, failed === undefined ? line : Number(failed), problems[error.code] ?? error.message);
}

async function* decode(
  file: string,
  { name, encoding, onBytes }: { name: string; encoding: string; onBytes: (bytes: number) => void },
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let lines = 1;
  const take = (bytes: Buffer, isEnd: boolean) => {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: !isEnd });
    } catch {
      throw lineError(
        name,
        lines + findBadLine(bytes, encoding),
        `the text is not ${encoding}. Name its "encoding" in the mapping`,
      );
    }
    if (text.includes('\0'))
      throw lineError(
        name,
        lines,
        'the text has zero bytes. Name its "encoding" in the mapping, such as utf-16le',
      );
    lines += countLines(bytes);
    return text;
  };
  const stream = createReadStream(file);
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      onBytes(bytes.length);
      yield take(bytes, false);
    }
  } catch (error) {
    throw error instanceof ArchiveError ? error : unreadableError(file, error);
  }
  yield take(Buffer.alloc(0), true);
}

/** How many lines before the first one that cannot be decoded. The first and last one may be parts of lines. */
function findBadLine(bytes: Buffer, encoding: string): number {
  let start = 0;
  for (let line = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) return line;
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
