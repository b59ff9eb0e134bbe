import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

export type CsvValue = string | number | null;

/** How spreadsheets recognise a formula: they would run one that a member wrote. */
const beginsFormula = /^[=+\-@\t\r]/u;

/** One line (RFC 4180). A text that begins like a formula gets an apostrophe in front. */
export function toCsvLine(values: readonly CsvValue[]): string {
  const fields = values.map((value) => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const text = beginsFormula.test(value) ? `'${value}` : value;
    return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\r\n`;
}

/** A body that reads the lines while they are sent. */
export function streamCsv(
  head: readonly string[],
  lines: AsyncIterable<readonly CsvValue[]>,
): ReadableStream<Uint8Array> {
  async function* write() {
    yield toCsvLine(head);
    for await (const line of lines) yield toCsvLine(line);
  }
  return Readable.toWeb(Readable.from(write(), { objectMode: false })) as ReadableStream<Uint8Array>;
}

/** @param name of the file, without '.csv'. ASCII. */
export const csvHeaders = (name: string) => ({
  'content-type': 'text/csv; charset=utf-8; header=present',
  'content-disposition': `attachment; filename="${name}.csv"`,
});
