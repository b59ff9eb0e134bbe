import type { ArchiveFile } from './stack-exchange-files.ts';

/** What became of every row of one file: `read` = `taken` + `known` + all of `leftOut`. */
export interface FileReport {
  file: string;
  read: number;
  /** Rows whose content is in the community now because of this import. */
  imported: number;
  /** Rows of what an earlier import of the same site brought, and that say the same as then. */
  alreadyImported: number;
  skipped: { reason: string; rows: number }[];
}

const notTakenOver = ': not taken over';

/** The reason why what changed on the site since a former import is left out. */
export function newerReason(what: string): string {
  return what + notTakenOver;
}

/** Whether a file has something that is newer than what is here. */
export function hasNewerRows(file: FileReport): boolean {
  return file.skipped.some(({ reason }) => reason.endsWith(notTakenOver));
}

/** Counts the rows of one file while they are read and sorted out. */
export class RowTally {
  readonly file: string;
  read = 0;
  imported = 0;
  alreadyImported = 0;
  readonly #leftOut = new Map<string, number>();

  constructor(file: ArchiveFile) {
    this.file = file.name;
  }

  skip(reason: string, rows = 1): void {
    if (rows > 0) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + rows);
  }

  /** Throws where a row is lost or counted twice: then the import is wrong and must not be kept. */
  toReport(): FileReport {
    const skipped = [...this.#leftOut].map(([reason, rows]) => ({ reason, rows }));
    const total = skipped.reduce((sum, { rows }) => sum + rows, this.imported + this.alreadyImported);
    if (total !== this.read) throw new Error(`${this.file}: ${total} of ${this.read} rows are accounted for`);
    return {
      file: this.file,
      read: this.read,
      imported: this.imported,
      alreadyImported: this.alreadyImported,
      skipped,
    };
  }
}
