import type { ClientBase } from 'pg';
import type { ArchiveFile } from './stack-exchange-files.ts';

/** The outcome of every row of one file: `read` = `imported` + `updated` + `alreadyImported` + all `skipped`. */
export interface FileReport {
  file: string;
  read: number;
  /** Rows whose content is in the community because of this import. */
  imported: number;
  /** Rows of earlier imports whose changes are in the community because of this import. */
  updated: number;
  /** Rows that an earlier import of the site added, unchanged. */
  alreadyImported: number;
  skipped: { reason: string; rows: number }[];
  /** Rows of earlier imports that the file does not have any more, and that were removed here. Not in `read`. */
  removed: number;
}

const notTakenOver = ': not taken over';

/** Returns the reason for skipping what changed on the site after an earlier import. */
export function newerReason(what: string): string {
  return what + notTakenOver;
}

const conflictPrefix = 'kept: ';

/** Returns the reason for keeping what exists here instead of a change on the site. */
export function conflictReason(why: string): string {
  return conflictPrefix + why;
}

export const lockedReason = conflictReason('on questions that are locked here');

/** Whether rows with this reason keep what exists here. */
export const isConflict = (reason: string) => reason.startsWith(conflictPrefix);

/** Whether a file has content that is newer than what exists here. */
export function hasNewerRows(file: FileReport): boolean {
  return file.skipped.some(({ reason }) => reason.endsWith(notTakenOver));
}

/** Counts the rows of one file by outcome. */
export class RowTally {
  readonly file: string;
  read = 0;
  imported = 0;
  updated = 0;
  alreadyImported = 0;
  removed = 0;
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
    const total = skipped.reduce(
      (sum, { rows }) => sum + rows,
      this.imported + this.updated + this.alreadyImported,
    );
    if (total !== this.read) throw new Error(`${this.file}: ${total} of ${this.read} rows have an outcome`);
    return {
      file: this.file,
      read: this.read,
      imported: this.imported,
      updated: this.updated,
      alreadyImported: this.alreadyImported,
      skipped,
      removed: this.removed,
    };
  }
}

/**
 * Counts the outcomes of staged rows.
 * @param outcomes SQL that selects an outcome for every row: 'taken', 'updated', 'known', or the reason why it is skipped
 * @param others count rows with these outcomes
 */
export async function applyOutcomes(
  client: ClientBase,
  tally: RowTally,
  outcomes: string,
  others: Readonly<Record<string, (rows: number) => Promise<void>>> = {},
): Promise<void> {
  const { rows } = await client.query<{ outcome: string; rows: string }>(
    `select outcome, count(*) as rows from (${outcomes}) sorted group by outcome order by rows desc, outcome`,
  );
  for (const { outcome, rows: number } of rows) {
    const other = others[outcome];
    if (outcome === 'taken') tally.imported += Number(number);
    else if (outcome === 'updated') tally.updated += Number(number);
    else if (outcome === 'known') tally.alreadyImported += Number(number);
    else if (other !== undefined) await other(Number(number));
    else tally.skip(outcome, Number(number));
  }
}

export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Returns a remark for each number that is not zero. */
export function describeCounts(
  counts: readonly (readonly [number: number | string, words: string])[],
): string[] {
  return counts
    .filter(([number]) => Number(number) !== 0)
    .map(([number, words]) => `${formatNumber(Number(number))} ${words}`);
}
