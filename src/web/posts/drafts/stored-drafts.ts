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
 * Gives the drafts that a visitor typed to the member who has signed in. They follow a text of the member that the server
 * does not have yet. If it has another draft, the member chooses.
 */
export function adoptVisitorDrafts(memberId: number): void {
  for (const { target, record } of listDraftRecords(visitor.id)) {
    const draftRef = { memberId, target };
    const own = readDraftRecord(draftRef);
    const isUnsent = own?.dirty === true && own.fields?.['content'] != null;
    writeDraftRecord(draftRef, isUnsent ? appendText(own, record) : record);
    removeDraftRecord({ memberId: visitor.id, target });
  }
}

function appendText(own: DraftRecord, { fields, changedAt }: DraftRecord): DraftRecord {
  const content = [own.fields?.['content'], fields?.['content']].join('\n\n');
  return { ...own, fields: { ...own.fields, content }, step: own.step + 1, changedAt };
}
