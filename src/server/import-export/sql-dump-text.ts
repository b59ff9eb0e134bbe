import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { getErrorCode } from '#server/core/startup-error.ts';
import { lineError } from './jsonl-files.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

/** Bytes that are read at once. */
const chunkBytes = 1024 * 1024;

/** Bytes of the longest row. A file in a row has up to 16 MB, and twice as much with escapes. */
const maxPendingBytes = 64 * 1024 * 1024;

/**
 * The text of a dump or of JSON lines, also of a file that gzip compressed, of which only the part that is being read
 * is in memory. Each byte is a Latin-1 character, because dumps of MySQL mix texts in UTF-8 with binary values.
 */
export class DumpText {
  readonly name: string;
  /** What is not consumed yet, and how much of the file was. */
  text = '';
  /** The number of the line at which `text` begins. */
  line = 1;
  isComplete = false;
  readonly #file: string;
  readonly #stream;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onBytes: (bytes: number) => void;
  #reported = 0;

  constructor(file: string, onBytes: (bytes: number) => void) {
    this.name = path.basename(file);
    this.#file = file;
    this.#onBytes = onBytes;
    this.#stream = createReadStream(file, { highWaterMark: chunkBytes });
    const source = file.endsWith('.gz') ? pipeline(this.#stream, createGunzip(), () => {}) : this.#stream;
    this.#chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Reads on, at least as much as is pending, so that a long row is not read from its start too often. */
  async more(): Promise<void> {
    if (this.text.length > maxPendingBytes)
      throw lineError(this.name, this.line, 'the row is longer than 64 MB');
    const parts = [this.text];
    let length = 0;
    while (!this.isComplete && length <= this.text.length) {
      const chunk = await this.#readChunk();
      if (chunk === null) {
        this.isComplete = true;
        // Ends the last line, number or word.
        parts.push('\n');
      } else {
        parts.push(chunk.toString('latin1'));
        length += chunk.length;
      }
    }
    this.#onBytes(this.#stream.bytesRead - this.#reported);
    this.#reported = this.#stream.bytesRead;
    this.text = parts.join('');
  }

  /** Goes on behind the first `length` characters. */
  consume(length: number): void {
    const part = this.text.slice(0, length);
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) this.line++;
    this.text = this.text.slice(length);
  }

  /** The bytes of the file that were read. */
  get bytesRead(): number {
    return this.#stream.bytesRead;
  }

  /** Ends the reading early. */
  close(): void {
    this.#stream.destroy();
  }

  async #readChunk(): Promise<Buffer | null> {
    try {
      const next = await this.#chunks.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      const code = getErrorCode(error) ?? '';
      if (code.startsWith('Z_'))
        throw new ArchiveError(`${this.name} is damaged or cut off.`, { cause: error });
      throw unreadableError(this.#file, error);
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes as UTF-8. Returns null if they are not. */
export function decodeBytes(bytes: string): string | null {
  if (!/[\u0080-\u00FF]/u.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}
