import type { ArchiveFile } from './folder.ts';

/** What became of every row of one file: `read` = `taken` + `known` + all of `leftOut`. */
export interface FileAccount {
  file: string;
  read: number;
  /** Rows whose content is in the community now because of this import. */
  taken: number;
  /** Rows of what an earlier import of the same site brought, and that say the same as then. */
  known: number;
  leftOut: { reason: string; rows: number }[];
}

const notTakenOver = ': not taken over';

/** The reason why what changed on the site since a former import is left out. */
export function newer(what: string): string {
  return what + notTakenOver;
}

/** Whether a file has something that is newer than what is here. */
export function hasNewer(file: FileAccount): boolean {
  return file.leftOut.some(({ reason }) => reason.endsWith(notTakenOver));
}

/** Counts the rows of one file while they are read and sorted out. */
export class Tally {
  readonly file: string;
  read = 0;
  taken = 0;
  known = 0;
  readonly #leftOut = new Map<string, number>();

  constructor(file: ArchiveFile) {
    this.file = file.name;
  }

  leaveOut(reason: string, rows = 1): void {
    if (rows > 0) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + rows);
  }

  /** Throws where a row is lost or counted twice: then the import is wrong and must not be kept. */
  account(): FileAccount {
    const leftOut = [...this.#leftOut].map(([reason, rows]) => ({ reason, rows }));
    const total = leftOut.reduce((sum, { rows }) => sum + rows, this.taken + this.known);
    if (total !== this.read) throw new Error(`${this.file}: ${total} of ${this.read} rows are accounted for`);
    return { file: this.file, read: this.read, taken: this.taken, known: this.known, leftOut };
  }
}
