import { SaxesParser } from 'saxes';
import { archiveFileNames, type ArchiveFile } from './stack-exchange-files.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

/** The attributes of one `<row>`. */
export type ArchiveRow = Readonly<Record<string, string>>;

/** Rows that were read together, with the number of bytes read for them. */
export interface RowBatch {
  rows: ArchiveRow[];
  bytes: number;
}

/** Limit of a row, which is held in memory, in UTF-16 units. No post, profile or history entry comes near it. */
const maxRowLength = 64 * 1024 * 1024;

/**
 * Reads the rows of a file in order, with at most one chunk of it in memory. Drops character references that XML
 * forbids, which some old dumps have.
 * @throws ArchiveError with the file and the line if the file is not well-formed, above all if it is cut off
 */
export async function* readRows(file: ArchiveFile, signal?: AbortSignal): AsyncGenerator<RowBatch> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = new RowReader(file);
  let pending = '';
  for await (const chunk of readChunks(file, signal)) {
    const text = pending + reader.decode(() => decoder.decode(chunk, { stream: true }));
    // A reference split by the end of a chunk waits for the next one.
    const reference = text.lastIndexOf('&');
    const end = reference >= text.length - maxReferenceLength && reference !== -1 ? reference : text.length;
    pending = text.slice(end);
    yield { rows: reader.read(text.slice(0, end)), bytes: chunk.length };
  }
  yield { rows: reader.finish(pending + reader.decode(() => decoder.decode())), bytes: 0 };
}

async function* readChunks(file: ArchiveFile, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* file.open(signal);
  } catch (error) {
    if (error instanceof ArchiveError || (error instanceof Error && error.name === 'AbortError')) throw error;
    throw unreadableError(file.path, error);
  }
}

const maxReferenceLength = 12;

/** Characters and character references that XML 1.0 does not allow. */
const forbiddenCharacters =
  /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[\da-fA-F]|[dD][89a-fA-F][\da-fA-F]{2}|[fF]{3}[eEfF]));/gu;

class RowReader {
  readonly #file: ArchiveFile;
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  #rows: ArchiveRow[] = [];
  #depth = 0;
  #sinceRow = 0;

  constructor(file: ArchiveFile) {
    this.#file = file;
    this.#parser.on('error', (error) =>
      this.#refuse(error.message.replace(/^\d+:\d+:\s*/u, '').replace(/\.$/u, '')),
    );
    this.#parser.on('doctype', () => this.#refuse('a document type is not expected here'));
    this.#parser.on('opentag', (tag) => {
      if (this.#depth === 0 && tag.name.toLowerCase() !== file.kind) {
        this.#refuse(`expected <${file.kind}>, found <${tag.name}>`);
      }
      if (this.#depth > 0) this.#take(tag.name, tag.attributes);
      this.#depth++;
    });
    this.#parser.on('closetag', () => {
      this.#depth--;
    });
  }

  decode(decode: () => string): string {
    try {
      return decode();
    } catch {
      return this.#refuse('the text is not UTF-8');
    }
  }

  read(text: string): ArchiveRow[] {
    this.#sinceRow += text.length;
    this.#parser.write(text.replace(forbiddenCharacters, ''));
    if (this.#sinceRow > maxRowLength) this.#refuse('a row is too large');
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  finish(text: string): ArchiveRow[] {
    const rows = this.read(text);
    this.#parser.close();
    return [...rows, ...this.#rows];
  }

  #take(name: string, attributes: Record<string, string>): void {
    if (name !== 'row' || this.#depth !== 1) this.#refuse(`expected <row>, found <${name}>`);
    this.#rows.push(attributes);
    this.#sinceRow = 0;
  }

  #refuse(reason: string): never {
    throw new ArchiveError(
      `${this.#file.name}, line ${this.#parser.line}: the file is damaged or cut off (${reason}). ` +
        `Unpack or download ${archiveFileNames[this.#file.kind]} again.`,
    );
  }
}
