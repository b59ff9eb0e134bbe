import type { Client } from 'pg';
import { type Progress, type ReportProgress, runWithProgress } from '#server/core/progress.ts';
import type { WrittenCounts } from './forum-writer.ts';
import { getFileSize } from './stack-exchange-errors.ts';

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

/** Runs work that reads files and reports what it reads of them. */
export async function readWithProgress<Result>(
  { reading, signal }: Pick<ConvertOptions, 'reading' | 'signal'>,
  files: readonly string[],
  read: (report: ReportProgress) => Promise<Result>,
): Promise<Result> {
  const sizes = await Promise.all(files.map(getFileSize));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return runWithProgress({ progress: reading, signal }, total, read);
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
