import type { NewestTimes } from './import-runs.ts';
import type { ArchiveFileKind } from './stack-exchange-files.ts';
import { parseTime } from './stack-exchange-fields.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';

/** The attributes of rows that have a time. */
const timeAttributes = [
  'CreationDate',
  'LastEditDate',
  'LastActivityDate',
  'LastAccessDate',
  'ClosedDate',
  'CommunityOwnedDate',
  'Date',
] as const;

/** Collects the newest time in each file, which shows whether an archive is older than another one of its site. */
export class NewestTimesReader {
  readonly #times = new Map<ArchiveFileKind, string>();

  read(kind: ArchiveFileKind, rows: readonly ArchiveRow[]): void {
    let newest = this.#times.get(kind) ?? '';
    for (const row of rows) {
      for (const name of timeAttributes) {
        const text = row[name];
        // Cheap: archives write all times alike, and only a later one is parsed.
        if (text === undefined || text <= newest) continue;
        newest = parseTime(text) ?? newest;
      }
    }
    if (newest !== '') this.#times.set(kind, newest);
  }

  get times(): NewestTimes {
    return Object.fromEntries(this.#times);
  }
}
