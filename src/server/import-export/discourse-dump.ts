import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import { getErrorCode } from '#server/core/startup-error.ts';
import { lineError } from './jsonl-files.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

/** The columns that are read of a dump's tables. */
export type DumpTables = Readonly<Record<string, readonly string[]>>;

/** Characters that are written to the database at once. */
const chunkLength = 256 * 1024;

/**
 * Copies tables of a plain SQL dump of PostgreSQL (pg_dump) to temporary tables `dump_…` with columns of the type text.
 * Columns that the dump does not have are null. Returns the names of the tables that the dump has.
 * @throws ArchiveError with the line of the first problem
 */
export async function copyDump(
  client: ClientBase,
  file: string,
  { tables, onRows }: { tables: DumpTables; onRows: (rows: number) => void },
): Promise<Set<string>> {
  const name = path.basename(file);
  for (const [table, columns] of Object.entries(tables))
    await client.query(
      `create temporary table dump_${table} (${columns.map((column) => `"${column}" text`).join(', ')})`,
    );
  const found = new Set<string>();
  const takeLine = async (line: string, state: ReadState): Promise<string | null> => {
    if (state.open === null) {
      const header = /^COPY (?:public\.)?"?(\w+)"? \((.*)\) FROM stdin;$/u.exec(line);
      if (header === null) return null;
      const [, table = '', list = ''] = header;
      found.add(table);
      const columns = list.split(', ').map((column) => column.replaceAll('"', ''));
      state.open = new OpenTable(client, table, columns, tables[table]);
      return null;
    }
    if (line !== String.raw`\.`) return state.open.write(line);
    await state.open.end();
    state.open = null;
    return null;
  };
  const state: ReadState = { open: null, line: 0 };
  try {
    for await (const lines of readLines(file)) {
      for (const line of lines) {
        state.line++;
        const problem = await takeLine(line, state);
        if (problem !== null) throw lineError(name, state.line, problem);
      }
      onRows(lines.length);
    }
    if (state.open !== null)
      throw lineError(name, state.line, `the file ends in the rows of ${state.open.table}: it is cut off`);
  } catch (error) {
    await state.open?.abort();
    throw error;
  }
  if (found.size === 0)
    throw new ArchiveError(
      `${name} is not an SQL dump: it has no lines such as "COPY public.topics (…) FROM stdin;".`,
    );
  return found;
}

type ReadState = { open: OpenTable | null; line: number };

/** The rows of a table. Those of a table without wanted columns are passed over. */
class OpenTable {
  readonly table: string;
  readonly #count: number;
  readonly #indexes: number[];
  readonly #stream;
  readonly #done: Promise<void>;
  #piece = '';

  constructor(
    client: ClientBase,
    table: string,
    columns: readonly string[],
    wanted: readonly string[] | undefined,
  ) {
    this.table = table;
    this.#count = columns.length;
    const present = (wanted ?? []).filter((column) => columns.includes(column));
    this.#indexes = present.map((column) => columns.indexOf(column));
    this.#stream =
      present.length === 0
        ? null
        : client.query(
            from(`copy dump_${table} (${present.map((column) => `"${column}"`).join(', ')}) from stdin`),
          );
    this.#done = this.#stream === null ? Promise.resolve() : finished(this.#stream);
    // Awaited below. Until then, a failure must not count as an unhandled rejection.
    this.#done.catch(() => {});
  }

  /** Takes the wanted fields of a row in COPY's text format, whose escapes stay. Returns what is wrong with the row. */
  async write(line: string): Promise<string | null> {
    if (this.#stream === null) return null;
    const fields = line.split('\t');
    if (fields.length !== this.#count)
      return `the row of ${this.table} has ${fields.length} fields, not ${this.#count}`;
    this.#piece += `${this.#indexes.map((index) => fields[index]).join('\t')}\n`;
    if (this.#piece.length < chunkLength) return null;
    const piece = this.#piece;
    this.#piece = '';
    if (!this.#stream.write(piece)) await Promise.race([once(this.#stream, 'drain'), this.#done]);
    return null;
  }

  async end(): Promise<void> {
    this.#stream?.end(this.#piece);
    await this.#done;
  }

  /** Ends COPY without its rows, so that the connection can be used. */
  async abort(): Promise<void> {
    this.#stream?.destroy();
    await this.#done.catch(() => {});
  }
}

/** Reads the lines of a file, also of one that gzip compressed, in batches. */
async function* readLines(file: string): AsyncGenerator<string[]> {
  const bytes = createReadStream(file, { highWaterMark: chunkLength });
  const source = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let lines = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const parts = (rest + decode(decoder, chunk, { file, lines })).split('\n');
      rest = parts.pop() ?? '';
      lines += parts.length;
      yield parts;
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    const code = getErrorCode(error) ?? '';
    if (code.startsWith('Z_'))
      throw new ArchiveError(`${path.basename(file)} is damaged or cut off.`, { cause: error });
    // Errors of the database and of the reader of the lines pass.
    throw /^E[A-Z]+$/u.test(code) ? unreadableError(file, error) : error;
  }
  if (rest !== '') yield [rest];
}

function decode(
  decoder: TextDecoder,
  chunk: Buffer,
  { file, lines }: { file: string; lines: number },
): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw lineError(path.basename(file), lines + 1, 'the text from here on is not UTF-8');
  }
}
