import type { Client } from 'pg';
import type { WrittenCounts } from './forum-writer.ts';

export type ConvertOptions = {
  /** A dedicated connection: the rows are sorted in its temporary tables. The community is not read or changed. */
  client: Client;
  /** The file that is converted, or the mapping file that names them. */
  input: string;
  /** A new or empty directory for the JSON lines. */
  directory: string;
  /** The address of the old site, if the source does not name it. */
  site?: string;
  /** Receives the number of rows that were read from a file. */
  onRows?: (file: string, rows: number) => void;
};

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
