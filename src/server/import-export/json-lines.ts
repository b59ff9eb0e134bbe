import type { z } from 'zod';
import { describeIssue } from './jsonl-format.ts';
import { lineError } from './jsonl-files.ts';
import { decodeBytes, type DumpText } from './sql-dump-text.ts';

/** A valid row with the number of its line. */
export type NumberedRow<Row> = { line: number; row: Row };

/**
 * Reads a file with one JSON object per line, in batches of what is read at once.
 * @throws ArchiveError with the name of the file and the number of the line for the first row that is not valid
 */
export async function* readJsonLines<Row>(
  source: DumpText,
  schema: z.ZodType<Row>,
): AsyncGenerator<NumberedRow<Row>[]> {
  try {
    for (;;) {
      const end = source.text.lastIndexOf('\n') + 1;
      const first = source.line;
      const lines = source.text.slice(0, end).split('\n');
      const rows = lines.flatMap((bytes, index) => parseLine(source.name, first + index, { bytes, schema }));
      source.consume(end);
      if (rows.length > 0) yield rows;
      if (source.isComplete) return;
      await source.more();
    }
  } finally {
    source.close();
  }
}

/** Returns nothing for an empty line. */
function parseLine<Row>(
  name: string,
  line: number,
  { bytes, schema }: { bytes: string; schema: z.ZodType<Row> },
): NumberedRow<Row>[] {
  const text = decodeBytes(bytes)?.trim();
  if (text === undefined) throw lineError(name, line, 'the line is not UTF-8');
  if (text === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw lineError(name, line, 'the line is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw lineError(name, line, describeIssue(parsed.error));
  return [{ line, row: parsed.data }];
}
