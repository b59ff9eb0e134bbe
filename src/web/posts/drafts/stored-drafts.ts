import { visitor } from '#web/core/session.ts';
import {
  type DraftRecord,
  getStorageKey,
  listKeys,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from './drafts-storage.ts';

/** All records of a member, in no particular order. */
export function listDraftRecords(memberId: number): { target: string; record: DraftRecord }[] {
  const start = getStorageKey({ memberId, target: '' });
  return listKeys()
    .filter((key) => key.startsWith(start))
    .map((key) => ({
      target: key.slice(start.length),
      record: readDraftRecord({ memberId, target: key.slice(start.length) }),
    }))
    .filter((each): each is { target: string; record: DraftRecord } => each.record !== null);
}

/**
 * Gives the drafts that a visitor typed to the member who has signed in. A draft of the member that the server does not
 * have yet stays.
 */
export function adoptVisitorDrafts(memberId: number): void {
  for (const { target, record } of listDraftRecords(visitor.id)) {
    const own = readDraftRecord({ memberId, target });
    if (own !== null && own.dirty && own.fields !== null) continue;
    writeDraftRecord({ memberId, target }, record);
    removeDraftRecord({ memberId: visitor.id, target });
  }
}
