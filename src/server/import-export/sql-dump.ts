import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from } from 'pg-copy-streams';
import { escapeCell } from './copy-rows.ts';
import { lineError } from './jsonl-files.ts';
import { decodeBytes, DumpText } from './sql-dump-text.ts';
import {
  readInsertHeader,
  readRow,
  readTableColumns,
  skipSpaces,
  type SqlDialect,
  SqlValueError,
} from './sql-values.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

/** The columns that are read of a dump's tables. */
export type DumpTables = Readonly<Record<string, readonly string[]>>;

export type DumpRequest = {
  tables: DumpTables;
  /** What the names of the tables begin with in the dump. */
  prefix?: string;
  /** Columns such as 'blobs.content' with bytes instead of a text. INSERT statements' are copied as hexadecimal digits. */
  binaryColumns?: readonly string[];
  /** Receives the bytes and rows that were read since the last call. */
  onRead: (bytes: number, rows: number) => void;
};

/** Characters that are written to the database at once. */
const chunkLength = 256 * 1024;

/** Characters of the longest CREATE TABLE statement. */
const maxStatementLength = 1024 * 1024;

/**
 * Copies tables of an SQL dump to temporary tables `dump_…` with columns of the type text: of pg_dump (COPY or INSERT),
 * mysqldump, phpMyAdmin and `sqlite3 .dump`. Columns that the dump does not have are null. Returns the names of the tables
 * in the dump, with their prefix.
 * @throws ArchiveError with the line of the first problem
 */
export async function copyDump(
  client: ClientBase,
  file: string,
  { tables, prefix = '', binaryColumns = [], onRead }: DumpRequest,
): Promise<Set<string>> {
  for (const [table, columns] of Object.entries(tables))
    await client.query(
      `create temporary table dump_${table} (${columns.map((column) => `"${column}" text`).join(', ')})`,
    );
  const source = new DumpText(file, (bytes) => onRead(bytes, 0));
  const reader = new DumpReader(client, source, { tables, prefix, binaryColumns, onRead });
  try {
    await reader.read();
  } catch (error) {
    await reader.abort();
    throw error;
  } finally {
    source.close();
  }
  if (reader.found.size === 0)
    throw new ArchiveError(
      `${source.name} is not an SQL dump: it has no lines that begin with "COPY" or "INSERT INTO".`,
    );
  return reader.found;
}

/** Statements begin at the start of a line in the output of all dump programs. Others are passed over. */
class DumpReader {
  readonly found = new Set<string>();
  readonly #client;
  readonly #source;
  readonly #request;
  /** From CREATE TABLE, for INSERT statements that name no columns. */
  readonly #columns = new Map<string, string[]>();
  #dialect: SqlDialect = { hasEscapes: false };
  #open: OpenTable | null = null;

  constructor(client: ClientBase, source: DumpText, request: Required<DumpRequest>) {
    this.#client = client;
    this.#source = source;
    this.#request = request;
  }

