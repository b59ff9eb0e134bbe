import { stat } from 'node:fs/promises';
import type { Client } from 'pg';
import type { Progress } from '#server/core/progress.ts';
import type { WrittenCounts } from './forum-writer.ts';
import { unreadableError } from './stack-exchange-errors.ts';

export type ConvertOptions = {
  /** A dedicated connection: the rows are sorted in its temporary tables. The community is not read or changed. */
  client: Client;
  /** The file that is converted, or the mapping file that names them. */
  input: string;
  /** A new or empty directory for the JSON lines. */
  directory: string;
  /** The address of the old site, if the source does not name it. */
  site?: string;
  /** What the names of the tables begin with. */
  prefix?: string;
  /** Of the texts. */
  format?: 'markdown' | 'html';
  /** Bytes and rows that are read. */
  reading?: Progress;
  /** Rows that are written. */
  writing?: Progress;
  /** Ends the conversion with its reason. */
  signal?: AbortSignal;
};

/** Adds up what is read of several files, and ends the reading if the conversion was interrupted. */
export class ReadingProgress {
  readonly #options: Pick<ConvertOptions, 'reading' | 'signal'>;
  #bytes = 0;
  #rows = 0;

  private constructor(options: Pick<ConvertOptions, 'reading' | 'signal'>) {
    this.#options = options;
  }

  /** Runs `read`, which reports what it reads of the files. */
  static async run<Result>(
    options: Pick<ConvertOptions, 'reading' | 'signal'>,
    files: readonly string[],
    read: (progress: ReadingProgress) => Promise<Result>,
  ): Promise<Result> {
    let total = 0;
    for (const file of files)
      total += await stat(file).then(
        ({ size }) => size,
        (error: unknown) => {
          throw unreadableError(file, error);
        },
      );
    options.reading?.start(total);
    try {
      return await read(new ReadingProgress(options));
    } finally {
      options.reading?.stop();
    }
  }

  /** Reports bytes and rows since the last report. */
  add(file: string, bytes: number, rows: number): void {
    this.#options.signal?.throwIfAborted();
    this.#bytes += bytes;
    this.#rows += rows;
    this.#options.reading?.update(file, this.#bytes, this.#rows);
  }
}

/** The outcome of every row of one file: `read` = `converted` + all `leftOut`. */
export type ConvertReport = {
  file: string;
  read: number;
  converted: number;
  leftOut: { reason: string; rows: number }[];
};

export type ConvertSummary = {
  site: string;
  files: ConvertReport[];
  written: WrittenCounts;
  remarks: string[];
};
