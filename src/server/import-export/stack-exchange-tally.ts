import type { ArchiveFile } from './stack-exchange-files.ts';

/** The outcome of every row of one file: `read` = `imported` + `alreadyImported` + all `skipped`. */
export interface FileReport {
  file: string;
  read: number;
  /** Rows whose content is in the community because of this import. */
  imported: number;
  /** Rows that an earlier import of the site added, unchanged. */
  alreadyImported: number;
  skipped: { reason: string; rows: number }[];
}

const notTakenOver = ': not taken over';

/** Returns the reason for skipping what changed on the site after an earlier import. */
export function newerReason(what: string): string {
  return what + notTakenOver;
}

/** Whether a file has content that is newer than what exists here. */
export function hasNewerRows(file: FileReport): boolean {
  return file.skipped.some(({ reason }) => reason.endsWith(notTakenOver));
}

/** Counts the rows of one file by outcome. */
export class RowTally {
  readonly file: string;
  read = 0;
  imported = 0;
  alreadyImported = 0;
  readonly #leftOut = new Map<string, number>();

  constructor(file: Pick<ArchiveFile, 'name'>) {
    this.file = file.name;
  }

  skip(reason: string, rows = 1): void {
    if (rows > 0) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + rows);
  }

  /** Throws if a row is lost or counted twice, so that the import rolls back. */
  toReport(): FileReport {
    const skipped = [...this.#leftOut].map(([reason, rows]) => ({ reason, rows }));
    const total = skipped.reduce((sum, { rows }) => sum + rows, this.imported + this.alreadyImported);
    if (total !== this.read) throw new Error(`${this.file}: ${total} of ${this.read} rows have an outcome`);
    return {
      file: this.file,
      read: this.read,
      imported: this.imported,
      alreadyImported: this.alreadyImported,
      skipped,
    };
  }
}