  async read(): Promise<void> {
    await this.#source.more();
    this.#dialect = { hasEscapes: readsEscapes(this.#source) };
    for (;;) {
      // All headers are shorter than this.
      while (this.#source.text.length < 64 * 1024 && !this.#source.isComplete) await this.#source.more();
      const { text } = this.#source;
      if (text === '') break;
      if (text.startsWith('COPY ')) await this.#readCopy();
      else if (/^(?:INSERT|REPLACE)\s/iu.test(text)) await this.#readInsert();
      else if (/^CREATE\s+(?:UNLOGGED\s+)?TABLE\s/iu.test(text)) await this.#readTable();
      else if (/^DELIMITER[ \t]+(?!;[ \t\r]*\n)/iu.test(text)) await this.#skipRoutines();
      else await this.#skipLine();
    }
    await this.#openTable(null);
  }

  async abort(): Promise<void> {
    await this.#open?.abort();
  }

  async #skipLine(): Promise<void> {
    for (;;) {
      const end = this.#source.text.indexOf('\n');
      if (end >= 0) return this.#source.consume(end + 1);
      this.#source.consume(this.#source.text.length);
      if (this.#source.isComplete) return;
      await this.#source.more();
    }
  }

  /** Triggers and procedures of MySQL. */
  async #skipRoutines(): Promise<void> {
    do await this.#skipLine();
    while (this.#source.text !== '' && !/^DELIMITER[ \t]+;[ \t\r]*\n/iu.test(await this.#peek()));
  }

  async #peek(): Promise<string> {
    while (this.#source.text.length < 64 && !this.#source.isComplete) await this.#source.more();
    return this.#source.text;
  }

  async #readTable(): Promise<void> {
    for (;;) {
      const table = readTableColumns(this.#source.text, this.#dialect);
      if (table !== null) {
        this.#columns.set(table.table, table.columns);
        return this.#source.consume(table.end);
      }
      // CREATE TABLE … AS, and statements that end behind the dump's.
      if (this.#source.isComplete || this.#source.text.length > maxStatementLength) return this.#skipLine();
      await this.#source.more();
    }
  }

  async #readCopy(): Promise<void> {
    const header = /^COPY (?:\w+\.)?"?(\w+)"? \(([^)]*)\) FROM stdin;\n/u.exec(this.#source.text);
    if (header === null) return this.#skipLine();
    const [all, name = '', list = ''] = header;
    this.#source.consume(all.length);
    const table = await this.#openTable(
      name,
      list.split(', ').map((column) => column.replaceAll('"', '')),
    );
    for (;;) {
      const { text, line } = this.#source;
      // The end of the file ends a line that is no row.
      const last = this.#source.isComplete && text !== '\\.\n' ? text.length - 2 : text.length;
      const end = last < 0 ? 0 : text.lastIndexOf('\n', last) + 1;
      const isEnd = await this.#takeLines(table, text.slice(0, end), line);
      if (isEnd) return;
      if (this.#source.isComplete && end === 0) throw this.#cutOff(name);
      await this.#source.more();
    }
  }

  /** Takes the lines of COPY. Returns whether they have the end of the rows. */
  async #takeLines(table: OpenTable, text: string, firstLine: number): Promise<boolean> {
    let [at, rows] = [0, 0];
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      const line = text.slice(at, end).replace(/\r$/u, '');
      at = end + 1;
      if (line === String.raw`\.`) {
        this.#source.consume(at);
        this.#request.onRead(0, rows);
        return true;
      }
      const problem = await table.writeLine(line);
      if (problem !== null) throw lineError(this.#source.name, firstLine + rows, problem);
      rows++;
    }
    this.#source.consume(at);
    this.#request.onRead(0, rows);
    return false;
  }

  async #readInsert(): Promise<void> {
    const header = readInsertHeader(this.#source.text.slice(0, 64 * 1024));
    // INSERT … SELECT
    if (header === null) return this.#skipLine();
    const columns = header.columns ?? this.#columns.get(header.table) ?? null;
    const table = await this.#openTable(header.table, columns);
    this.#source.consume(header.length);
    for (;;) {
      const { values, end } = await this.#readRow(table);
      const problem = await table.writeValues(values);
      if (problem !== null) throw lineError(this.#source.name, this.#source.line, problem);
      this.#request.onRead(0, 1);
      this.#source.consume(end);
      const isEnd = await this.#isEnd();
      if (isEnd) return;
    }
  }

  /** Reads a row. `end` is the position behind it. */
  async #readRow(table: OpenTable): Promise<{ values: (string | null)[]; end: number }> {
    for (;;) {
      try {
        const row = readRow(this.#source.text, 0, {
          ...this.#dialect,
          isWanted: (column) => table.isWanted(column),
        });
        if (row !== null) return row;
      } catch (error) {
        if (!(error instanceof SqlValueError)) throw error;
        throw lineError(this.#source.name, this.#source.line, `${table.table}: ${error.message}`);
      }
      if (this.#source.isComplete) throw this.#cutOff(table.table);
      await this.#source.more();
    }
  }

  /** Goes to the next row. Returns true at the end of the statement. */
  async #isEnd(): Promise<boolean> {
    for (;;) {
      const { text } = this.#source;
      const at = skipSpaces(text, 0);
      const start = text[at] === ',' ? skipSpaces(text, at + 1) : at;
      if (start < text.length) {
        this.#source.consume(start);
        if (text[at] !== ',') await this.#skipLine();
        return text[at] !== ',';
      }
      if (this.#source.isComplete) throw this.#cutOff(this.#open?.table ?? '');
      await this.#source.more();
    }
  }

  async #openTable(table: null): Promise<null>;
  async #openTable(table: string, columns: readonly string[] | null): Promise<OpenTable>;
  async #openTable(
    table: string | null,
    columns: readonly string[] | null = null,
  ): Promise<OpenTable | null> {
    if (table !== null && this.#open?.hasSame(table, columns) === true) return this.#open;
    await this.#open?.end();
    this.#open = null;
    if (table === null) return null;
    this.found.add(table);
    const { tables, prefix, binaryColumns } = this.#request;
    const name = table.startsWith(prefix) ? table.slice(prefix.length) : '';
    const wanted = Object.hasOwn(tables, name) ? (tables[name] ?? []) : [];
    if (wanted.length > 0 && columns === null)
      throw lineError(
        this.#source.name,
        this.#source.line,
        `the names of the columns of ${table} are not in the dump. Make it with the structure of the tables`,
      );
    this.#open = new OpenTable(this.#client, {
      table,
      target: `dump_${name}`,
      columns,
      wanted,
      binaryColumns: wanted.filter((column) => binaryColumns.includes(`${name}.${column}`)),
    });
    return this.#open;
  }

  #cutOff(table: string): ArchiveError {
    return lineError(
      this.#source.name,
      this.#source.line,
      `the file ends in the rows of ${table}: it is cut off`,
    );
  }
}

/**
 * Whether backslashes are escapes in strings, as in dumps of MySQL and MariaDB. The dump command of Apache Answer does not
 * write such escapes, although it writes the SQL of MySQL.
 */
function readsEscapes({ text, name }: DumpText): boolean {
  if (/^(?:\xFF\xFE|\xFE\xFF)/u.test(text))
    throw new ArchiveError(
      `${name} is UTF-16. Let the dump program write the file itself, as mysqldump does with --result-file.`,
    );
  return !/^(?:\/\*Generated by xorm|PRAGMA |BEGIN TRANSACTION|-- PostgreSQL database dump|SET standard_conforming_strings)/mu.test(
    text.slice(0, 16 * 1024),
  );
}

type TableRequest = {
  table: string;
  target: string;
  columns: readonly string[] | null;
  wanted: readonly string[];
  binaryColumns: readonly string[];
};

/** The rows of a table. Those of a table without wanted columns are passed over. */
class OpenTable {
  readonly table: string;
  readonly #columns: readonly string[] | null;
  readonly #indexes: number[];
  readonly #binary: ReadonlySet<number>;
  readonly #stream;
  readonly #done: Promise<void>;
  #piece = '';

  constructor(client: ClientBase, { table, target, columns, wanted, binaryColumns }: TableRequest) {
    this.table = table;
    this.#columns = columns;
    const present = wanted.filter((column) => columns?.includes(column));
    this.#indexes = present.map((column) => columns?.indexOf(column) ?? -1);
    this.#binary = new Set(binaryColumns.map((column) => columns?.indexOf(column) ?? -1));
    const list = present.map((column) => `"${column}"`).join(', ');
    this.#stream = present.length === 0 ? null : client.query(from(`copy ${target} (${list}) from stdin`));
    this.#done = this.#stream === null ? Promise.resolve() : finished(this.#stream);
    // Awaited below. Until then, a failure must not count as an unhandled rejection.
    this.#done.catch(() => {});
  }

  hasSame(table: string, columns: readonly string[] | null): boolean {
    return this.table === table && this.#columns?.join() === columns?.join();
  }

  isWanted(column: number): boolean {
    return this.#indexes.includes(column);
  }

  /** Takes the wanted fields of a row in COPY's text format, whose escapes stay. Returns what is wrong with the row. */
  async writeLine(line: string): Promise<string | null> {
    if (this.#stream === null) return null;
    const fields = line.split('\t');
    const problem = this.#checkCount(fields.length);
    if (problem !== null) return problem;
    return this.#write(this.#indexes.map((index) => fields[index]).join('\t'));
  }

  /** Takes the values of a row. Returns what is wrong with them. */
  async writeValues(values: readonly (string | null)[]): Promise<string | null> {
    if (this.#stream === null) return null;
    const problem = this.#checkCount(values.length);
    if (problem !== null) return problem;
    const cells = this.#indexes.map((index) => {
      const value = values[index] ?? null;
      if (value === null) return null;
      // PostgreSQL cannot store zero bytes in a text.
      return this.#binary.has(index)
        ? Buffer.from(value, 'latin1').toString('hex')
        : value.replaceAll('\0', '');
    });
    return this.#write(cells.map(escapeCell).join('\t'));
  }

  #checkCount(fields: number): string | null {
    const wanted = this.#columns?.length;
    return fields === wanted ? null : `the row of ${this.table} has ${fields} fields, not ${wanted}`;
  }

  async #write(bytes: string): Promise<string | null> {
    const line = decodeBytes(bytes);
    if (line === null) return `the row of ${this.table} is not UTF-8`;
    this.#piece += `${line}\n`;
    if (this.#piece.length < chunkLength || this.#stream === null) return null;
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
